import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { OPTIONAL_NAME } from '../values.js';

/** Commands with which a recipe opens a pull request; after fixing a problem, a person can repeat them by hand. */
export const PULL_REQUEST_COMMANDS = [
  {
    name: 'pull-request branch',
    summary: "Put the work tree on a branch of the run's own: dev/<name>.",
    description: 'Keeps the current branch unless it is a shared one (main, master, the main branch of the remote, …).',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['RUN_UNTRUSTED', 'RUN_HELD'],
    examples: [{ command: 'dev-cli pull-request branch add-auth', note: 'Safe to repeat.' }],
    inRecipe: 'process',
  },
  {
    name: 'pull-request open',
    summary: 'Push the branch and open a draft pull request with the text of pr.json.',
    description:
      'Needs a remote and gh. A branch without commits of its own gets an empty one first. If a pull request is already open, its text is replaced; if it was closed or merged, nothing is pushed.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['COMMAND_FAILED', 'EVIDENCE_MISSING', 'RUN_UNTRUSTED', 'RUN_HELD'],
    examples: [{ command: 'dev-cli pull-request open add-auth', note: 'Repeat it after changing the text.' }],
    inRecipe: 'process',
  },
] as const satisfies readonly CommandSpec[];
