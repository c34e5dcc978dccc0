import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { flag, freeText, OPTIONAL_NAME, optional, word } from '../values.js';

/** To stop a run, let it go on, and take its work back (control.md, Holding; control.md, Undoing). */
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
  {
    name: 'step undo',
    summary: 'Take the commits of a todo back and have it done again. Only on a terminal of your own.',
    description:
      'A commit of its own reverts them, as `git revert` would; nothing is forced: later commits and work of yours that are in the way are named, and nothing changes. The todo and what depends on it are reopened. --dry-run shows what it would come to, to an agent too.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      todo: word('The todo, or several separated by commas.', { placeholder: 'TODO,…' }),
      withDependents: flag('Also the commits of all that depends on it.'),
      dryRun: flag('Only show what would be reverted and reopened.'),
      note: optional(freeText('A ruling: what the next attempt has to know.')),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli step undo add-auth --todo todo-2 --dry-run', note: 'What would it come to?' },
      { command: 'dev-cli step undo add-auth --todo todo-2', note: 'Shows it, and asks.' },
      {
        command: 'dev-cli step undo add-auth --todo todo-2 --with-dependents --note "Use the existing parser"',
        note: 'With all that was built on it, and why.',
      },
    ],
  },
] as const satisfies readonly CommandSpec[];
