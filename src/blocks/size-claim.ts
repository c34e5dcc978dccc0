// door: plan

import { defined } from '../base/defined.js';
import { type SizeClaim, takeClaim } from '../documents/size-claim.js';
import { findNextSize, type Size } from '../documents/size-rules.js';
import { findClassifier } from '../recipe/own-commands.js';
import { getSize } from '../run/facts.js';
import { recordEntry, type Transaction } from '../run/transaction.js';

/**
 * Takes what a block with `schema: size` hands in (recipes.md, Size). Where another size counts than the one it claims, the
 * answer says which and why.
 */
export function takeSizeClaim(tx: Transaction, block: string, claim: SizeClaim): void {
  const facts = takeClaim(tx.state.size ?? {}, claim);
  tx.state.size = facts;
  const { value: size, by } = getSize(tx.state);
  const { why } = facts;
  const claimed = size === claim.size ? undefined : claim.size;
  recordEntry(tx, 'sized', { size, by, block, ...defined({ claimed, why }) });
  if (claimed === undefined) return;
  const reason = by === 'user' ? 'as the user says' : why;
  tx.ran.push({ block, ok: true, summary: `size ${size}, not ${claimed}: ${reason}` });
}

/**
 * Takes the user's word for the size from now on.
 * @param at.block where it was said, or what is redone because of it; the answer names it
 */
export function saySize(tx: Transaction, size: Size, { block, redone = '' }: { block: string; redone?: string }): void {
  tx.state.size = { ...tx.state.size, said: size };
  recordEntry(tx, 'sized', { size, by: 'user' });
  tx.ran.push({ block, ok: true, summary: `size ${size}, as the user says${redone}` });
}

/** A choice of the block makes the work one size larger, as the word of whoever chose. */
export function growByChoice(tx: Transaction, block: string): void {
  const size = findNextSize(getSize(tx.state).value);
  if (size !== null) saySize(tx, size, { block });
}

/** Forgets what the block that classifies has claimed, because it is done again. */
export function dropSizeClaim(tx: Transaction, block: string): void {
  const { size } = tx.state;
  if (size !== undefined && findClassifier(tx.captured.recipe) === block)
    tx.state.size = defined({ said: size.said, most: size.most });
}
