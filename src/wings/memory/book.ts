import { isSameJson } from '../../base/json.js';
import type { Book, Entries, EntryKind, Groups } from './book-schema.js';

/** Adds entries to a book and removes them (memory.md, Entries). Pure: a book is never modified in place. */

/** The version of the schema that this dev-cli writes. */
export const BOOK_VERSION = 1;

/** Maximum number of entries per kind in the book; older ones remain in the journal. */
export const MAX_ENTRIES_PER_KIND = 50;

const NO_ENTRIES: Groups = {
  decision: {},
  verification: {},
  relevant: {},
  note: {},
  next: {},
  checkpoint: {},
  handoff: {},
};

/** The kinds of entries, in the order in which they are shown. */
export const ENTRY_KINDS = Object.keys(NO_ENTRIES) as EntryKind[];

export const EMPTY_BOOK: Book = { schemaVersion: BOOK_VERSION, seq: 0, ...NO_ENTRIES };

/** The result of adding an entry. */
export interface AddResult<K extends EntryKind> {
  book: Book;
  /** `none`: nothing was added, because the last entry of the kind says the same. */
  stored: 'added' | 'replaced' | 'none';
  id: string;
  entry: Entries[K];
}

/** An entry with its id. */
export type Identified<K extends EntryKind> = Entries[K] & { readonly id: string };

/** Whether two entries are about the same thing, so that the newer one replaces the older one. */
const REPLACES: { readonly [K in EntryKind]: (one: Entries[K], other: Entries[K]) => boolean } = {
  decision: (one, other) => one.text === other.text,
  verification: (one, other) => one.command === other.command && one.how === other.how && one.cwd === other.cwd,
  relevant: (one, other) => one.path === other.path,
  note: (one, other) => one.kind === other.kind && one.text === other.text,
  next: () => true,
  checkpoint: () => false,
  handoff: () => false,
};

/**
 * Adds an entry as the newest of its kind. Removes entries about the same thing and, beyond `MAX_ENTRIES_PER_KIND`, the
 * oldest.
 * @param seq the number of its journal entry, from which the id is derived
 */
export function addBookEntry<K extends EntryKind>(book: Book, kind: K, entry: Entries[K], seq: number): AddResult<K> {
  const before = listEntries(book, kind);
  const last = before.at(-1);
  if (last !== undefined && last.id === toId(book.seq) && repeats(kind, last, entry)) {
    return { book, stored: 'none', id: last.id, entry: getEntry(book, kind, last.id) ?? entry };
  }
  const others = before.filter((old) => !REPLACES[kind](old, entry));
  const id = toId(seq);
  const kept = others.slice(Math.max(0, others.length - MAX_ENTRIES_PER_KIND + 1)).map((old) => old.id);
  const group = { ...pick(groupOf(book, kind), kept), [id]: entry };
  return {
    book: { ...book, seq, [kind]: group },
    stored: others.length < before.length ? 'replaced' : 'added',
    id,
    entry,
  };
}

/** Removes an entry from the book; null if there is none with this id. The entry remains in the journal. */
export function forgetEntry(
  book: Book,
  id: string,
  seq: number,
): { book: Book; kind: EntryKind; entry: object } | null {
  const kind = ENTRY_KINDS.find((one) => Object.hasOwn(book[one], id));
  const entry = kind === undefined ? undefined : getEntry(book, kind, id);
  if (kind === undefined || entry === undefined) return null;
  const others = Object.keys(book[kind]).filter((one) => one !== id);
  return { book: { ...book, seq, [kind]: pick<object>(book[kind], others) }, kind, entry };
}

/** Lists the entries of a kind, oldest first. */
export function listEntries<K extends EntryKind>(book: Book, kind: K): Identified<K>[] {
  return Object.entries(groupOf(book, kind))
    .map(([id, entry]) => ({ ...entry, id }))
    .sort((one, other) => toNumber(one.id) - toNumber(other.id));
}

export function getEntry<K extends EntryKind>(book: Book, kind: K, id: string): Entries[K] | undefined {
  const group = groupOf(book, kind);
  return Object.hasOwn(group, id) ? group[id] : undefined;
}

function groupOf<K extends EntryKind>(kept: Groups, kind: K): Groups[K] {
  return kept[kind];
}

const toId = (seq: number): string => `m${seq}`;

const toNumber = (id: string): number => Number(id.slice(1));

/**
 * Returns whether an entry only repeats the last one. The result of a command that ran never does, because it is new
 * proof.
 */
function repeats<K extends EntryKind>(kind: K, last: Identified<K>, entry: Entries[K]): boolean {
  if (kind === 'checkpoint' || kind === 'handoff' || ('how' in entry && entry.how === 'ran')) return false;
  const said = (one: object) => ({ ...one, id: null, at: null, by: null });
  return isSameJson(said(last), said(entry));
}

function pick<T>(group: Readonly<Record<string, T>>, ids: readonly string[]): Record<string, T> {
  return Object.fromEntries(ids.map((id) => [id, group[id] as T]));
}
