import { isUtf8 } from 'node:buffer';
import { MAX_DOCUMENT } from '../base/files.js';
import { isRecord } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { sha256 } from '../base/sha256.js';

/**
 * A content as it stands in a line: a string is its UTF-8 text; `deflated` is a zlib stream (RFC 1950) in base64, whose preset
 * dictionary is the content `like` of the same line, which has none itself (journal-format.md, Contents).
 */
export type StoredText = string | { deflated: string; like?: string };

/** Largest content in a line, in bytes; a larger one lies in a file of its own. */
export const LARGEST_TEXT = 64 * 1024;

/** Contents above this size, in bytes, are deflated. */
const LARGEST_PLAIN = 1024;

const zlib = loadLazily<typeof import('node:zlib')>('node:zlib');

/** Packs the contents of a commit, none above `LARGEST_TEXT`, by digest. Prompts of one wave have most of their text in common. */
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

/** The contents of an entry as they were parsed, unchecked. */
interface WithTexts {
  texts?: { [sha256: string]: unknown };
}

/** Returns a content that an entry holds; null when it has none that is what the digest says, and no larger than a document. */
export function readContent(entry: WithTexts, digest: string): Buffer | null {
  const text = textOf(entry, digest);
  if (!isRecord(text) || text['like'] === undefined) return readAlone(entry, digest);
  const dictionary = typeof text['like'] === 'string' ? readAlone(entry, text['like']) : null;
  return dictionary === null ? null : check(digest, inflate(text, dictionary));
}

/** A content that needs no other. */
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
    // Cut, no such stream, or a small one that becomes a huge one: the content is missing.
    return null;
  }
}
