import { Type } from '@sinclair/typebox';
import { CARRYING_ERRORS } from '../endings.js';
import type { CommandSpec } from '../spec.js';
import { flag, freeText, OPTIONAL_NAME, optional, word } from '../values.js';

/** Commands that stop a run, resume it, and revert its work (control.md, Holding; control.md, Undoing). */
export const CONTROL_COMMANDS = [
  {
    name: 'hold',
    summary: 'Pause a run: work under way may finish, nothing new is handed out.',
    description:
      'Tasks already handed out may still be acknowledged, running commands and commits finish, and an open gate may be answered; `next` then returns the action `held`. A hold set from your own terminal is a person’s hold, which only a person can release.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      reason: optional(freeText('The reason; shown to everyone who asks for the next action.')),
    }),
    errors: ['DATA_MISSING', 'RUN_ENDED'],
    examples: [
      { command: 'dev-cli hold add-auth', note: 'Begin nothing new.' },
      { command: 'dev-cli hold add-auth --reason "The API changes on Monday"', note: 'The same, with the reason.' },
    ],
  },
  {
    name: 'release',
    summary: 'Resume a held run.',
    description:
      'Work that was held back is then handed out. Releasing a person’s hold asks for confirmation on your own terminal; an agent’s hold may be released by anyone.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: [...CARRYING_ERRORS, 'UNKNOWN_CHOICE', 'TERMINAL_REQUIRED'],
    examples: [{ command: 'dev-cli release add-auth', note: 'Asks first if a person holds it.' }],
  },
  {
    name: 'step undo',
    summary: 'Revert the commits of a todo and have it done again. Only on a terminal of your own.',
    description:
      'One new commit reverts them, as `git revert` would; history is not rewritten. Nothing is forced: if later commits or uncommitted work are in the way, they are named and nothing changes. The todo and everything that depends on it are reopened. --dry-run, which an agent may use too, only shows the outcome.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      todo: word('The todo, or several separated by commas.', { format: 'todo', placeholder: 'TODO,…' }),
      withDependents: flag('Also revert the commits of everything that depends on it.'),
      dryRun: flag('Only show what would be reverted and reopened.'),
      note: optional(freeText('A ruling for the next attempt to follow.')),
    }),
    errors: [
      ...CARRYING_ERRORS,
      'UNKNOWN_BLOCK',
      'UNKNOWN_CHOICE',
      'DATA_MISSING',
      'TERMINAL_REQUIRED',
      'INPUT_CHANGED',
      'UNDO_IMPOSSIBLE',
      'NOT_REACHED',
      'RUN_BUSY',
      'UNDO_CONFLICT',
      'RUN_ENDED',
    ],
    examples: [
      { command: 'dev-cli step undo add-auth --todo todo-2 --dry-run', note: 'What would happen?' },
      { command: 'dev-cli step undo add-auth --todo todo-2', note: 'Show it, then ask.' },
      {
        command: 'dev-cli step undo add-auth --todo todo-2 --with-dependents --note "Use the existing parser"',
        note: 'With everything built on it, and the reason.',
      },
    ],
  },
] as const satisfies readonly CommandSpec[];
