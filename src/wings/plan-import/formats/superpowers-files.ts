import type { MarkdownBlock } from '../../../plan/markdown/parse.js';
import { FILES_LABEL, readFileEntry, readFileRow } from '../find-files.js';
import type { ImportNotes } from '../notes.js';
import { getBlockLocation, type SourceDocument, type SourceItem } from '../read-source.js';
import type { SourceTask } from '../source-plan.js';

/**
 * Reads the files of a task in a superpowers plan, from a list, a table or a block (plans-from-elsewhere.md, What
 * becomes of what).
 */

/** Reads a label, `Files:` or `Interfaces:`, above a list. Files may follow the label on the same line. */
export function readLabel(line: string): { label: 'files' | 'interfaces'; rest: string } | null {
  const [files] = FILES_LABEL.exec(line) ?? [];
  if (files !== undefined) return { label: 'files', rest: line.slice(files.length).trim() };
  return /^interfaces\s*:$/i.test(line) ? { label: 'interfaces', rest: '' } : null;
}

/** Adds the entries of a list of files to a task. */
export function addFiles(
  task: SourceTask,
  entries: readonly Pick<SourceItem, 'text' | 'at'>[],
  notes: ImportNotes,
): void {
  for (const { text, at } of entries) {
    if (text === '') continue;
    const { files, references } = readFileEntry(text, at, notes);
    task.files.push(...files);
    task.references.push(...references);
    notes.settle({ ...at, end: at.line });
  }
}

/**
 * Adds the files listed in a table, or in a block of code with a path on each line; lines without a path are ordinary
 * code.
 */
export function addRows(
  task: SourceTask,
  block: MarkdownBlock,
  { document, notes }: { document: SourceDocument; notes: ImportNotes },
): void {
  const place = getBlockLocation(block, document);
  const isTable = block.type === 'table';
  for (const [index, line] of document.text
    .split('\n')
    .slice(place.line - 1, place.end)
    .entries()) {
    const at = { ...place, line: place.line + index, end: place.line + index };
    const cells = line.split(isTable ? '|' : /\s+(?=#|\/\/|\()/).filter((cell) => cell.trim() !== '');
    const { files, references } = readFileRow(cells, at, notes);
    // The first two lines of a table, its header, name no file.
    if (isTable ? index > 1 : files.length > 0) task.references.push(...references);
    task.files.push(...files);
    if (isTable || files.length > 0) notes.settle(at);
  }
}
