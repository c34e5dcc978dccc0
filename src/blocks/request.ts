import { renderForeignBlock, toWholeLine } from '../documents/foreign.js';
import { PLAN } from '../run/paths.js';
import type { Transaction } from '../run/transaction.js';

/** The request, and the notes of the project, in prompt files (protocol.md, Prompt files). */

/** Renders the request, fenced as data. */
export function renderRequest(tx: Transaction): string {
  if (tx.state.goal === null) return '## The request\n\nNone was given.';
  return `## The request\n\n${renderForeignBlock(tx.state.goal, { label: 'the request, as the user gave it' })}`;
}

/** Documents that may hold the request, word for word. */
const HOLDERS = ['DRAFT.md', PLAN];

/**
 * Finds, among the documents given to a reader, the one that contains the request, so that the prompt need not repeat
 * it.
 */
export function findRequestDocument({ state, files }: Transaction, papers: readonly string[]): string | undefined {
  const { goal } = state;
  if (goal === null) return undefined;
  const flat = (text: string) => text.replace(/\s+/g, ' ').trim();
  return HOLDERS.find((path) => papers.includes(path) && flat(files.text(path) ?? '').includes(flat(goal)));
}

/** Renders the project's notes for all work; empty where it has none. */
export function renderNotes({ state: { notes = [] } }: Pick<Transaction, 'state'>): string {
  return notes.length === 0 ? '' : renderProjectNotes(notes);
}

/** Renders the notes of .dev/preferences.yaml for a prompt (documents.md, Notes of the project). */
function renderProjectNotes(notes: readonly string[]): string {
  const lines = notes.map((note) => `- ${toWholeLine(note)}`);
  const block = renderForeignBlock(lines.join('\n'), { label: 'what this project requires of all work', holds: true });
  return `## Notes of the project\n\n${block}`;
}
