import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { DOCUMENT_COMMAND, data, flag, OPTIONAL_NAME, optional } from '../values.js';

const COMPLETE = flag('Demand requirements: each from the words it comes from to its proof.');

/** plan-content.json and PLAN.md (documents.md, plan-content.json). */
export const PLAN_COMMANDS = [
  {
    name: 'plan template',
    summary: 'Print a commented example of plan-content.json.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    input: Type.Object({}),
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli plan template', note: 'Every field with its meaning.' }],
    inRecipe: true,
  },
  {
    name: 'plan generate',
    ...DOCUMENT_COMMAND,
    summary: 'Validate plan-content.json and write PLAN.md from it.',
    description:
      'Works on a name without a run too. Without --data it takes the plan-content.json that is there. Boxes of unchanged todos stay ticked.',
    input: Type.Object({
      name: OPTIONAL_NAME,
      data: optional(data()),
      complete: COMPLETE,
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan generate add-auth --data @plan-content.json', note: 'From a file of yours.' },
      { command: 'dev-cli plan generate add-auth', note: 'After a change of plan-content.json.' },
    ],
  },
  {
    name: 'plan validate',
    ...DOCUMENT_COMMAND,
    summary: 'All findings of a plan at once; writes nothing.',
    readOnly: true,
    input: Type.Object({
      name: OPTIONAL_NAME,
      data: optional(data()),
      complete: COMPLETE,
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli plan validate add-auth --data @plan-content.json', note: 'Before it is stored.' }],
  },
  {
    name: 'plan summary',
    ...DOCUMENT_COMMAND,
    summary: 'The plan in a few lines.',
    readOnly: true,
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli plan summary add-auth --text', note: 'For a person.' }],
  },
] as const satisfies readonly CommandSpec[];
