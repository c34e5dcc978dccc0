import { isRecord } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { ENTRY_VERSION, type Entry } from './store.js';

/** Every line ends with this text, eight digits and `"}`. The checksum covers the entry without its member `crc`. */
const CRC_KEY = ',"crc":"';

const SEAL_LENGTH = CRC_KEY.length + 8 + 2;

const CLOSING_BRACE = 0x7d;

/** Encodes a journal line, newline included: the entry with its checksum as the last member (storage.md, A commit). */
export function encodeEntry(entry: Omit<Entry, 'crc'>): string {
  const body = JSON.stringify(entry);
  return `${body.slice(0, -1)}${CRC_KEY}${nativeCrc32(Buffer.from(body))}"}\n`;
}

/** Whether a line (without its newline) is unchanged since it was written; cheaper than decoding it. */
export function isIntact(line: Buffer, checksum: Checksum = crc32): boolean {
  const at = line.length - SEAL_LENGTH;
  if (at < 1) return false;
  const seal = line.toString('latin1', at);
  if (!seal.startsWith(CRC_KEY)) return false;
  const body = Buffer.from(line.subarray(0, at + 1));
  body[at] = CLOSING_BRACE;
  return seal === `${CRC_KEY}${checksum(body)}"}`;
}

/** Decodes a line (without its newline); null if the line is damaged. */
export function decodeLine(line: Buffer, checksum: Checksum = crc32): Entry | null {
  return isIntact(line, checksum) ? decodeUnchecked(line) : null;
}

/** Decodes a line without verifying its checksum. */
export function decodeUnchecked(line: Buffer): Entry | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

/** Checks as much of an entry's form as this program relies on. For another format version, it checks only `seq`. */
function isEntry(value: unknown): value is Entry {
  if (!isRecord(value)) return false;
  const { v, seq, at, type, by, data, patch, files, texts, rendered } = value;
  if (v !== ENTRY_VERSION) return Number.isSafeInteger(seq);
  const named = typeof at === 'string' && typeof type === 'string' && isRecord(by) && isRecord(data);
  const told = Array.isArray(patch) && Array.isArray(files) && files.every(isFile);
  const packed = (texts === undefined || isRecord(texts)) && (rendered === undefined || isPaths(rendered));
  return Number.isSafeInteger(seq) && named && told && packed;
}

function isPaths(value: unknown): boolean {
  return Array.isArray(value) && value.every((path) => typeof path === 'string');
}

function isFile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { path, before, after } = value;
  return typeof path === 'string' && [before, after].every((digest) => digest === null || typeof digest === 'string');
}

let table: Uint32Array | undefined;

const zlib = loadLazily<{ crc32?: (bytes: Uint8Array) => number }>('node:zlib');

/** Computes the CRC-32 (IEEE 802.3) of `bytes` as eight hexadecimal digits; one of the two functions below. */
export type Checksum = (bytes: Uint8Array) => string;

/** CRC-32 in JavaScript, for calls that check only a few lines, where loading `node:zlib` would take longer. */
export function crc32(bytes: Uint8Array): string {
  table ??= buildRemainders();
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) {
    // Both indices are in range: a byte selects one of 256 entries.
    crc = (table[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return renderHexadecimal((crc ^ 0xffffffff) >>> 0);
}

/** CRC-32 by Node where it has one (from 22.2). For many bytes, and for writers, which also load `node:crypto`. */
export function nativeCrc32(bytes: Uint8Array): string {
  const native = zlib().crc32;
  return native === undefined ? crc32(bytes) : renderHexadecimal(native(bytes));
}

function renderHexadecimal(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

function buildRemainders(): Uint32Array {
  const values = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
    values[byte] = remainder;
  }
  return values;
}
