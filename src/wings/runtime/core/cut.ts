/** Cuts texts by their UTF-8 bytes, never within a character. */

const isInside = (byte: number | undefined): boolean => byte !== undefined && byte >> 6 === 2;

/** Returns the first `most` bytes of a text. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = Math.max(0, most);
  while (isInside(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** Returns the last `most` bytes of a text. */
export function cutToLastBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  let from = Math.max(0, bytes.length - most);
  while (isInside(bytes[from])) from += 1;
  return bytes.toString('utf8', from);
}

/** Returns the last lines that fit into `most` bytes, counting one line break each. */
export function fitLastLines(lines: readonly string[], most: number): string[] {
  let left = most;
  let from = lines.length;
  for (; from > 0; from -= 1) {
    left -= Buffer.byteLength(lines[from - 1] ?? '') + 1;
    if (left < 0) break;
  }
  return lines.slice(from);
}
