import { formatInstant } from '../../base/clock.js';
import { DevCliError } from '../../base/errors.js';
import { rotateFacts } from '../../project/facts.js';
import { findWingRoot, openWingStreams, type WingStreams } from '../../project/wing-streams.js';
import type { Context } from '../../run/context.js';
import { ignoreFailure } from '../../store/io.js';
import type { NewEntry } from '../../store/store.js';
import { type AddResult, addBookEntry, EMPTY_BOOK, forgetEntry } from './book.js';
import type { Book, Entries, EntryKind } from './book-schema.js';
import { bookCodec } from './codec.js';
import { readShownHead } from './text.js';

/** The directory below `.dev`, and the name of the stream in it. */
const DIRECTORY = 'memory';
export const BOOK = 'book';

/** The part of the context that memory needs. */
export type MemoryContext = Pick<Context, 'root' | 'workTree' | 'clock' | 'ids' | 'caller'>;

/** The memory of a clone, for one call. */
export interface Memory {
  /** Absolute path of the directory that contains the memory's `.dev`. */
  root: string;
  streams: WingStreams<Book>;
  context: MemoryContext;
}

/** The fields of an entry that record when, by whom and where it was made. */
type Stamp = Pick<Entries[EntryKind], 'at' | 'by' | 'branch' | 'head'>;

/** An entry to record, without its stamp, which is added under the lock. */
export type Judgment = { [K in EntryKind]: { kind: K; entry: Omit<Entries[K], keyof Stamp> } }[EntryKind];

/** The result of recording a judgment. */
export type Recorded = Omit<AddResult<EntryKind>, 'book'> & { kind: EntryKind };

/** Opens the memory for a call. Writes nothing. @param cwd absolute @throws DevCliError `IO` */
export function openMemory(context: MemoryContext, cwd: string): Memory {
  const root = findWingRoot(context.root, cwd, DIRECTORY);
  const { clock, ids } = context;
  const about = { directory: DIRECTORY, noun: 'memory', codec: bookCodec };
  return { root, streams: openWingStreams({ root, ...about, clock, ids }), context };
}

/** Returns the absolute directory of the memory. */
export function getDirectory({ root }: Pick<Memory, 'root'>): string {
  return `${root}/.dev/${DIRECTORY}`;
}

/**
 * Reads the book for a command that will record in it, so that an unreadable book stops the command early.
 * @throws DevCliError `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO`
 */
export async function requireBook({ streams }: Memory): Promise<{ book: Book; warnings: string[] }> {
  const { snapshot, notices } = await streams.read(BOOK);
  return { book: snapshot ?? EMPTY_BOOK, warnings: notices };
}

/**
 * Reads the book for display. An unreadable book counts as empty; `warnings` then say why, or else what was repaired.
 */
export async function readBook(memory: Memory): Promise<{ book: Book; warnings: string[] }> {
  try {
    return await requireBook(memory);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return { book: EMPTY_BOOK, warnings: [`The book of memory is left out: ${error.message}`] };
  }
}

/**
 * Records judgments in one transaction.
 * @param judge called under the lock; if it throws, nothing changes
 * @throws DevCliError `LOCKED`, `IO`, `STATE_NEWER`, `STATE_CORRUPT`, `JOURNAL_CORRUPT`; any error of `judge`
 */
export function recordJudgments(memory: Memory, judge: (book: Book) => readonly Judgment[]): Promise<Recorded[]> {
  return memory.streams.transact(BOOK, ({ snapshot, seq }) => {
    const book = snapshot ?? EMPTY_BOOK;
    const { recorded, entries, book: after } = applyJudgments(memory, book, judge(book), seq);
    return { answer: recorded, ...commit(memory, entries, after) };
  });
}

/** Applies judgments to a book. @param seq the number of the last journal entry */
export function applyJudgments(
  { context }: Pick<Memory, 'context'>,
  before: Book,
  judgments: readonly Judgment[],
  seq: number = before.seq,
): { book: Book; entries: NewEntry[]; recorded: Recorded[] } {
  let book = before;
  const stamp = stampOf(context);
  const entries: NewEntry[] = [];
  const recorded: Recorded[] = [];
  for (const { kind, entry } of judgments) {
    const whole = { ...entry, ...stamp } as Entries[EntryKind];
    const { book: next, ...added } = addBookEntry<EntryKind>(book, kind, whole, seq + entries.length + 1);
    if (added.stored !== 'none') entries.push({ type: kind, by: context.caller, data: { id: added.id } });
    recorded.push({ ...added, kind });
    book = next;
  }
  return { book, entries, recorded };
}

/** Removes an entry from the book. @returns null if there is none with this id @throws DevCliError as `recordJudgments` */
export function removeBookEntry(memory: Memory, id: string): Promise<{ kind: EntryKind; entry: object } | null> {
  const { streams, context } = memory;
  return streams.transact(BOOK, ({ snapshot, seq }) => {
    const forgotten = snapshot === null ? null : forgetEntry(snapshot, id, seq + 1);
    if (forgotten === null) return { answer: null };
    const { book, ...answer } = forgotten;
    return { answer, ...commit(memory, [{ type: 'forgotten', by: context.caller, data: { id } }], book) };
  });
}

function commit(memory: Memory, [first, ...rest]: NewEntry[], snapshot: Book) {
  if (first === undefined) return {};
  // The file of facts has no lock of its own, so the caller that holds the book's lock rotates it. If that fails, the
  // file just keeps growing.
  ignoreFailure(() => rotateFacts(getDirectory(memory)));
  return { entries: [first, ...rest] as [NewEntry, ...NewEntry[]], snapshot, files: [] };
}

function stampOf({ clock, caller, workTree }: MemoryContext): Stamp {
  return { at: formatInstant(clock.now()), by: caller, ...readShownHead(workTree) };
}
