import { Type } from '@sinclair/typebox';
import { CARRYING_ERRORS } from '../endings.js';
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

/** Commands that begin, continue and end a run (protocol.md §5). */
export const RUN_COMMANDS = [
  {
    name: 'init',
    summary: 'Start a run, or resume it, and get its first action. Without a name: set the project up for goals.',
    description:
      'Safe to repeat: a live or halted run of the same recipe is resumed. Without --recipe it starts planning, in the mode that the flags select. Without a name no run begins: it creates the files of .ai/ that say which goals to work on and how; existing files are never overwritten.',
    actor: 'agent',
    output: 'document',
    textWithout: 'name',
    positionals: ['name'],
    input: Type.Object({
      name: optional(REQUIRED_NAME),
      recipe: optional(word('The recipe to run.', { format: 'recipe', placeholder: 'RECIPE' })),
      workflow: optional(
        word('The workflow to run: several recipes as the phases of one run.', {
          format: 'workflow',
          placeholder: 'WORKFLOW',
        }),
      ),
      quick: flag('Less depth: fewer agents, one review, size middle at most.'),
      standard: flag('Full depth, the default; with the flag, size large.'),
      size: optional(
        choice(
          ['small', 'middle', 'large'],
          'How much work it is. Default: as the agent classifies it, else large. A larger size than before plans again.',
        ),
      ),
      autopilot: flag(
        'Ask the user nothing; make assumptions and say so. An agent without a person’s trust still asks before commands.',
      ),
      interactive: flag('Ask the user, the default.'),
      execute: flag('Carry out the existing plan of that name.'),
      goal: optional(freeText("The user's request, word for word.")),
      from: optional(
        word(
          'Read the goal from an issue (needs gh; comments are not read) or a file; its address or path becomes part of the goal.',
          {
            placeholder: 'gh:NUMBER|OWNER/REPO#NUMBER|URL|FILE',
          },
        ),
      ),
      set: optional(pairs('KEY=VALUE', 'Set a var or preference of the recipe for this run; repeatable.')),
      force: flag('Abort the live or halted run of that name first.'),
      new: flag('Start even though this session is bound to another live run, or a live run has the same goal.'),
    }),
    exclusive: [
      ['quick', 'standard'],
      ['autopilot', 'interactive'],
      ['recipe', 'workflow', 'execute'],
      ['size', 'execute'],
      ['goal', 'from'],
    ],
    errors: [
      ...CARRYING_ERRORS,
      'MODE_CONTRADICTION',
      'SIZE_REFUSED',
      'UNKNOWN_RECIPE',
      'UNKNOWN_CHOICE',
      'UNKNOWN_PREFERENCE',
      'DATA_MISSING',
      'SCHEMA_INVALID',
      'IDENTITY_MISSING',
      'RECIPE_UNTRUSTED',
      'PREFERENCES_INVALID',
      'NEEDS_MISSING',
      'PLAN_MISSING',
      'PLAN_EDITED',
      'RUN_EXISTS',
      'RUN_SAME_GOAL',
      'RUN_ACTIVE',
      'FILES_OVERLAP',
      'PLAN_CONFLICT',
      'RUN_HELD',
      'RUN_ENDED',
    ],
    examples: [
      { command: 'dev-cli init add-auth --goal "Add JWT auth to the API"', note: 'Plan a change, asking the user.' },
      {
        command: 'dev-cli init add-auth --quick --autopilot --goal @request.md',
        note: 'Plan it quickly, without questions; the request is in a file.',
      },
      { command: 'dev-cli init add-auth --from gh:123', note: 'An issue of this repository is the goal.' },
      { command: 'dev-cli init add-auth', note: 'Resume it.' },
      { command: 'dev-cli init', note: 'Set the project up for goals that agents work on unattended.' },
    ],
    inRecipe: true,
  },
  {
    name: 'next',
    summary: 'Print the pending action.',
    description: 'Changes nothing: until the action is acknowledged, the answer stays the same, byte for byte.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    hot: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      full: flag('Also print the fields that only dev-cli uses.'),
      wait: optional(wait()),
    }),
    errors: [...CARRYING_ERRORS, 'LOCKED'],
    examples: [
      { command: 'dev-cli next add-auth', note: 'What is there to do now?' },
      { command: 'dev-cli next add-auth --wait 45', note: 'Wait up to 45 s for a running command.' },
    ],
  },
  {
    name: 'manifest',
    summary: 'Print all that an agent needs after its context was compacted.',
    actor: 'agent',
    output: 'text',
    readOnly: true,
    hot: true,
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['DOCUMENT_UNREADABLE'],
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
    errors: ['COMMAND_FAILED', 'DATA_MISSING', 'RUN_HELD', 'RUN_ENDED'],
    examples: [{ command: 'dev-cli abort add-auth --reason "The user dropped the feature"', note: 'Give it up.' }],
  },
  {
    name: 'cleanup',
    summary: 'Remove what the recipe declares temporary and write summary.md; by hand only where planning was aborted.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['DOCUMENT_UNREADABLE', 'RUN_ACTIVE', 'RUN_ENDED'],
    examples: [
      {
        command: 'dev-cli cleanup add-auth',
        note: 'After planning was aborted; otherwise the last block of the recipe does it.',
      },
    ],
    inRecipe: true,
  },
] as const satisfies readonly CommandSpec[];
