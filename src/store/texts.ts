import { isUtf8 } from 'node:buffer';
import { MAX_DOCUMENT } from '../base/files.js';
import { isRecord } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { sha256 } from '../base/sha256.js';

/**
 * A content as it stands in a line: a string is its UTF-8 text; `deflated` is a zlib stream (RFC 1950) in base64
 * (journal-format.md, Contents).
 */
export type StoredText = string | { deflated: string };

/** Largest content in a line, in bytes; a larger one lies in a file of its own. */
export const LARGEST_TEXT = 64 * 1024;

/** Contents above this size, in bytes, are deflated. */
const LARGEST_PLAIN = 1024;

const zlib = loadLazily<typeof import('node:zlib')>('node:zlib');

/** Packs a content of at most `LARGEST_TEXT` bytes for a line. */
export function packText(content: Buffer): StoredText {
  if (content.length <= LARGEST_PLAIN && isUtf8(content)) return content.toString('utf8');
  return { deflated: zlib().deflateSync(content).toString('base64') };
}

/** Returns a content that an entry holds; null when it has none that is what the digest says, and no larger than a document. */
export function readText({ texts }: { texts?: { [sha256: string]: unknown } }, digest: string): Buffer | null {
  if (texts === undefined || !Object.hasOwn(texts, digest)) return null;
  const text = texts[digest];
  const content = typeof text === 'string' ? Buffer.from(text, 'utf8') : inflate(text);
  return content !== null && sha256(content) === digest ? content : null;
}

function inflate(text: unknown): Buffer | null {
  if (!isRecord(text) || typeof text['deflated'] !== 'string') return null;
  try {
    return zlib().inflateSync(Buffer.from(text['deflated'], 'base64'), { maxOutputLength: MAX_DOCUMENT });
  } catch {
    // Cut, no such stream, or a small one that becomes a huge one: the content is missing.
    return null;
  }
}
