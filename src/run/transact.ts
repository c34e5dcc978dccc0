// outside: hook

import { DevCliError } from '../base/errors.js';
import { noSuchRunError } from '../base/name.js';
import type { StreamState, TransactionDecision } from '../store/store.js';
import type { WorkTreeStatus } from '../work/baseline.js';
import { readCapturedRecipe } from './captured-recipe.js';
import { copyState } from './codec.js';
import type { Context } from './context.js';
import { findLost } from './documents/lost.js';
import { overlayLostDocuments, restoreDocuments } from './documents/recovery.js';
import { findPending, getErrorLocation, type PendingBlock } from './pending-action.js';
import type { RunState } from './state.js';
import { createOutsideFacts, type OutsideFacts } from './surroundings.js';
import { closeTransaction, openTransaction, recordEntry, type Transaction } from './transaction.js';

/**
 * The body of a transaction. Everything that it records is committed. `pending`: the pending action when the
 * transaction begins.
 */
type Body<A> = (tx: Transaction, pending: PendingBlock | null) => A;

/** The outcome of one attempt at the transaction. */
type TransactionResult<A> =
  | { kind: 'answered'; answer: A }
  /** Restored documents were committed; the transaction itself runs in the next attempt. */
  | { kind: 'mended' };

/**
 * Carries out a transaction on a run: opens the run, calls `body` and commits what it recorded, or writes nothing if it
 * recorded nothing. Whatever is restored on opening, such as lost documents, is committed separately first, since
 * `body` may refuse.
 * @param known the status of the work tree, if the caller has read it and nothing has run since; null without a
 * repository
 * @throws DevCliError `NO_SUCH_RUN`; any error of `body` and the store
 */
export async function transact<A>(
  context: Context,
  name: string,
  body: Body<A>,
  known?: WorkTreeStatus | null,
): Promise<A> {
  for (let isMended = false; ; isMended = true) {
    const done = await context.store.transact<TransactionResult<A>>(name, (head, neighbours) =>
      decideAttempt(context, name, head, {
        surroundings: createOutsideFacts(context, neighbours, known),
        isMended,
        body,
      }),
    );
    if (done.kind === 'answered') return done.answer;
  }
}

/** Makes the decision of one attempt. `isMended`: lost documents have already been restored. */
function decideAttempt<A>(
  context: Context,
  name: string,
  head: StreamState<RunState>,
  { surroundings, isMended, body }: { surroundings: OutsideFacts; isMended: boolean; body: Body<A> },
): TransactionDecision<RunState, TransactionResult<A>> {
  const { snapshot, files } = head;
  if (snapshot === null) throw noSuchRunError(name);
  const lost = isMended ? null : findLost(head, snapshot);
  const captured = readCapturedRecipe(lost === null ? head : { ...head, files: overlayLostDocuments(files, lost) });
  const tx = openTransaction(context, head, copyState(snapshot), captured, surroundings);
  const restored = lost === null ? [] : restoreDocuments(tx, lost, head);
  const notices = [...head.notices, ...restored];
  if (notices.length > 0) noteRecovery(tx, notices);
  if (notices.length > 0 && !isMended) return closeTransaction<TransactionResult<A>>(tx, head, { kind: 'mended' });
  if (head.stale.length > 0 && !isMended) return { answer: { kind: 'mended' }, renderings: tx.files.changes() };
  return closeTransaction<TransactionResult<A>>(tx, head, { kind: 'answered', answer: runBody(tx, body) });
}

/** Calls `body` and adds the run and its pending action to a refusal (protocol.md, Errors). */
function runBody<A>(tx: Transaction, body: Body<A>): A {
  try {
    return body(tx, findPending(tx));
  } catch (error) {
    throw error instanceof DevCliError ? error.inRun(getErrorLocation(tx)) : error;
  }
}

/** Records what was restored, so that the next acknowledgement, `status` and `manifest` report it. */
function noteRecovery(tx: Transaction, notices: string[]): void {
  recordEntry(tx, 'recovered', { notices });
  tx.state.recovered.push(...notices);
}
