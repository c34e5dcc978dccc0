import { renderForeignBlock, toWholeLine } from '../../../documents/foreign.js';
import { isSectionHeading, readMarkdownLines } from '../../../documents/markdown-lines.js';
import { checkReport } from '../../../documents/report.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import { listRecipeStates } from '../../../run/facts.js';
import type { RunState } from '../../../run/state.js';
import type { Transaction } from '../../../run/transaction.js';
import { requireEngine } from '../plan/plan.js';
import { renderPromptSection } from './parts.js';

/** The plan reviewer's notes, the only part of the review that workers read (engine.md, Rulings). */

const NOTES = /^ {0,3}##[ \t]+notes\b/i;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+/;
/** A note that says that there is nothing to note. */
const NOTHING = /^\W*(?:none|nothing|no notes|n\/a)?\W*$/i;

/**
 * Reads the notes of the plan's last review, one line each; empty if that review rejected the plan or its file is
 * missing.
 * @param planned the state of the run that made the plan
 * @returns null if nobody has reviewed the plan
 */
export function readReviewNotes(tx: Transaction, planned: RunState): string[] | null {
  const last = listRecipeStates(planned)
    .flatMap(({ reviews }) => reviews)
    .at(-1);
  if (last === undefined) return null;
  const text = last.verdict === 'OKAY' && last.output !== null ? tx.files.text(last.output) : null;
  const review = text === null ? null : checkReport(text);
  return review?.ok === true ? listNotes(review.body) : [];
}

/** Lists the items of the section "Notes" of a review. A line that begins no item belongs to the item before it. */
export function listNotes(body: string): string[] {
  const items: string[] = [];
  let inside = false;
  for (const { text, fenced } of readMarkdownLines(body)) {
    if (!fenced && isSectionHeading(text)) inside = NOTES.test(text);
    else if (inside && (ITEM.test(text) || items.length === 0)) items.push(text.replace(ITEM, ''));
    else if (inside) items.push(`${items.pop() ?? ''} ${text}`);
  }
  return items.map((item) => toWholeLine(item)).filter((item) => !NOTHING.test(item));
}

/** Renders the notes that concern a todo: those that name it, and those that name no todo. */
export function renderReviewNotes(tx: Transaction, { id }: Pick<PlanTodo, 'id'>): string {
  const { planNotes = [], order } = requireEngine(tx);
  const shown = planNotes.filter((note) => {
    const named = order.filter((other) => namesTodo(note, other));
    return named.length === 0 || named.includes(id);
  });
  if (shown.length === 0) return '';
  return renderPromptSection('Noted when the plan was reviewed', [
    renderForeignBlock(shown.join('\n'), { label: 'notes of the reviewer' }),
  ]);
}

/** Returns whether a note names a todo; `todo-10` does not name `todo-1`. */
export function namesTodo(note: string, id: string): boolean {
  return note.split(id).some((after, index, parts) => {
    const before = parts[index - 1];
    return before !== undefined && !/[\w-]$/.test(before) && !/^[\w-]/.test(after);
  });
}
