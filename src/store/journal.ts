import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { olderRunError } from '../base/older-run.js';
import { type Checksum, crc32, decodeLine, decodeUnchecked, isIntact, nativeCrc32 } from './line.js';
import { ENTRY_VERSION, type Entry } from './store.js';

/** Reads a journal piece by piece, so that its end can be found without loading all of it. */
export interface JournalReader {
  /** For messages: the path relative to the root. */
  readonly name: string;
  /** For messages: what a stream is called (`StoreLayout.noun`). */
  readonly noun: string;
  readonly size: number;
  /** Returns the bytes from `from` (inclusive) to `to` (exclusive). */
  read(from: number, to: number): Buffer;
}

/** How a journal ends. */
export interface Tail {
  /** The last entry of the last complete commit; null if there is none. */
  last: Entry | null;
  /** `seq` of that entry, or 0. */
  seq: number;
  /** Offset in bytes at which the line of `last` begins. */
  start: number;
  /** Length of the committed part, in bytes. Anything after it is an incomplete commit, which never happened. */
  end: number;
  /** Length of the journal when it was read, in bytes. */
  size: number;
}

interface Line {
  from: number;
  /** Offset in the journal just after the line's newline. */
  to: number;
  /** The line's bytes, without the newline. */
  text: Buffer;
  /** False for text after the last newline. */
  closed: boolean;
}

const BLOCK = 16 * 1024;
const COUNTED_AT_ONCE = 1024 * 1024;
const NEWLINE = 0x0a;
/** Maximum line length in bytes. A longer line cannot come from dev-cli, and is not read into memory. */
export const LONGEST_LINE = 256 * 1024 * 1024;

/**
 * Finds the last complete commit. It may be followed by entries of an incomplete commit and then by one torn line,
 * which has no newline or a bad checksum (storage.md, Recovery). A last line with a valid checksum is not torn.
 * @param checksum writers pass `nativeCrc32`, which is faster once `node:zlib` is loaded
 * @throws DevCliError `JOURNAL_CORRUPT` if any other line that it reads is damaged; `STATE_NEWER`
 */
export function readTail(bytes: JournalReader, checksum: Checksum = crc32): Tail {
  for (const line of iterateLinesBackward(bytes, bytes.size)) {
    const entry = line.closed ? decodeLine(line.text, checksum) : null;
    if (entry === null) {
      const torn = line.to === bytes.size && !(line.closed && isIntact(line.text, checksum));
      if (!torn) throw damagedLineError(bytes, line.from);
      continue;
    }
    if (entry.more) continue;
    checkVersion(bytes, entry);
    return buildTail(entry, line, bytes);
  }
  return { last: null, seq: 0, start: 0, end: 0, size: bytes.size };
}

/**
 * Finds the tail without verifying its checksum, for a caller that already has the snapshot after entry `seq`. Returns
 * null unless the journal's last line is that entry.
 */
export function readTailAt(bytes: JournalReader, seq: number): Tail | null {
  const [line] = iterateLinesBackward(bytes, bytes.size);
  const entry = line?.closed ? decodeUnchecked(line.text) : null;
  return line && entry && isKnown(entry) && entry.seq === seq && !entry.more ? buildTail(entry, line, bytes) : null;
}

function buildTail(last: Entry, { from, to }: Line, { size }: JournalReader): Tail {
  return { last, seq: last.seq, start: from, end: to, size };
}

/**
 * Returns the committed entries above `seq`, oldest first.
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`
 */
export function listEntriesAbove(bytes: JournalReader, tail: Tail, seq: number): Entry[] {
  const entries: Entry[] = [];
  let expected = tail.seq;
  for (const line of iterateLinesBackward(bytes, tail.end)) {
    if (seq > 0 && expected <= seq) break;
    const entry = decodeLine(line.text);
    if (entry === null || entry.seq !== expected || expected === 0) throw damagedLineError(bytes, line.from);
    checkVersion(bytes, entry);
    entries.push(entry);
    expected--;
  }
  if (expected > seq)
    throw journalCorruptError(bytes, `entries before number ${expected + 1} are missing`, '', `${bytes.name}:1:1`);
  return entries.reverse();
}

