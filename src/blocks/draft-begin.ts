import { createDraft, readDraft } from '../documents/draft.js';
import { renderGoal } from '../documents/draft-edit.js';
import type { Transaction } from '../run/transaction.js';
import { storeInDraft } from './commands/draft.js';
import { createCommandContext } from './own-command.js';

const DRAFT = 'DRAFT.md';

/** An empty draft with the goal as its purpose, unless there is one. */
export function beginDraft(tx: Transaction): void {
  if (tx.files.text(DRAFT) === null) tx.files.write(DRAFT, createDraft(tx.state.name));
  if (tx.state.goal !== null) storePurpose(tx, tx.state.goal);
}

/** The goal, unless an adopted draft says already what it is for. */
function storePurpose(tx: Transaction, goal: string): void {
  const draft = tx.files.text(DRAFT);
  if (draft !== null && !readDraft(draft).purpose.filled)
    storeInDraft(createCommandContext(tx), { purpose: renderGoal(goal) });
}
