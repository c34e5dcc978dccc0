import type { RunState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import { advance, advanceEngine, walk } from './advance.js';

type Kept = NonNullable<RunState['held']>['kept'];

/**
 * Goes on where a hold has stopped a run that waits for nothing: begins what was kept, or lets the execution move again
 * (control.md, Holding). The hold is gone by now.
 */
export function goOnAfterHold(tx: Transaction, kept: Kept): void {
  if (kept === undefined) advanceEngine(tx, [{ type: 'RELEASE' }]);
  else beginKept(tx, kept);
}

/** The same in a fork, whose execution begins anew all that is not done. */
export function goOnInFork(tx: Transaction, kept: Kept, block: string): void {
  if (kept === undefined) advance(tx, { type: 'INVALIDATE', block });
  else beginKept(tx, kept);
}

function beginKept(tx: Transaction, { because, earlier, ...kept }: NonNullable<Kept>): void {
  tx.because.push(...because);
  // What the agents that delivered before the retry were given (protocol.md §3).
  if (earlier !== undefined) tx.state.pendingAction = earlier;
  const effect = kept as Parameters<typeof walk>[1]['effects'][number];
  walk(tx, { position: tx.state.machine, effects: [effect] });
}
