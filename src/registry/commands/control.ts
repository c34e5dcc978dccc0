import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { freeText, OPTIONAL_NAME, optional } from '../values.js';

/** To stop a run, let it go on, and take its work back (control.md). */
export const CONTROL_COMMANDS = [
  {
    name: 'hold',
    summary: 'Stop a run after what is running: nothing new is handed out.',
    description:
      'Tasks that are out may be acknowledged, jobs end, commits are made, a gate may be answered. `next` then answers the action `held`. On a terminal of your own it is a person’s hold, which only a person releases.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      reason: optional(freeText('Why; everybody who asks for the next action reads it.')),
    }),
    exits: [0, 1, 2, 4, 130],
    examples: [
      { command: 'dev-cli hold add-auth', note: 'Not a step further.' },
      { command: 'dev-cli hold add-auth --reason "The API changes on Monday"', note: 'The same, and why.' },
    ],
  },
  {
    name: 'release',
    summary: 'Let a held run go on.',
    description:
      'Of a person’s hold it asks, on a terminal of your own; what was kept back is handed out then. An agent may release what an agent holds.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [{ command: 'dev-cli release add-auth', note: 'Asks, and lets it go on.' }],
  },
] as const satisfies readonly CommandSpec[];
