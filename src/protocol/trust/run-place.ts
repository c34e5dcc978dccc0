import { DevCliError } from '../../base/errors.js';
import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { isTrusted } from '../../project/trust.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';

// A separate module, loaded on demand: few runs were begun elsewhere.

/** The fields that identify a run and the place where it was begun. */
export type RunPlace = Pick<RunState, 'name' | 'runId' | 'recipeHash' | 'place'>;

/** Computes the digest under which trust in a run from elsewhere is stored; it covers the root, run and recipe. */
export function computeTrustDigest({ root }: Context, { runId, recipeHash }: RunPlace): string {
  return sha256(canonicalJson(['run', root, runId, recipeHash]));
}

/** Whether a person has allowed the run to start its commands here. */
export function isTrustedHere(context: Context, run: RunPlace): boolean {
  return isTrusted(context.trustDirectory, computeTrustDigest(context, run));
}

/** Builds the refusal to start anything for an untrusted run. */
export function runUntrustedError({ name }: RunPlace): DevCliError {
  return new DevCliError(
    'RUN_UNTRUSTED',
    `The run "${name}" was not begun in this directory by this user, so none of its commands will be started.`,
    {
      run: name,
      details: [{ target: name, problem: 'copied or cloned' }],
      fix: [
        'Show the user `answer`, which only they can run, in a terminal. When they have, continue with: ',
        { command: 'next', input: { name } },
      ],
      answer: { command: 'trust', input: { recipe: name } },
    },
  );
}
