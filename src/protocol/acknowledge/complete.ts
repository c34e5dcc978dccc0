import type { Answer } from '../../base/answer.js';
import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { AckInput, AckResult, ChangedSources } from '../../blocks/acknowledgement.js';
import { whereIn } from '../../blocks/pending.js';
import { listChangedSources } from '../../recipe/captured.js';
import { keepsSources } from '../../recipe/declared.js';
import { type Context, getDeadline } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';
import { type FoldedJournal, renderEnvelope } from '../../views/envelope.js';
import { listChangedSince, readBaseline } from '../../work/git.js';
import { addAckResult, listSourceWarnings, mergeResults, startResult } from '../envelope.js';
import { findRun } from '../find-run.js';
import { loadOnDemand, type OnDemand } from '../on-demand.js';
import { findPendingId, hasDeferredCommits, hasRunningJob } from '../running.js';
import type { runPendingJobs } from '../settle.js';
import { findPlanDifference, readCaptured, transact } from '../transact.js';
import { acknowledge } from './acknowledge.js';

/**
 * `step complete` and `step fail`: acknowledges, checks, records, advances and gives the next action, in one call
 * (protocol.md §3).
 * @param given the run's name, if any
 * @throws DevCliError for every refusal; what was good of the evidence is committed all the same
 */
export async function stepComplete(
  context: Context,
  given: unknown,
  { wait, ...input }: AckInput & { wait?: number },
): Promise<Answer> {
  const until = getDeadline(context, wait);
  const name = await findRun(context, given, true);
  let head = await context.store.read(name);
  const found = findPendingId(head.snapshot);
  let before: FoldedJournal | null = null;
  if (hasRunningJob(head) || hasDeferredCommits(head)) {
    // A command that finished meanwhile comes first: its block is no longer the pending one.
    before = await settled(context, name, context.clock.now(), found);
    head = await context.store.read(name);
  }
  const sources = await sourcesFor(context, head);
  const moved = await loadOnDemand(async ({ planMoved }) => findPlanDifference(head, planMoved));
  const known = await knownFor(context, head.snapshot, { ...input, ...defined({ wait }) }, until);
  const { result, told, waits } = await transact(
    context,
    name,
    (tx) => {
      const kept = keepsSources(tx.captured.recipe);
      const answer = located(tx, acknowledge(tx, input, kept ? sources : null));
      const waits = hasDeferredCommits({ snapshot: tx.state });
      return { result: answer, told: tell(context, tx, { result: answer, moved }), waits };
    },
    known,
  );
  if (result.kind === 'refused') throw result.error;
  const first = before === null ? told : mergeResults(before, told);
  const later = told.next?.action === 'running' || waits ? await settled(context, name, until, found) : null;
  return renderEnvelope(later === null ? first : mergeResults(first, later));
}

/** A refusal that keeps what was good is thrown after the commit, and says where it happened all the same. */
function located(tx: Transaction, result: AckResult): AckResult {
  return result.kind === 'refused' ? { ...result, error: result.error.inRun(whereIn(tx)) } : result;
}

/** Most acknowledgements neither find dev-cli at work nor leave it so. */
const settled: typeof runPendingJobs = async (...args) => (await import('../settle.js')).runPendingJobs(...args);

/** What was mended is told by the first acknowledgement that is not refused: a refusal has no warnings. */
function tell(
  context: Context,
  tx: Transaction,
  { result, moved }: { result: AckResult; moved: string | null },
): FoldedJournal {
  if (result.kind !== 'refused') {
    tx.warnings.push(...tx.state.recovered);
    tx.state.recovered = [];
    tellMoved(tx, moved);
  }
  const told = startResult(tx);
  told.warnings.push(...listSourceWarnings(context, tx, listChangedSources));
  return result.kind === 'refused' ? told : addAckResult(told, result);
}

/** That the plan has moved on is told once for each change; `next` and `status` tell it as long as it is so. */
function tellMoved({ state, warnings }: Transaction, moved: string | null): void {
  const marks = state.engine?.planMarks;
  if (state.engine === null || marks === undefined || moved === (marks.told ?? null)) return;
  if (moved !== null) warnings.push(moved);
  const { told: _, ...rest } = marks;
  state.engine.planMarks = moved === null ? rest : { ...rest, told: moved };
}

/** What changed outside `.dev/` since the baseline, where the pending step may not touch sources. */
async function sourcesFor(context: Context, head: StreamState<RunState>): Promise<ChangedSources> {
  const { snapshot } = head;
  if (snapshot === null || snapshot.baseline === null || !(await isWatched(head, snapshot))) return null;
  const workTree = snapshot.workTree === '.' ? context.root : snapshot.workTree;
  const around = { signal: context.signal };
  try {
    const paths = await listChangedSince(workTree, snapshot.baseline, around);
    if (paths.length === 0) return null;
    const now = await readBaseline(workTree, around);
    return now === null ? null : { paths, now };
  } catch (error) {
    // The net below the guard needs git; where git cannot answer any more there is no net, and the guard remains.
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return null;
    throw error;
  }
}

/** Where results of tasks are to be taken: their validators; first, with `--collect --wait`, the results themselves. */
async function knownFor(
  context: Context,
  snapshot: RunState | null,
  { collect, wait }: AckInput & { wait?: number },
  until: number,
): Promise<Partial<OnDemand>> {
  if (snapshot?.pendingAction?.action.action !== 'engine-dispatch' || snapshot.engine === null) return {};
  if (collect === true && wait !== undefined) {
    const { awaitResults } = await import('./await-results.js');
    await awaitResults(context, snapshot.name, snapshot.engine, until);
  }
  return { judge: (await import('../../documents/judge-result.js')).judgeResult };
}

async function isWatched(head: StreamState<RunState>, { pendingAction }: RunState): Promise<boolean> {
  const action = pendingAction?.action.action;
  if (action !== 'dispatch-subagents' && action !== 'llm+cli') return false;
  try {
    return keepsSources((await readCaptured(head)).recipe);
  } catch (error) {
    // A recipe.json that is lost is put back by the transaction, which then decides whether it matters what changed.
    if (error instanceof DevCliError) return true;
    throw error;
  }
}
