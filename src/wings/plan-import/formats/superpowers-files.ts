import type { Block } from '../../../plan/markdown/parse.js';
import { FILES_LABEL, readFileEntry, readFileRow } from '../find-files.js';
import type { ImportNotes } from '../notes.js';
import { getPlace, type SourceDocument, type SourceItem } from '../read-source.js';
import type { SourceTask } from '../source-plan.js';

/** The files of a task of a superpowers plan, in a list, a table or a block (plans-from-elsewhere.md, What becomes of what). */

/** A line that says what the list below it holds; files may stand behind it, too. */
export function readLabel(line: string): { label: 'files' | 'interfaces'; rest: string } | null {
  const [files] = FILES_LABEL.exec(line) ?? [];
  if (files !== undefined) return { label: 'files', rest: line.slice(files.length).trim() };
  return /^interfaces\s*:$/i.test(line) ? { label: 'interfaces', rest: '' } : null;
}

/** Takes up entries of a list of files. */
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

/** A table of files, or a block with a path in each line; what is no path in a block is code like any other. */
export function addRows(
  task: SourceTask,
  block: Block,
  { document, notes }: { document: SourceDocument; notes: ImportNotes },
): void {
  const place = getPlace(block, document);
  const isTable = block.type === 'table';
  for (const [index, line] of document.text
    .split('\n')
    .slice(place.line - 1, place.end)
    .entries()) {
    const at = { ...place, line: place.line + index, end: place.line + index };
    const cells = line.split(isTable ? '|' : /\s+(?=#|\/\/|\()/).filter((cell) => cell.trim() !== '');
    const { files, references } = readFileRow(cells, at, notes);
    // The lines of a table that frame it say nothing.
    if (isTable ? index > 1 : files.length > 0) task.references.push(...references);
    task.files.push(...files);
    if (isTable || files.length > 0) notes.settle(at);
  }
}
