import { getSize } from '../../run/facts.js';
import type { Transaction } from '../../run/transaction.js';
import { evaluateConditionInRun } from './condition.js';

/**
 * Matches a comparison of the work's size with a word, such as `size == "small"`, alone or followed by `|| …`. Recipes
 * have such a condition at nearly every block.
 */
const SIZE = /^\s*size\s*(==|!=)\s*(?:"([a-z]*)"|'([a-z]*)')\s*(\|\|[^?]*)?$/;

/**
 * Whether a condition of the recipe holds, as in `evaluateConditionInRun`. A condition on the size alone is decided
 * without the library that evaluates conditions, which would otherwise be loaded at every acknowledgement.
 */
export function isConditionMet(tx: Transaction, condition: string, ...rest: Rest): boolean {
  const comparison = SIZE.exec(condition);
  if (comparison === null) return evaluateConditionInRun(tx, condition, ...rest);
  const isSame = getSize(tx.state).value === (comparison[2] ?? comparison[3]);
  const isTrue = comparison[1] === '==' ? isSame : !isSame;
  return isTrue || comparison[4] === undefined ? isTrue : evaluateConditionInRun(tx, condition, ...rest);
}

type Rest = Parameters<typeof evaluateConditionInRun> extends [unknown, unknown, ...infer R] ? R : never;
