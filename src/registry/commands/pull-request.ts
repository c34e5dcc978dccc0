import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { OPTIONAL_NAME } from '../values.js';

/**
 * What a recipe that opens a pull request does in a repository; by hand, the same again after something was put right.
 */
export const PULL_REQUEST_COMMANDS = [
  {
    name: 'pull-request branch',
    summary: "Put the work tree on a branch of the run's own: dev/<name>.",
    description: 'A branch that is no shared one (main, master, the main branch of the remote, …) is kept.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli pull-request branch add-auth', note: 'Safe to repeat.' }],
    inRecipe: 'process',
  },
  {
    name: 'pull-request open',
    summary: 'Push the branch and open a draft pull request with the text of pr.json.',
    description:
      'Needs a remote and gh. A branch without commits of its own gets an empty one first. A pull request that is open already gets this text; on a branch whose pull request was closed or merged nothing is pushed.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli pull-request open add-auth', note: 'Again, after the text was changed.' }],
    inRecipe: 'process',
  },
] as const satisfies readonly CommandSpec[];
