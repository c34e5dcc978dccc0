import type { CommandSpec } from '../spec.js';
import { OPTIONAL_NAME, REASON, REQUIRED_NAME, WAIT } from './values.js';

/** A run from its beginning to its end (protocol.md §5). */
export const RUN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'Start a run, or resume it, and get its first action.',
    description:
      'Repeating it is safe: a live or halted run of the same recipe is resumed. Without --recipe a plan is made, by the recipe that begins planning in the mode the flags say.',
    actor: 'agent',
    output: 'document',
    positionals: [REQUIRED_NAME],
    options: [
      { key: 'recipe', flag: 'recipe', form: 'recipe', placeholder: 'RECIPE', description: 'The recipe to run.' },
      {
        key: 'workflow',
        flag: 'workflow',
        form: 'recipe',
        placeholder: 'WORKFLOW',
        description: 'The workflow to run: recipes, one after the other, as phases of one run.',
      },
      { key: 'quick', flag: 'quick', form: 'flag', description: 'Less depth: fewer agents, one review.' },
      { key: 'standard', flag: 'standard', form: 'flag', description: 'Full depth, the default.' },
      { key: 'autopilot', flag: 'autopilot', form: 'flag', description: 'Ask the user nothing; assume and say so.' },
      { key: 'interactive', flag: 'interactive', form: 'flag', description: 'Ask the user, the default.' },
      {
        key: 'execute',
        flag: 'execute',
        form: 'flag',
        description: 'Carry out the plan of that name.',
      },
      {
        key: 'goal',
        flag: 'goal',
        form: 'text',
        placeholder: 'TEXT|@FILE|-',
        description: "The user's request, word for word.",
      },
      {
        key: 'set',
        flag: 'set',
        form: 'pair',
        placeholder: 'KEY=VALUE',
        description: 'A var or preference of the recipe for this run; repeatable.',
      },
      { key: 'force', flag: 'force', form: 'flag', description: 'Abort the live or halted run of that name first.' },
      {
        key: 'new',
        flag: 'new',
        form: 'flag',
        description: 'Although this session is bound to another unfinished run, or one is live with the same goal.',
      },
    ],
    exclusive: [
      ['quick', 'standard'],
      ['autopilot', 'interactive'],
      ['recipe', 'workflow', 'execute'],
    ],
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli init add-auth --goal "Add JWT auth to the API"', note: 'Plan a change, asking the user.' },
      {
        command: 'dev-cli init add-auth --quick --autopilot --goal @request.md',
        note: 'Plan it fast, without questions; the request is in a file.',
      },
      { command: 'dev-cli init add-auth', note: 'Resume it.' },
    ],
    inRecipe: true,
  },
  {
    name: 'next',
    summary: 'Print the pending action.',
    description: 'A pure question: the answer is the same, byte for byte, until the action is acknowledged.',
    actor: 'agent',
    output: 'document',
    positionals: [OPTIONAL_NAME],
    options: [
      { key: 'full', flag: 'full', form: 'flag', description: 'Also the fields that only dev-cli uses.' },
      WAIT,
    ],
    exits: [0, 1, 2, 4, 130],
    examples: [
      { command: 'dev-cli next add-auth', note: 'What is to be done now?' },
      { command: 'dev-cli next add-auth --wait 45', note: 'Wait up to 45 s for a command at work.' },
    ],
  },
  {
    name: 'manifest',
    summary: 'All that an agent needs after its context was compacted.',
    actor: 'agent',
    output: 'text',
    positionals: [OPTIONAL_NAME],
    options: [],
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli manifest add-auth', note: 'Where am I?' }],
  },
  {
    name: 'abort',
    summary: 'End a run for good. Documents stay.',
    actor: 'agent',
    output: 'document',
    positionals: [OPTIONAL_NAME],
    options: [{ ...REASON, required: true }],
    exits: [0, 1, 2, 4, 130],
    examples: [{ command: 'dev-cli abort add-auth --reason "The user dropped the feature"', note: 'Give it up.' }],
  },
  {
    name: 'cleanup',
    summary: 'Remove what the recipe declares temporary and write summary.md.',
    actor: 'agent',
    output: 'document',
    positionals: [OPTIONAL_NAME],
    options: [],
    exits: [0, 1, 2, 4, 130],
    examples: [{ command: 'dev-cli cleanup add-auth', note: 'By hand; a recipe does it as its last block.' }],
    inRecipe: true,
  },
];
