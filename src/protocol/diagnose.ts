import { defined } from '../base/defined.js';
import { DevCliError, type Fix } from '../base/errors.js';
import { noSuchRunError } from '../base/no-such-run.js';
import { renderSuggestion } from '../base/suggest.js';
import { findMainWorkTree } from '../project/root.js';
import { quoteForShell } from '../registry/render.js';
import type { Context, ReadContext } from '../run/context.js';
import { FIRST_RUN, findRun } from './find-run.js';

/**
 * What really was wrong when a call failed unexpectedly. A snapshot is checked in outline only, because a call must be
 * cheap: one that somebody has edited gets past that and breaks something later.
 * @param given the run's name as the call had it
 * @returns DevCliError `STATE_CORRUPT` when state.json is not what its journal says; where there is no run at all, or others
 * of a similar name, the same error that says so; else `error` itself
 */
export async function diagnoseFailure(context: Context, given: unknown, error: unknown): Promise<unknown> {
  if (error instanceof DevCliError && error.code !== 'INTERNAL') {
    const nothing = await explainMissingRuns(context, error);
    if (nothing !== null || error.code !== 'NO_SUCH_RUN') return nothing ?? error;
    return suggestRuns(context, given, error);
  }
  const edited = await findEditedRun(context, given);
  if (edited === null) return error;
  const file = `.dev/specs/${edited}/state.json`;
  return new DevCliError('STATE_CORRUPT', `${file} cannot be used and is not what its journal says.`, {
    run: edited,
    details: [{ target: file, problem: 'differs from the journal' }],
    fix: `Move ${file} to another name, then repeat the same call: it is rebuilt from the journal.`,
    cause: error,
  });
}

async function findEditedRun(context: Context, given: unknown): Promise<string | null> {
  try {
    const name = await findRun(context, given, false);
    const { differences } = await context.store.replay(name);
    return differences.some(({ path }) => path === 'state.json') ? name : null;
  } catch {
    // The failure that is to be explained says more than one met while explaining it.
    return null;
  }
}

/** Why there is no run where one was looked for, and where there may be some; null where there are others. */
async function explainMissingRuns(
  { store, root, workTree, boundRun, reader }: Context,
  { code, message, run }: DevCliError,
): Promise<DevCliError | null> {
  const told = (reason: string, fix: Fix) =>
    new DevCliError(code, `${message} ${reason}`, { fix, ...defined({ run }) });
  const streams = await store.streams();
  if (boundRun !== null && !streams.includes(boundRun)) {
    return told(
      `The work tree ${workTree} was made for the run "${boundRun}" of ${root}, which is not there any more.`,
      `Ask the user to put ${root}/.dev/specs/${boundRun} back, or name another root with --root.`,
    );
  }
  if (streams.length > 0) return null;
  const main = findMainWorkTree(root);
  if (main !== null && main !== root && reader.list(`${main}/.dev/specs`).length > 0) {
    return told(
      `${root} is a linked work tree and has none; the runs of the main one lie in ${main}.`,
      `Repeat the same call with --root ${quoteForShell(main)}`,
    );
  }
  return told(
    `There is none at all in ${root}: nothing was begun here, or .dev/ is gone, as after git clean -x or git stash -a.`,
    ['If .dev/ was stashed, git stash pop brings it back. Else begin: ', FIRST_RUN],
  );
}

/**
 * The error for a name without a run, with the runs that were probably meant: those whose names begin with it, or the one
 * that is near.
 * @param given the run's name as the call had it, if any
 * @param error `NO_SUCH_RUN`
 */
async function suggestRuns(
  context: Pick<ReadContext, 'store'>,
  given: unknown,
  error: DevCliError,
): Promise<DevCliError> {
  const meant = typeof given === 'string' ? renderSuggestion(given, await context.store.streams()) : '';
  return typeof given === 'string' && meant !== '' ? noSuchRunError(given, meant) : error;
}
