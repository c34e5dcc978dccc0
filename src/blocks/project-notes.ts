// door: seldom

import { renderForeignBlock, toWholeLine } from '../documents/foreign.js';

/** Renders the notes of .dev/preferences.yaml for a prompt (documents.md, Notes of the project). */
export function renderProjectNotes(notes: readonly string[]): string {
  const lines = notes.map((note) => `- ${toWholeLine(note)}`);
  const block = renderForeignBlock(lines.join('\n'), { label: 'what this project asks of all work', holds: true });
  return `## Notes of the project\n\n${block}`;
}
