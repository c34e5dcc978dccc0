const TABLE = table();

function table(): Uint32Array {
  const values = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
    values[byte] = remainder;
  }
  return values;
}

/**
 * CRC-32 (IEEE 802.3) of `bytes` as eight hexadecimal digits.
 * Written out because `zlib.crc32` is not in every Node that dev-cli supports (20.17).
 */
export function crc32(bytes: Uint8Array): string {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) {
    // Both indices are in range: a byte selects one of 256 entries.
    crc = (TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
