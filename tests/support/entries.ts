import { decodeLine, encodeEntry } from '../../src/store/line.js';
import type { Entry } from '../../src/store/store.js';

/** Reads the complete entries of a journal. */
export function readEntries(journal: Buffer): Entry[] {
  const lines = journal.toString('utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => decodeLine(Buffer.from(line)) ?? []);
}

/** Renders the lines of a journal, each with its checksum. */
export function encodeEntries(entries: readonly Entry[]): Buffer {
  return Buffer.from(entries.map(({ crc, ...entry }) => encodeEntry(entry)).join(''));
}

/** Returns the journal as if the machine had been restarted since. */
export function rebooted(journal: Buffer): Buffer {
  const entries = readEntries(journal);
  return encodeEntries(entries.map((entry) => (entry.boot === undefined ? entry : { ...entry, boot: 'another' })));
}