/**
 * Verifies the lines within the last `length` committed bytes, except the last line, so that no commit is appended to a
 * journal with a damaged end. Only calls that read the whole journal verify all of it.
 * @throws DevCliError `JOURNAL_CORRUPT`
 */
export function checkRecent(bytes: JournalReader, tail: Tail, length: number): void {
  for (const line of iterateLinesBackward(bytes, tail.start)) {
    if (tail.end - line.to >= length) return;
    if (!isIntact(line.text, nativeCrc32)) throw damagedLineError(bytes, line.from);
  }
}

/** Returns the entries of the last commit among `entries`. */
export function listLastCommit(entries: readonly Entry[]): Entry[] {
  let from = entries.length - 1;
  while (from > 0 && entries[from - 1]?.more) from--;
  return entries.slice(Math.max(from, 0));
}

/** Yields the lines that end at or before `end`, last first. Text after the last newline counts as a line. */
function* iterateLinesBackward(bytes: JournalReader, end: number): Generator<Line> {
  let start = end;
  let held: Buffer = Buffer.alloc(0);
  let to = end;
  while (to > 0) {
    const cut = held.length === 0 ? -1 : held.subarray(0, Math.max(to - start - 1, 0)).lastIndexOf(NEWLINE);
    if (cut < 0 && start > 0) {
      if (to - start > LONGEST_LINE) throw damagedLineError(bytes, start);
      const from = Math.max(0, start - Math.max(BLOCK, to - start));
      const before = bytes.read(from, start);
      held = to === start ? before : Buffer.concat([before, held.subarray(0, to - start)]);
      start = from;
      continue;
    }
    const from = start + cut + 1;
    const text = held.subarray(cut + 1, to - start);
    const closed = text.at(-1) === NEWLINE;
    yield { from, to, text: closed ? text.subarray(0, -1) : text, closed };
    to = from;
  }
}

/**
 * Checks that this version of dev-cli can read the entry.
 * @throws DevCliError `STATE_NEWER`, `STATE_OLDER`
 */
export function checkVersion(bytes: JournalReader, entry: Entry): void {
  if (isKnown(entry)) return;
  if (entry.v < ENTRY_VERSION) throw olderRunError(bytes.name);
  throw new DevCliError('STATE_NEWER', `${bytes.name} was written by a newer version of dev-cli (entry v${entry.v}).`, {
    fix: 'Update dev-cli, then repeat the same call.',
  });
}

function isKnown({ v }: { v: number }): boolean {
  return v === ENTRY_VERSION;
}

/** Creates the error for the damaged line that begins at offset `from`. */
export function damagedLineError(bytes: JournalReader, from: number): DevCliError {
  const number = 1 + countNewlines(bytes, from);
  return journalCorruptError(bytes, `line ${number} is damaged`, '', `${bytes.name}:${number}:1`);
}

/** Counts the newlines in the first `length` bytes, piece by piece, since a journal may be larger than memory. */
function countNewlines(bytes: JournalReader, length: number): number {
  let count = 0;
  for (let from = 0; from < length; from += COUNTED_AT_ONCE) {
    const piece = bytes.read(from, Math.min(length, from + COUNTED_AT_ONCE));
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) count++;
  }
  return count;
}

/**
 * Creates the error for a corrupt journal.
 * @param problem completes "In <name>, …"
 * @param or what to do if there is no copy to restore the journal from
 */
export function journalCorruptError({ name, noun }: JournalReader, problem: string, or = '', at?: string): DevCliError {
  return new DevCliError('JOURNAL_CORRUPT', `In ${name}, ${problem}. Nothing was changed.`, {
    details: [{ target: name, problem, ...omitUndefined({ at }) }],
    fix: `Show this to the user: ${name} has to be restored from a copy before the ${noun} can go on.${or}`,
  });
}
