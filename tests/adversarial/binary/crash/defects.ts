import type { Calls, Defect } from './calls.js';

// The planted defects. Each one reorders or omits calls of the unchanged binary, so that it behaves like a store with a
// bug.

const isJournal = (path: string): boolean => path.endsWith('/events.jsonl');
const isState = (path: string): boolean => path.endsWith('/state.json');

/** Whether a path is a document that a commit puts in place; the snapshot does not count. */
function isDocument(path: string): boolean {
  const inRun = /\/\.dev\/specs\/[^/]+\/(.+)$/.exec(path)?.[1];
  return inRun !== undefined && !/^(objects\/|lock|events\.jsonl|state\.json)/.test(inRun);
}

/**
 * Plants a defect on top of the counted calls.
 * @param table node:fs as the binary sees it
 * @param real node's own functions, for calls that are not to be counted
 */
export function plant(defect: Defect, table: Calls, real: Calls): void {
  switch (defect) {
    case 'no-directory-sync':
      withoutDirectorySync(table, real);
      return;
    case 'no-journal-sync':
      withoutJournalSync(table);
      return;
    case 'in-place':
      inPlace(table, real);
      return;
    case 'journal-last':
      journalAfter(table, isState);
      return;
    case 'effect-first':
      journalAfter(table, isDocument);
      return;
  }
}

function withoutDirectorySync(table: Calls, real: Calls): void {
  const { fsyncSync } = table;
  table['fsyncSync'] = (descriptor) => {
    const stats = real['fstatSync']?.(descriptor) as { isDirectory(): boolean };
    return stats.isDirectory() ? undefined : fsyncSync?.(descriptor);
  };
}

function withoutJournalSync(table: Calls): void {
  const { openSync, fsyncSync } = table;
  const journals = new Set<unknown>();
  table['openSync'] = (path, flags, mode) => {
    const descriptor = openSync?.(path, flags, mode);
    if (isJournal(String(path))) journals.add(descriptor);
    else journals.delete(descriptor);
    return descriptor;
  };
  table['fsyncSync'] = (descriptor) => (journals.has(descriptor) ? undefined : fsyncSync?.(descriptor));
}

/** Writes a document in place instead of renaming a finished file to its path. */
function inPlace(table: Calls, real: Calls): void {
  const { renameSync } = table;
  table['renameSync'] = (from, to) => {
    if (!isDocument(String(to))) return renameSync?.(from, to);
    const content = real['readFileSync']?.(from);
    const descriptor = table['openSync']?.(to, 'w');
    table['writeSync']?.(descriptor, content);
    table['fsyncSync']?.(descriptor);
    real['closeSync']?.(descriptor);
    return table['unlinkSync']?.(from);
  };
}

/**
 * Holds back the journal's entries. Appends them only when a file that matches `first` has been put in place, or else
 * just before the snapshot is.
 */
function journalAfter(table: Calls, first: (path: string) => boolean): void {
  const { openSync, writeSync, fsyncSync, renameSync } = table;
  const journals = new Map<unknown, string>();
  let held: { path: string; content: unknown } | null = null;
  const append = (): void => {
    if (held === null) return;
    const { path, content } = held;
    held = null;
    const descriptor = openSync?.(path, 'a');
    writeSync?.(descriptor, content);
    fsyncSync?.(descriptor);
  };
  table['openSync'] = (path, flags, mode) => {
    const descriptor = openSync?.(path, flags, mode);
    if (isJournal(String(path))) journals.set(descriptor, String(path));
    else journals.delete(descriptor);
    return descriptor;
  };
  table['writeSync'] = (descriptor, content, ...rest) => {
    const path = journals.get(descriptor);
    if (path === undefined) return writeSync?.(descriptor, content, ...rest);
    held = { path, content };
    return (content as Buffer).length;
  };
  table['fsyncSync'] = (descriptor) => (journals.has(descriptor) ? undefined : fsyncSync?.(descriptor));
  table['renameSync'] = (from, to) => {
    if (isState(String(to)) && !first(String(to))) append();
    const result = renameSync?.(from, to);
    if (first(String(to))) append();
    return result;
  };
}
