import { DevCliError } from '../base/errors.js';
import { noSuchRunError } from '../base/no-such-run.js';
import type { Decision, StreamState } from '../store/store.js';
import type { WorkTreeStatus } from '../work/baseline.js';
import { readCapturedRecipe } from './captured-recipe.js';
import { copyState } from './codec.js';
import type { Context } from './context.js';
import { findLost } from './lost-documents.js';
import { findPending, type PendingBlock, whereIn } from './pending-action.js';
import { overlayLost, restoreDocuments } from './recovery.js';
import type { RunState } from './state.js';
import {
  closeTransaction,
  NOTHING_KNOWN,
  openTransaction,
  recordEntry,
  type Surroundings,
  type Transaction,
  UnknownError,
} from './transaction.js';

/** The work of a transaction; what it records is committed. `pending`: the pending action when the transaction begins. */
type Body<A> = (tx: Transaction, pending: PendingBlock | null) => A;

/** The outcome of one attempt at the transaction. */
type TransactionResult<A> =
  | { kind: 'answered'; answer: A }
  /** What was restored is committed; the transaction itself comes next. */
  | { kind: 'mended' };

/**
 * Carries out a transaction on a run: opens it, lets `body` work, commits what it recorded. One that recorded nothing writes
 * nothing. What opening the run restored, such as lost documents, is committed on its own first, since `body` may refuse.
 * @throws DevCliError `NO_SUCH_RUN`; what `body` and the store throw
 */
export async function transact<A>(
  context: Context,
  name: string,
  body: Body<A>,
  known: Partial<Surroundings> = {},
): Promise<A> {
  const work = async (surroundings: Surroundings) => {
    for (let isMended = false; ; isMended = true) {
      const decide = (head: StreamState<RunState>) =>
        decideAttempt(context, name, head, { surroundings, isMended, body });
      const done = await context.store.transact<TransactionResult<A>>(name, decide);
      if (done.kind === 'answered') return done.answer;
    }
  };
  return withSurroundings(context, work, known);
}

/** Makes the decision of one attempt. `isMended`: what was lost is restored already. */
function decideAttempt<A>(
  context: Context,
  name: string,
  head: StreamState<RunState>,
  { surroundings, isMended, body }: { surroundings: Surroundings; isMended: boolean; body: Body<A> },
): Decision<RunState, TransactionResult<A>> {
  const { snapshot, files } = head;
  if (snapshot === null) throw noSuchRunError(name);
  const lost = isMended ? null : findLost(head, snapshot);
  const captured = readCapturedRecipe(lost === null ? head : { ...head, files: overlayLost(files, lost) });
  const tx = openTransaction(context, head, copyState(snapshot), captured, surroundings);
  const restored = lost === null ? [] : restoreDocuments(tx, lost, head);
  const notices = [...head.notices, ...restored];
  if (notices.length > 0) noteRecovery(tx, notices);
  if (notices.length > 0 && !isMended) return closeTransaction<TransactionResult<A>>(tx, head, { kind: 'mended' });
  if (head.stale.length > 0 && !isMended) return { answer: { kind: 'mended' }, renderings: tx.files.changes() };
  return closeTransaction<TransactionResult<A>>(tx, head, { kind: 'answered', answer: runBody(tx, body) });
}

/** Runs `body`; a refusal then names the run and its pending action (protocol.md, Errors). */
function runBody<A>(tx: Transaction, body: Body<A>): A {
  try {
    return body(tx, findPending(tx));
  } catch (error) {
    throw error instanceof DevCliError ? error.inRun(whereIn(tx)) : error;
  }
}

/** Records what was restored, for the next acknowledgement, `status` and `manifest` to report. */
function noteRecovery(tx: Transaction, notices: string[]): void {
  recordEntry(tx, 'recovered', { notices });
  tx.state.recovered.push(...notices);
}

/**
 * Does `work`, and repeats it from its beginning each time that it asks for something not known yet: a decision is synchronous
 * and cannot wait.
 * @param known what the caller has found out already
 */
export async function withSurroundings<A>(
  context: Context,
  work: (surroundings: Surroundings) => Promise<A>,
  known: Partial<Surroundings> = {},
): Promise<A> {
  const surroundings: Surroundings = { ...NOTHING_KNOWN, ...known };
  try {
    return await work(surroundings);
  } catch (error) {
    if (!(error instanceof UnknownError)) throw error;
    const { what, workTree, run } = error;
    switch (what) {
      case 'tree': {
        const tree = await readTree(workTree, context.signal);
        return withSurroundings(context, work, { ...surroundings, tree: () => tree });
      }
      case 'others': {
        const { EXECUTION_LOCK, listOtherExecutions } = await import('./other-executions.js');
        // Held until the commit: of two executions that begin at once, one has to see the other.
        return context.store.alone(EXECUTION_LOCK, async () => {
          const others = await listOtherExecutions(context, run, workTree);
          return withSurroundings(context, work, { ...surroundings, others: () => others });
        });
      }
    }
  }
}

/** A repository that git can no longer read counts as none: changes in it go unnoticed, and the report says so. */
async function readTree(workTree: string, signal: AbortSignal): Promise<WorkTreeStatus | null> {
  try {
    const { readPresent } = await import('../work/git.js');
    return await readPresent(workTree, { signal });
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return null;
    throw error;
  }
}
