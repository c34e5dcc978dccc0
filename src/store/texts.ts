import { isUtf8 } from 'node:buffer';
import { MAX_DOCUMENT } from '../base/files.js';
import { isRecord } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { sha256 } from '../base/sha256.js';

/**
 * A document's content in a journal line. A string is its UTF-8 text. `deflated` is a zlib stream (RFC 1950) in base64;
 * `like` is the digest of another content in the same line, without a `like` of its own, that serves as the preset
 * dictionary (journal-format.md, Contents).
 */
export type StoredText = string | { deflated: string; like?: string };

/** Largest content in a line, in bytes; a larger content lies in a file of its own. */
export const LARGEST_TEXT = 64 * 1024;

/** Contents above this size, in bytes, are deflated. */
const LARGEST_PLAIN = 1024;

const zlib = loadLazily<typeof import('node:zlib')>('node:zlib');

/**
 * Packs a commit's contents by digest, none above `LARGEST_TEXT`. The first deflated content serves as the others'
 * dictionary, because the prompts of one wave share most of their text.
 */
export function packTexts(contents: ReadonlyMap<string, Buffer>): Record<string, StoredText> {
  const texts: Record<string, StoredText> = {};
  let first: [string, Buffer] | undefined;
  for (const [digest, content] of contents) {
    if (content.length <= LARGEST_PLAIN && isUtf8(content)) texts[digest] = content.toString('utf8');
    else if (first === undefined) {
      first = [digest, content];
      texts[digest] = { deflated: deflate(content) };
    } else texts[digest] = { deflated: deflate(content, first[1]), like: first[0] };
  }
  return texts;
}

function deflate(content: Buffer, dictionary?: Buffer): string {
  return zlib()
    .deflateSync(content, dictionary === undefined ? {} : { dictionary })
    .toString('base64');
}

/** An entry's contents as parsed, not yet checked. */
interface WithTexts {
  texts?: { [sha256: string]: unknown };
}

/** Returns a content that an entry holds; null if it is missing, does not match its digest, or is too large. */
export function readEntryContent(entry: WithTexts, digest: string): Buffer | null {
  const text = textOf(entry, digest);
  if (!isRecord(text) || text['like'] === undefined) return readAlone(entry, digest);
  const dictionary = typeof text['like'] === 'string' ? readAlone(entry, text['like']) : null;
  return dictionary === null ? null : check(digest, inflate(text, dictionary));
}

/** Reads a content that needs no other content as its dictionary. */
function readAlone(entry: WithTexts, digest: string): Buffer | null {
  const text = textOf(entry, digest);
  if (isRecord(text) && text['like'] !== undefined) return null;
  return check(digest, typeof text === 'string' ? Buffer.from(text, 'utf8') : inflate(text));
}

function textOf({ texts }: WithTexts, digest: string): unknown {
  return texts !== undefined && Object.hasOwn(texts, digest) ? texts[digest] : undefined;
}

function check(digest: string, content: Buffer | null): Buffer | null {
  return content !== null && sha256(content) === digest ? content : null;
}

function inflate(text: unknown, dictionary?: Buffer): Buffer | null {
  if (!isRecord(text) || typeof text['deflated'] !== 'string') return null;
  const options = { maxOutputLength: MAX_DOCUMENT, ...(dictionary === undefined ? {} : { dictionary }) };
  try {
    return zlib().inflateSync(Buffer.from(text['deflated'], 'base64'), options);
  } catch {
    // The data is truncated, is no zlib stream, or inflates beyond the limit: the content counts as missing.
    return null;
  }
}
