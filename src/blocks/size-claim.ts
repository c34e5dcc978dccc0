// door: plan

import { omitUndefined } from '../base/defined.js';
import { addSizeClaim, type SizeClaim } from '../documents/size-claim.js';
import { findNextSize, type Size } from '../documents/size-rules.js';
import { findClassifier } from '../recipe/own-commands.js';
import { getSize } from '../run/facts.js';
import { recordEntry, type Transaction } from '../run/transaction.js';

/**
 * Records the data of a block with `schema: size` (recipes.md, Size). If the size that counts is not the claimed one,
 * the answer says which size counts and why.
 */
export function recordSizeClaim(tx: Transaction, block: string, claim: SizeClaim): void {
  const facts = addSizeClaim(tx.state.size ?? {}, claim);
  tx.state.size = facts;
  const { value: size, by } = getSize(tx.state);
  const { why } = facts;
  const claimed = size === claim.size ? undefined : claim.size;
  recordEntry(tx, 'sized', { size, by, block, ...omitUndefined({ claimed, why }) });
  if (claimed === undefined) return;
  const reason = by === 'user' ? 'as the user says' : why;
  tx.ran.push({ block, ok: true, summary: `size ${size}, not ${claimed}: ${reason}` });
}

/**
 * Sets the size that counts from now on, because the user named it.
 * @param at.block the block at which the size was named, or which is redone because of it; named in the answer
 */
export function setUserSize(
  tx: Transaction,
  size: Size,
  { block, redone = '' }: { block: string; redone?: string },
): void {
  tx.state.size = { ...tx.state.size, said: size };
  recordEntry(tx, 'sized', { size, by: 'user' });
  tx.ran.push({ block, ok: true, summary: `size ${size}, as the user says${redone}` });
}

/** Makes the work one size larger because of a choice of the block; the choice counts as the user's word. */
export function enlargeByChoice(tx: Transaction, block: string): void {
  const size = findNextSize(getSize(tx.state).value);
  if (size !== null) setUserSize(tx, size, { block });
}

/** Drops the size claim of the block that classifies, because the block is done again. */
export function dropSizeClaim(tx: Transaction, block: string): void {
  const { size } = tx.state;
  if (size !== undefined && findClassifier(tx.captured.recipe) === block)
    tx.state.size = omitUndefined({ said: size.said, most: size.most });
}
