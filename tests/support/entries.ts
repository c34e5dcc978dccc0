import { decodeLine, encodeEntry } from '../../src/store/line.js';
import type { Entry } from '../../src/store/store.js';

/** Reads a journal's entries, except an incomplete last line. */
export function readEntries(journal: Buffer): Entry[] {
  const lines = journal.toString('utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => decodeLine(Buffer.from(line)) ?? []);
}

/** Renders the lines of a journal, each with its checksum. */
export function encodeEntries(entries: readonly Entry[]): Buffer {
  return Buffer.from(entries.map(({ crc, ...entry }) => encodeEntry(entry)).join(''));
}

/** Returns the journal as if the machine had been restarted after it was written. */
export function rebooted(journal: Buffer): Buffer {
  const entries = readEntries(journal);
  return encodeEntries(entries.map((entry) => (entry.boot === undefined ? entry : { ...entry, boot: 'another' })));
}
