import type { RunState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import { advance, advanceEngine, walk } from './advance.js';

type Kept = NonNullable<RunState['held']>['kept'];

/**
 * Continues a released run that has no pending action: carries out the effect that the hold kept back, or lets the
 * execution continue (control.md, Holding). The caller has already removed the hold.
 */
export function continueAfterHold(tx: Transaction, kept: Kept): void {
  if (kept === undefined) advanceEngine(tx, [{ type: 'RELEASE' }]);
  else beginKept(tx, kept);
}

/**
 * Continues a fork of a held run as `continueAfterHold` does, except that its execution redoes every todo that is not
 * done.
 */
export function continueInFork(tx: Transaction, kept: Kept, block: string): void {
  if (kept === undefined) advance(tx, { type: 'INVALIDATE', block });
  else beginKept(tx, kept);
}

function beginKept(tx: Transaction, { because, earlier, ...kept }: NonNullable<Kept>): void {
  tx.because.push(...because);
  // A retry starts only the agents that have not delivered. What the others were given to read is recorded only in the
  // action before the retry (protocol.md §3).
  if (earlier !== undefined) tx.state.pendingAction = earlier;
  const effect = kept as Parameters<typeof walk>[1]['effects'][number];
  walk(tx, { position: tx.state.machine, effects: [effect] });
}
