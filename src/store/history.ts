// door: recovery

import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import {
  checkVersion,
  damagedLineError,
  type JournalReader,
  journalCorruptError,
  LONGEST_LINE,
  readTail,
  type Tail,
} from './journal.js';
import { decodeLine, nativeCrc32 } from './line.js';
import type { ReadMedium } from './medium.js';
import { applyEntry, serializeSnapshot } from './snapshot.js';
import {
  BEGINNING,
  type Checkpoint,
  type Codec,
  type Entry,
  type JournalCursor,
  type ScanResult,
  type WithSeq,
} from './store.js';
import { readEntryContent } from './texts.js';

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

/** An entry and the position after it. */
interface EntryAtCursor {
  entry: Entry;
  behind: JournalCursor;
}

/**
 * Yields the committed entries after `from`, oldest first. Reads piece by piece: memory holds at most one block and one
 * line of the journal.
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`
 */
export function* iterateEntries(bytes: JournalReader, tail: Tail, from: JournalCursor): Generator<EntryAtCursor> {
  let at = from;
  if (from.offset > tail.end)
    throw journalCorruptError(bytes, `entries up to ${from.seq} existed before and are missing`);
  for (const { start, text } of iterateLines(bytes, from.offset, tail.end)) {
    const entry = decodeLine(text, nativeCrc32);
    if (entry === null || entry.seq !== at.seq + 1) throw damagedLineError(bytes, start);
    checkVersion(bytes, entry);
    at = { offset: start + text.length + 1, seq: entry.seq };
    yield { entry, behind: at };
  }
}

/** Yields the lines between two offsets, without their newlines. */
function* iterateLines(bytes: JournalReader, from: number, to: number): Generator<{ start: number; text: Buffer }> {
  let held: Buffer[] = [];
  let start = from;
  for (let at = from; at < to; ) {
    const piece = bytes.read(at, Math.min(to, at + BLOCK));
    // An empty piece means that the file was shortened while it was being read.
    if (piece.length === 0) throw damagedLineError(bytes, start);
    at += piece.length;
    let used = 0;
    for (let newline = piece.indexOf(NEWLINE); newline >= 0; newline = piece.indexOf(NEWLINE, used)) {
      const end = piece.subarray(used, newline);
      const text = held.length === 0 ? end : Buffer.concat([...held, end]);
      held = [];
      yield { start, text };
      start += text.length + 1;
      used = newline + 1;
    }
    if (used < piece.length) held.push(piece.subarray(used));
    if (at - start > LONGEST_LINE) throw damagedLineError(bytes, start);
  }
}

/** Implements `Store.contents`. */
export function readContents(
  medium: Pick<ReadMedium, 'journal' | 'object'>,
  stream: string,
  digests: Iterable<string>,
): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  const wanted = new Set(digests);
  const take = (digest: string, content: Buffer | null): void => {
    if (content === null) return;
    contents.set(digest, content);
    wanted.delete(digest);
  };
  for (const digest of wanted) take(digest, medium.object(stream, digest));
  if (wanted.size === 0) return contents;
  medium.journal(stream, (bytes) => {
    for (const { entry } of iterateEntries(bytes, readTail(bytes, nativeCrc32), BEGINNING)) {
      for (const digest of Object.keys(entry.texts ?? {})) {
        if (wanted.has(digest)) take(digest, readEntryContent(entry, digest));
      }
      if (wanted.size === 0) return;
    }
  });
  return contents;
}

/** Implements `Store.scan`. */
export function scanJournal(bytes: JournalReader, from: JournalCursor, visit: (entry: Entry) => boolean): ScanResult {
  const tail = readTail(bytes);
  const torn = tail.end < bytes.size;
  let at = from;
  for (const { entry, behind } of iterateEntries(bytes, tail, from)) {
    at = behind;
    if (!visit(entry)) return { behind: at, complete: at.offset === tail.end, size: bytes.size, torn };
  }
  return { behind: at, complete: true, size: bytes.size, torn };
}

/** Implements `Store.rewind`: applies the journal up to the commit that holds entry `seq` (storage.md, History). */
export function rewindJournal<S extends WithSeq>(
  bytes: JournalReader,
  seq: number,
  codec: Codec<S>,
): Checkpoint<S> | null {
  const tail = readTail(bytes);
  if (seq < 1 || seq > tail.seq) return null;
  const documents = new Map<string, string>();
  let state: JsonObject | null = null;
  let first = 1;
  for (const { entry } of iterateEntries(bytes, tail, BEGINNING)) {
    state = applyOrReject(state, entry, bytes.name);
    for (const { path, after: digest } of entry.files) {
      if (digest === null) documents.delete(path);
      else documents.set(path, digest);
    }
    for (const path of entry.rendered ?? []) documents.delete(path);
    if (entry.more) continue;
    if (entry.seq < seq) {
      first = entry.seq + 1;
      continue;
    }
    if (state === null) throw misfitError(bytes.name, entry);
    const snapshot = codec.parse(serializeSnapshot(state, codec));
    return { snapshot, first, last: entry.seq, at: entry.at, documents, torn: tail.end < bytes.size };
  }
  return null;
}

function applyOrReject(state: JsonObject | null, entry: Entry, name: string): JsonObject | null {
  try {
    return applyEntry(state, entry);
  } catch {
    throw misfitError(name, entry);
  }
}

function misfitError(name: string, { seq }: Entry): DevCliError {
  const problem = 'the change it records does not fit the state before it';
  return new DevCliError('STATE_CORRUPT', `In ${name}, entry ${seq}: ${problem}. Nothing was changed.`, {
    details: [{ target: name, problem: `entry ${seq}: ${problem}` }],
    fix: `Show this to the user: ${name} has to be restored from a copy.`,
  });
}
