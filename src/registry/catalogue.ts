import { CONTROL_COMMANDS } from './commands/control.js';
import { DOCUMENT_COMMANDS } from './commands/documents.js';
import { PEOPLE_COMMANDS } from './commands/people.js';
import { PLAN_COMMANDS } from './commands/plan.js';
import { PULL_REQUEST_COMMANDS } from './commands/pull-request.js';
import { RUN_COMMANDS } from './commands/run.js';
import { SHELL_COMMANDS } from './commands/shell.js';
import { STEP_COMMANDS } from './commands/step.js';
import type { InputIn, SpecGroup } from './spec.js';

/**
 * The core's commands, in the order in which help lists them. The running program takes only types from here; its data
 * is generated (find.ts).
 */
const SPECS = [
  ...RUN_COMMANDS,
  ...STEP_COMMANDS,
  ...DOCUMENT_COMMANDS,
  ...PLAN_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...CONTROL_COMMANDS,
  ...PULL_REQUEST_COMMANDS,
  ...SHELL_COMMANDS,
] as const;

/** The core's commands as a group; app/ adds the groups of the wings. */
export const CORE = {
  specs: SPECS,
  words: {
    step: 'Acknowledge actions.',
    draft: 'The draft of a plan, section by section.',
    plan: 'plan-content.json and PLAN.md.',
    analysis: "Agents' analyses.",
    'pull-request': 'A branch of its own, and a draft pull request.',
  },
} as const satisfies SpecGroup;

/** The input passed to the handler of a core command. */
export type InputOf<Name extends (typeof SPECS)[number]['name']> = InputIn<typeof SPECS, Name>;
