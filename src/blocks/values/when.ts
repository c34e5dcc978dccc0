import { getSize } from '../../run/facts.js';
import type { Transaction } from '../../run/transaction.js';
import { holds } from './condition.js';

/** A comparison of the size of the work with a word, alone or as the first of alternatives: what recipes ask at nearly every block. */
const SIZE = /^\s*size\s*(==|!=)\s*(?:"([a-z]*)"|'([a-z]*)')\s*(\|\|[^?]*)?$/;

/**
 * Whether a condition of the recipe holds, as `holds` says; one about the size alone is decided without the library that
 * evaluates conditions, which would cost every acknowledgement its loading.
 */
export function isMet(tx: Transaction, condition: string, ...rest: Rest): boolean {
  const comparison = SIZE.exec(condition);
  if (comparison === null) return holds(tx, condition, ...rest);
  const isSame = getSize(tx.state).value === (comparison[2] ?? comparison[3]);
  const isTrue = comparison[1] === '==' ? isSame : !isSame;
  return isTrue || comparison[4] === undefined ? isTrue : holds(tx, condition, ...rest);
}

type Rest = Parameters<typeof holds> extends [unknown, unknown, ...infer R] ? R : never;
