// door: seldom

import type { Transaction } from './transaction.js';

/** Warnings about how a block ended, which a run keeps to its end; they count for as long as that outcome (recipes.md, Failure). */

/**
 * Warns of how a block ended, for good.
 * @param said the same for the caller, where that is more
 */
export function warnOfOutcome(tx: Transaction, block: string, line: string, said: string = line): void {
  const { steps } = tx.state;
  const step = steps[block] ?? { status: 'pending', at: null };
  steps[block] = { ...step, warned: [...(step.warned ?? []), line] };
  tx.state.warnings.push(line);
  tx.warnings.push(said);
}

/** Forgets the warnings about a block that is to be done again. */
export function forgetOutcomeWarnings({ state }: Transaction, block: string): void {
  const { steps } = state;
  const { warned = [], ...step } = steps[block] ?? { status: 'pending', at: null };
  if (warned.length === 0) return;
  steps[block] = step;
  for (const line of warned) {
    const at = state.warnings.lastIndexOf(line);
    if (at >= 0) state.warnings.splice(at, 1);
  }
}
