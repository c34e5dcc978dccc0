import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import {
  choice,
  flag,
  freeText,
  OPTIONAL_NAME,
  optional,
  pairs,
  REQUIRED_NAME,
  reason,
  wait,
  word,
} from '../values.js';

/** A run from its beginning to its end (protocol.md §5). */
export const RUN_COMMANDS = [
  {
    name: 'init',
    summary: 'Start a run, or resume it, and get its first action.',
    description:
      'Repeating it is safe: a live or halted run of the same recipe is resumed. Without --recipe a plan is made, by the recipe that begins planning in the mode the flags say.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: REQUIRED_NAME,
      recipe: optional(word('The recipe to run.', { format: 'recipe', placeholder: 'RECIPE' })),
      workflow: optional(
        word('The workflow to run: recipes, one after the other, as phases of one run.', {
          format: 'recipe',
          placeholder: 'WORKFLOW',
        }),
      ),
      quick: flag('Less depth: fewer agents, one review, size middle at most.'),
      standard: flag('Full depth, the default; with the flag, size large.'),
      size: optional(
        choice(
          ['small', 'middle', 'large'],
          'How much work it is. Left out: as classified, else large. Larger than before: planned anew.',
        ),
      ),
      autopilot: flag('Ask the user nothing; assume and say so.'),
      interactive: flag('Ask the user, the default.'),
      execute: flag('Carry out the plan of that name.'),
      goal: optional(freeText("The user's request, word for word.")),
      from: optional(
        word('An issue as the goal, its comments left out, which needs gh; or a file. With its address or path.', {
          placeholder: 'gh:NUMBER|OWNER/REPO#NUMBER|URL|FILE',
        }),
      ),
      set: optional(pairs('KEY=VALUE', 'A var or preference of the recipe for this run; repeatable.')),
      force: flag('Abort the live or halted run of that name first.'),
      new: flag('Start although this session is bound to another live run, or a live run has the same goal.'),
    }),
    exclusive: [
      ['quick', 'standard'],
      ['autopilot', 'interactive'],
      ['recipe', 'workflow', 'execute'],
      ['size', 'execute'],
      ['goal', 'from'],
    ],
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli init add-auth --goal "Add JWT auth to the API"', note: 'Plan a change, asking the user.' },
      {
        command: 'dev-cli init add-auth --quick --autopilot --goal @request.md',
        note: 'Plan it fast, without questions; the request is in a file.',
      },
      { command: 'dev-cli init add-auth --from gh:123', note: 'An issue of this repository is the goal.' },
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
    readOnly: true,
    hot: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      full: flag('Also the fields that only dev-cli uses.'),
      wait: optional(wait()),
    }),
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
    readOnly: true,
    hot: true,
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli manifest add-auth', note: 'Where am I?' }],
  },
  {
    name: 'abort',
    summary: 'End a run for good. Documents stay.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      reason: reason(),
    }),
    exits: [0, 1, 2, 4, 130],
    examples: [{ command: 'dev-cli abort add-auth --reason "The user dropped the feature"', note: 'Give it up.' }],
  },
  {
    name: 'cleanup',
    summary: 'Remove what the recipe declares temporary and write summary.md.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 4, 130],
    examples: [{ command: 'dev-cli cleanup add-auth', note: 'By hand; a recipe does it as its last block.' }],
    inRecipe: true,
  },
] as const satisfies readonly CommandSpec[];
