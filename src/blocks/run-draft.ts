// door: seldom

import { DevCliError } from '../base/errors.js';
import { createDraft, readDraft } from '../documents/draft.js';
import { renderGoal } from '../documents/draft-edit.js';
import { toWholeLine } from '../documents/foreign.js';
import type { Transaction } from '../run/transaction.js';
import { storeInDraft } from './commands/draft.js';
import { createCommandContext } from './own-command.js';

/**
 * If a choice leads back, adds its note to the decisions in the draft (recipes.md, Gates). Only the repeated action is
 * given the note itself; agents that judge or revise the result later read it in the draft.
 * @param by who chose
 */
export function addNoteToDraft(tx: Transaction, { gate, note, by }: { gate: string; note: string; by: string }): void {
  if (tx.files.text('DRAFT.md') === null) return;
  const said = `- At ${gate}: ${toWholeLine(note)}${by === 'human' ? ' (user)' : ''}`;
  try {
    storeInDraft(createCommandContext(tx), { decisions: said }, true);
  } catch (error) {
    // A person's answer counts even if it cannot be added to an unreadable draft, so this is only a warning.
    if (!(error instanceof DevCliError)) throw error;
    tx.warnings.push(`What was said at "${gate}" could not be added to DRAFT.md: ${error.message}`);
  }
}

const DRAFT = 'DRAFT.md';

/** Begins a draft, unless there is one, and stores the goal as its purpose. */
export function beginDraft(tx: Transaction): void {
  if (tx.files.text(DRAFT) === null) tx.files.write(DRAFT, createDraft(tx.state.name));
  if (tx.state.goal !== null) storePurpose(tx, tx.state.goal);
}

/** Stores the goal as the purpose, unless an adopted draft already has one. */
function storePurpose(tx: Transaction, goal: string): void {
  const draft = tx.files.text(DRAFT);
  if (draft !== null && !readDraft(draft).purpose.filled)
    storeInDraft(createCommandContext(tx), { purpose: renderGoal(goal) });
}
