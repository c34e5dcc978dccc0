import type { RunState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import { advance, advanceEngine, walk } from './advance.js';

type Kept = NonNullable<RunState['held']>['kept'];

/**
 * Continues a released run that waits for nothing: begins what the hold kept back, or lets the execution continue
 * (control.md, Holding). The caller has already removed the hold.
 */
export function continueAfterHold(tx: Transaction, kept: Kept): void {
  if (kept === undefined) advanceEngine(tx, [{ type: 'RELEASE' }]);
  else beginKept(tx, kept);
}

/** Does the same in a fork, whose execution begins again everything that is not done. */
export function continueInFork(tx: Transaction, kept: Kept, block: string): void {
  if (kept === undefined) advance(tx, { type: 'INVALIDATE', block });
  else beginKept(tx, kept);
}

function beginKept(tx: Transaction, { because, earlier, ...kept }: NonNullable<Kept>): void {
  tx.because.push(...because);
  // The earlier action says what was handed to the agents that delivered before the retry (protocol.md §3).
  if (earlier !== undefined) tx.state.pendingAction = earlier;
  const effect = kept as Parameters<typeof walk>[1]['effects'][number];
  walk(tx, { position: tx.state.machine, effects: [effect] });
}
