// door: seldom

import { DevCliError } from '../base/errors.js';
import { toWholeLine } from '../documents/foreign.js';
import type { Transaction } from '../run/transaction.js';
import { storeInDraft } from './commands/draft.js';
import { createCommandContext } from './own-command.js';

/**
 * Keeps what was said with a choice that leads back among the decisions of the draft (recipes.md, Gates). The action that
 * is done again reads the note once; whoever judges or revises its result later reads the draft.
 * @param by who chose
 */
export function keepSaid(tx: Transaction, { gate, note, by }: { gate: string; note: string; by: string }): void {
  if (tx.files.text('DRAFT.md') === null) return;
  const said = `- At ${gate}: ${toWholeLine(note)}${by === 'human' ? ' (user)' : ''}`;
  try {
    storeInDraft(createCommandContext(tx), { decisions: said }, true);
  } catch (error) {
    // A person's answer counts whatever others have made of the draft.
    if (!(error instanceof DevCliError)) throw error;
    tx.warnings.push(`DRAFT.md does not say what was said at "${gate}": ${error.message}`);
  }
}
