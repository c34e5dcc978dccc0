// door: seldom

import type { Transaction } from './transaction.js';

/**
 * Warnings about how a block ended. A run keeps them to its end, unless the block is done again (recipes.md, Failure).
 */

/**
 * Records a warning about how a block ended, in the run and in this call's answer.
 * @param said the text for the answer, if it says more than `line`
 */
export function warnOfOutcome(tx: Transaction, block: string, line: string, said: string = line): void {
  const { steps } = tx.state;
  const step = steps[block] ?? { status: 'pending', at: null };
  steps[block] = { ...step, warned: [...(step.warned ?? []), line] };
  tx.state.warnings.push(line);
  tx.warnings.push(said);
}

/** Removes the warnings about a block that will be done again. */
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
