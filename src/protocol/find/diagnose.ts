import { omitUndefined } from '../../base/defined.js';
import { DevCliError, type Fix } from '../../base/errors.js';
import { isName, noSuchRunError } from '../../base/name.js';
import { renderSuggestion } from '../../base/suggest.js';
import { findMainWorkTree } from '../../project/work-trees.js';
import { quoteForShell } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { explainMissingPlan } from './elsewhere.js';
import { FIRST_RUN, findRun, listRuns } from './find-run.js';

/**
 * Finds the cause of an error. To keep calls cheap, reading a snapshot checks only its outline, so a state.json edited
 * by hand may cause an unexpected error later.
 * @param given the run's name as passed to the call, if any
 * @returns for an unexpected error, `STATE_CORRUPT` if state.json differs from the journal; for an error about a
 * missing run or plan, the same error, which also says where that run or plan may be; otherwise `error` itself
 */
export async function diagnoseFailure(context: Context, given: unknown, error: unknown): Promise<unknown> {
  if (error instanceof DevCliError && error.code === 'PLAN_MISSING') {
    return typeof given === 'string' ? explainMissingPlan(context, given, error) : error;
  }
  if (error instanceof DevCliError && error.code !== 'INTERNAL') {
    const planned = explainPlanAlone(context, given, error);
    if (planned !== null) return planned;
    const explained = await explainMissingRuns(context, error);
    if (explained !== null) return explained;
    // Suggests runs whose names begin with the given one, or the most similar name.
    if (error.code !== 'NO_SUCH_RUN' || typeof given !== 'string') return error;
    const suggestion = renderSuggestion(given, await listRuns(context));
    return suggestion === '' ? error : noSuchRunError(given, suggestion);
  }
  const edited = await findEditedRun(context, given);
  if (edited === null) return error;
  const file = `.dev/specs/${edited}/state.json`;
  return new DevCliError('STATE_CORRUPT', `${file} cannot be used: it differs from its journal.`, {
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
    // An error during the diagnosis is dropped, because the original error says more.
    return null;
  }
}

/** Explains that a name has a plan, such as an imported one, but no run yet; null if it does not. */
function explainPlanAlone({ root, reader }: Context, given: unknown, { code }: DevCliError): DevCliError | null {
  if (code !== 'NO_SUCH_RUN' || typeof given !== 'string' || !isName(given)) return null;
  const files = reader.list(`${root}/.dev/specs/${given}`);
  if (
    !files.includes(PLAN) ||
    !files.includes(PLAN_CONTENT) ||
    files.includes('state.json') ||
    files.includes('events.jsonl')
  )
    return null;
  return new DevCliError(code, `"${given}" has a plan, but no run yet.`, {
    fix: ['Carry it out: ', { command: 'init', input: { name: given, execute: true } }],
  });
}

/**
 * Explains why the root has no runs, or lacks the run of this work tree, and where they may be; null if the root has
 * runs, including that one.
 */
async function explainMissingRuns(context: Context, { code, message, run }: DevCliError): Promise<DevCliError | null> {
  const { root, workTree, boundRun, reader } = context;
  const explain = (reason: string, fix: Fix) =>
    new DevCliError(code, `${message} ${reason}`, { fix, ...omitUndefined({ run }) });
  const runs = await listRuns(context);
  if (boundRun !== null && !runs.includes(boundRun)) {
    return explain(
      `The work tree ${workTree} was made for the run "${boundRun}" of ${root}, which is gone.`,
      `Ask the user to put ${root}/.dev/specs/${boundRun} back, or name another root with --root.`,
    );
  }
  if (runs.length > 0) return null;
  const main = findMainWorkTree(root);
  if (main !== null && main !== root && reader.list(`${main}/.dev/specs`).length > 0) {
    return explain(
      `${root} is a linked work tree without runs of its own; the runs of the main work tree are in ${main}.`,
      `Repeat the same call with --root ${quoteForShell(main)}`,
    );
  }
  return explain(
    `There are no runs in ${root}: none was begun here, or .dev/ was removed, as by git clean -x or git stash -a.`,
    ['If .dev/ was stashed, git stash pop brings it back. Otherwise begin a run: ', FIRST_RUN],
  );
}
