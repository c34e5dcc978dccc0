import type { Calls, Defect } from './calls.js';

// The planted failures: each bends the calls of an unchanged binary, so that they arrive in the order, or with the gaps, of
// a store that was built wrong.

const isJournal = (path: string): boolean => path.endsWith('/events.jsonl');
const isState = (path: string): boolean => path.endsWith('/state.json');

/** A document of a run: what a commit puts in place, the snapshot apart. */
function isDocument(path: string): boolean {
  const inRun = /\/\.dev\/specs\/[^/]+\/(.+)$/.exec(path)?.[1];
  return inRun !== undefined && !/^(objects\/|lock|events\.jsonl|state\.json)/.test(inRun);
}

/**
 * Plants a defect over the counted calls.
 * @param table node:fs as the binary sees it
 * @param real node's own functions, for what shall not be counted
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

/** A document is written where it stands instead of being renamed into its place. */
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

/** The entries are held back until the first such file has been put in place; the snapshot never comes before them otherwise. */
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
