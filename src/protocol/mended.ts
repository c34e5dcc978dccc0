import type { Context } from '../run/context.js';
import { PLAN, PLAN_CONTENT } from '../run/paths.js';
import type { RunState } from '../run/state.js';
import { record } from '../run/turn.js';
import type { Head } from '../store/store.js';
import { transactTurn } from './turns.js';
import { committedContents, putBack, vanished } from './vanished.js';

/** Finishes what a crash left of a run, and records what had to be mended. */
export async function finishCrash(context: Context, name: string): Promise<void> {
  await transactTurn(context, name, () => null);
}

/**
 * The run of that name, with what had vanished of its documents put back; for who opens no turn of its own on it.
 * @throws what the store throws
 */
export async function readMended(context: Context, name: string): Promise<Head<RunState>> {
  const head = await context.store.read(name);
  if (head.snapshot === null || vanished(head.files, head.snapshot).length === 0) return head;
  await finishCrash(context, name);
  return context.store.read(name);
}

/**
 * Puts back the plan of a run that has ended: nothing of such a run comes back by itself, and now it is to be executed.
 * @returns what is to be told of it; empty when there was nothing to put back
 * @throws what the store throws
 */
export async function planBack(context: Context, name: string): Promise<string[]> {
  const { snapshot } = await context.store.read(name);
  const paths = snapshot === null ? [] : [PLAN, PLAN_CONTENT];
  const contents = await committedContents(context.store, name, paths);
  if (contents.size === 0) return [];
  return transactTurn(context, name, (turn) => {
    const notices = putBack(turn, contents);
    if (notices.length > 0) record(turn, 'recovered', { notices });
    // Some of it may have come back before this turn began.
    return [...new Set([...turn.state.recovered, ...notices])];
  });
}
