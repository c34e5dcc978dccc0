import type { Context } from '../run/context.js';
import { mayLackDocuments } from '../run/documents/lost.js';
import { findLostContents, restoreDocuments } from '../run/documents/recovery.js';
import { PLAN, PLAN_CONTENT } from '../run/paths.js';
import type { RunState } from '../run/state.js';
import { transact } from '../run/transact.js';
import { recordEntry } from '../run/transaction.js';
import type { StreamState } from '../store/store.js';

/**
 * Finishes the commit that a crash interrupted, restores lost documents, and records both (storage.md, Recovery).
 * @throws any error of the store
 */
export async function finishInterruptedCommit(context: Context, name: string): Promise<void> {
  await transact(context, name, () => null);
}

/**
 * Reads a run and restores its lost documents, for callers that do not open a transaction themselves.
 * @throws any error of the store
 */
export async function readRestored(context: Context, name: string): Promise<StreamState<RunState>> {
  const head = await context.store.read(name);
  if (head.snapshot === null || !mayLackDocuments(head, head.snapshot)) return head;
  await finishInterruptedCommit(context, name);
  return context.store.read(name);
}

/**
 * Restores the plan of an ended run, so that it can be executed. Other lost documents of an ended run stay lost.
 * @returns notices for the answer; empty if nothing was restored
 * @throws any error of the store
 */
export async function restorePlan(context: Context, name: string): Promise<string[]> {
  if ((await context.store.read(name)).snapshot === null) return [];
  await finishInterruptedCommit(context, name);
  const head = await context.store.read(name);
  if (head.snapshot === null) return [];
  const lost = findLostContents(head, head.snapshot, [PLAN, PLAN_CONTENT]);
  return transact(context, name, (tx) => {
    const notices = restoreDocuments(tx, lost, { rebooted: false, stale: [] });
    if (notices.length > 0) recordEntry(tx, 'recovered', { notices });
    // Opening the transaction has already restored documents that the run needs, with notices of their own.
    return [...new Set([...tx.state.recovered, ...notices])];
  });
}
