import { loadLazily } from '../base/lazy.js';

let table: Uint32Array | undefined;
const zlib = loadLazily<{ crc32?: (bytes: Uint8Array) => number }>('node:zlib');

/** CRC-32 (IEEE 802.3) of `bytes` as eight hexadecimal digits, by one of the two functions below. */
export type Checksum = (bytes: Uint8Array) => string;

/** Written out, for who only reads a line or two: loading `node:zlib` costs more than they do. */
export function crc32(bytes: Uint8Array): string {
  table ??= remainders();
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) {
    // Both indices are in range: a byte selects one of 256 entries.
    crc = (table[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return hexadecimal((crc ^ 0xffffffff) >>> 0);
}

/** By Node itself, where it can (22.0 and 22.1 cannot): for who has many bytes to check, or writes and so loads `node:crypto` as well. */
export function nativeCrc32(bytes: Uint8Array): string {
  const native = zlib().crc32;
  return native === undefined ? crc32(bytes) : hexadecimal(native(bytes));
}

function hexadecimal(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

function remainders(): Uint32Array {
  const values = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
    values[byte] = remainder;
  }
  return values;
}
