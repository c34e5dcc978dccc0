import type { Context } from '../run/context.js';
import { findLostDocuments, readCommittedContents, restoreDocuments } from '../run/lost-documents.js';
import { PLAN, PLAN_CONTENT } from '../run/paths.js';
import type { RunState } from '../run/state.js';
import { transact } from '../run/transact.js';
import { recordEntry } from '../run/transaction.js';
import type { StreamState } from '../store/store.js';

/** Finishes what a crash left of a run, and records what had to be mended. */
export async function finishInterruptedCommit(context: Context, name: string): Promise<void> {
  await transact(context, name, () => null);
}

/**
 * The run of that name, with its vanished documents put back; for callers that open no transaction of their own.
 * @throws what the store throws
 */
export async function readRestored(context: Context, name: string): Promise<StreamState<RunState>> {
  const head = await context.store.read(name);
  if (head.snapshot === null || findLostDocuments(head.files, head.snapshot).length === 0) return head;
  await finishInterruptedCommit(context, name);
  return context.store.read(name);
}

/**
 * Puts back the plan of a run that has ended: nothing of such a run comes back by itself, and now it is to be executed.
 * @returns what is to be told of it; empty when there was nothing to put back
 * @throws what the store throws
 */
export async function restorePlan(context: Context, name: string): Promise<string[]> {
  const { snapshot } = await context.store.read(name);
  const paths = snapshot === null ? [] : [PLAN, PLAN_CONTENT];
  const contents = await readCommittedContents(context.store, name, paths);
  if (contents.size === 0) return [];
  return transact(context, name, (tx) => {
    const notices = restoreDocuments(tx, contents);
    if (notices.length > 0) recordEntry(tx, 'recovered', { notices });
    // Some of it may have come back before this transaction began.
    return [...new Set([...tx.state.recovered, ...notices])];
  });
}
