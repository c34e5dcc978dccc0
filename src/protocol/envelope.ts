import type { AckResult } from '../blocks/acknowledgement.js';
import { listChangedSources } from '../recipe/load/captured.js';
import type { Context } from '../run/context.js';
import { getShownAction } from '../run/pending-action.js';
import type { Transaction } from '../run/transaction.js';
import type { CallResult } from '../views/action-text.js';

/** Creates the result of a call from what its transaction has recorded so far. */
export function startResult(tx: Transaction): CallResult {
  return {
    name: tx.state.name,
    ran: [...tx.ran],
    warnings: [...tx.warnings],
    next: getShownAction(tx.state),
  };
}

/** Adds the outcome of an acknowledgement to a call's result. */
export function addAckResult(answer: CallResult, result: Exclude<AckResult, { kind: 'refused' }>): CallResult {
  switch (result.kind) {
    case 'completed':
      return { ...answer, completed: result.block };
    case 'failed':
    case 'checking':
      return { ...answer, completed: null };
    case 'round':
      return { ...answer, completed: null, round: result.round };
    case 'collected':
      return { ...answer, collected: result.collected };
    case 'duplicate':
      return { ...answer, duplicate: true };
  }
}

/** Merges the results of two commits of one call: the later result's members win, lists are joined. */
export function mergeResults(earlier: CallResult, later: CallResult | null): CallResult {
  if (later === null) return earlier;
  return {
    ...earlier,
    ...later,
    ran: [...earlier.ran, ...later.ran],
    warnings: [...new Set([...earlier.warnings, ...later.warnings])],
  };
}

/** Lists warnings about recipe files that changed since the run captured them (recipes.md §5). */
export function listSourceWarnings({ reader, root }: Context, { captured }: Transaction): string[] {
  const paths = listChangedSources(captured, reader, root);
  return paths.length === 0 ? [] : [`changed since this run began, which keeps what it captured: ${paths.join(', ')}`];
}
