// door: hold

import { omitUndefined } from '../../base/defined.js';
import type { Effect } from '../../machine/events.js';
import { clearPendingAction } from '../../run/held-action.js';
import type { Transaction } from '../../run/transaction.js';

/**
 * While a run is held, stores the effect that would begin something new; `release` then carries it out (control.md,
 * Holding). Re-entering an execution is not put off, because a held engine hands out nothing new anyway.
 * @param isPart whether only a part of an execution is redone
 * @returns false for an effect that is carried out despite the hold
 */
export function keepEffect(tx: Transaction, effect: Effect, isPart: boolean): boolean {
  if (effect.type !== 'issue' && effect.type !== 'execute' && effect.type !== 'engine') return false;
  const { kept: _, ...held } = tx.state.held ?? { at: tx.at, by: tx.by.kind };
  const enters = effect.type === 'engine' && (isPart || effect.cause !== 'enter');
  const earlier = effect.cause === 'retry' ? (tx.state.pendingAction ?? undefined) : undefined;
  tx.state.held = enters
    ? held
    : { ...held, kept: { ...effect, because: [...tx.because], ...omitUndefined({ earlier }) } };
  if (enters) return false;
  tx.because.length = 0;
  tx.state.currentBlock = effect.block;
  clearPendingAction(tx);
  return true;
}
