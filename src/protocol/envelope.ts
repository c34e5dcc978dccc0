import type { AckResult } from '../blocks/acknowledgement.js';
import { listChangedSources } from '../recipe/captured.js';
import type { Context } from '../run/context.js';
import type { Transaction } from '../run/transaction.js';
import type { CallResult } from '../views/action.js';

/** What a transaction has to report so far. */
export function startResult(tx: Transaction): CallResult {
  return {
    name: tx.state.name,
    ran: [...tx.ran],
    warnings: [...tx.warnings],
    next: tx.state.pendingAction?.action ?? null,
  };
}

/** Adds what an acknowledgement came to. */
export function addAckResult(told: CallResult, result: Exclude<AckResult, { kind: 'refused' }>): CallResult {
  switch (result.kind) {
    case 'completed':
      return { ...told, completed: result.block };
    case 'failed':
      return { ...told, completed: null };
    case 'round':
      return { ...told, completed: null, round: result.round };
    case 'collected':
      return { ...told, collected: result.collected };
    case 'duplicate':
      return { ...told, duplicate: true };
  }
}

/** Joins a later commit of the same call to an earlier one: what only one of them says stands, what happened adds up. */
export function mergeResults(earlier: CallResult, later: CallResult): CallResult {
  return {
    ...earlier,
    ...later,
    ran: [...earlier.ran, ...later.ran],
    warnings: [...new Set([...earlier.warnings, ...later.warnings])],
  };
}

/** Warnings about recipe files that changed since the run captured them (recipes.md §5). */
export function listSourceWarnings({ reader, root }: Context, { captured }: Transaction): string[] {
  const paths = listChangedSources(captured, reader, root);
  return paths.length === 0
    ? []
    : [`changed since this run began, which goes on with what it captured: ${paths.join(', ')}`];
}
