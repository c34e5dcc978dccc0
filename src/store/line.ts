import { isRecord } from '../base/json.js';
import { type Checksum, crc32, nativeCrc32 } from './crc.js';
import type { Entry } from './store.js';

/** What closes every line: `,"crc":"` + eight digits + `"}`. The checksum covers the entry as it is without it. */
const CRC_KEY = ',"crc":"';
const SEAL_LENGTH = CRC_KEY.length + 8 + 2;
const CLOSING_BRACE = 0x7d;

/** One journal line, newline included: the entry with its checksum as the last member (storage.md, A commit). */
export function encodeEntry(entry: Omit<Entry, 'crc'>): string {
  const body = JSON.stringify(entry);
  return `${body.slice(0, -1)}${CRC_KEY}${nativeCrc32(Buffer.from(body))}"}\n`;
}

/** Whether a line (without its newline) is as it was written; cheaper than decoding it. */
export function isIntact(line: Buffer, checksum: Checksum = crc32): boolean {
  const at = line.length - SEAL_LENGTH;
  if (at < 1) return false;
  const seal = line.toString('latin1', at);
  if (!seal.startsWith(CRC_KEY)) return false;
  const body = Buffer.from(line.subarray(0, at + 1));
  body[at] = CLOSING_BRACE;
  return seal === `${CRC_KEY}${checksum(body)}"}`;
}

/** The entry of a line (without its newline), or null when the line is damaged. */
export function decodeLine(line: Buffer, checksum: Checksum = crc32): Entry | null {
  return isIntact(line, checksum) ? decodeUnchecked(line) : null;
}

/** The same without its checksum. */
export function decodeUnchecked(line: Buffer): Entry | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

/** As much of an entry's form as this program relies on; of a newer version it relies on the number alone. */
function isEntry(value: unknown): value is Entry {
  if (!isRecord(value)) return false;
  const { v, seq, at, type, by, data, patch, files } = value;
  if (v !== 1) return Number.isSafeInteger(seq);
  const named = typeof at === 'string' && typeof type === 'string' && isRecord(by) && isRecord(data);
  return Number.isSafeInteger(seq) && named && Array.isArray(patch) && Array.isArray(files) && files.every(isFile);
}

function isFile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { path, before, after } = value;
  return typeof path === 'string' && [before, after].every((digest) => digest === null || typeof digest === 'string');
}
