import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { InputOf } from '../../registry/catalogue.js';
import { type Context, getDeadline, type ReadContext } from '../../run/context.js';
import { mayLackDocuments } from '../../run/documents/lost.js';
import { getShownAction } from '../../run/pending-action.js';
import { type PlanDifference, readCachedPlanDifference } from '../../run/plan/move.js';
import { type ActionReader, buildActionAnswer } from '../../views/action.js';
import {
  findPendingId,
  findPlanDifferenceOnDisk,
  findRun,
  hasWork,
  mayPlanHaveChanged,
  readRun,
} from '../find/find-run.js';

/**
 * `next`: prints the pending action, byte for byte the same until it is acknowledged. Writes only to finish a commit
 * that a crash interrupted, restore vanished documents, record an external command that has ended, make a deferred
 * commit, or cache a finding about an edited plan (protocol.md §2). Warns while the plan on disk differs from the one
 * being carried out, and once per session if the project's hooks have not reported in that session.
 * @param input.wait seconds to wait for a running command, or for a held run to be released
 */
export async function showNextAction(
  context: Context,
  given: unknown,
  input: Omit<InputOf<'next'>, 'name'>,
): Promise<Answer> {
  const name = await findRun(context, given, false);
  let head = await readRun(context, name);
  if (isToBeMended(head)) {
    const { finishInterruptedCommit } = await import('../restore-run.js');
    await finishInterruptedCommit(context, name);
    head = await readRun(context, name);
  }
  if (hasWork(head.snapshot)) {
    const { runPendingJobs } = await import('../settle.js');
    await runPendingJobs(context, name, getDeadline(context, input.wait ?? 0), findPendingId(head.snapshot));
    head = await readRun(context, name);
  }
  if (head.snapshot.held !== undefined && input.wait !== undefined) {
    head = await awaitRelease(context, name, getDeadline(context, input.wait));
  }
  const moved = findPlanDifferenceOnDisk(context, head);
  const silence = await context.warnOfSilence?.();
  return pendingAction(head, { full: input.full === true, moved, silence }, context);
}

/**
 * Answers as `showNextAction` does, unless there is work to do first or the run is held. Then it returns null, and the
 * caller has to call `showNextAction`.
 * @param input must not contain `wait`
 */
export async function nextIfIdle(
  context: ReadContext,
  given: unknown,
  input: Pick<InputOf<'next'>, 'full'>,
): Promise<Answer | null> {
  const head = await readRun(context, await findRun(context, given, false));
  if (isToBeMended(head) || hasWork(head.snapshot) || head.snapshot.held !== undefined) return null;
  const moved = mayPlanHaveChanged(head) ? readCachedPlanDifference(head) : null;
  return moved === undefined ? null : pendingAction(head, { full: input.full === true, moved }, context);
}

type Head = Awaited<ReturnType<typeof readRun>>;

/** Whether a crash left a commit to finish, or documents that the run needs may have vanished. */
function isToBeMended(head: Head): boolean {
  return head.unfinished || mayLackDocuments(head, head.snapshot);
}

function pendingAction(
  head: Head,
  { full, moved, silence }: { full: boolean; moved: PlanDifference | null; silence?: string | null | undefined },
  reader: ActionReader,
): Answer {
  const action = getShownAction(head.snapshot);
  if (action === null) {
    throw new DevCliError('STATE_CORRUPT', `The run "${head.snapshot.name}" has no pending action.`);
  }
  const warnings = [moved?.line, silence].filter((warning) => typeof warning === 'string');
  return { exit: 0, ...buildActionAnswer(action, { full, warnings }, reader) };
}

/**
 * Waits until a run is no longer held (control.md, The action).
 * @param until instant, in milliseconds, at which the run is returned even if still held
 * @throws DevCliError `INTERRUPTED`, and any error of the store
 */
async function awaitRelease(context: Context, name: string, until: number): Promise<Head> {
  for (;;) {
    const head = await readRun(context, name);
    const left = until - context.clock.now();
    if (head.snapshot.held === undefined || head.snapshot.status !== 'live' || left <= 0) return head;
    await context.store.grown(name, head.size, { milliseconds: left, signal: context.signal });
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted. The run is as it was.');
  }
}
