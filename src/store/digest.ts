import { type DocumentReader, MAX_DOCUMENT } from '../base/files.js';
import { sha256 } from '../base/sha256.js';
import type { Layout } from './layout.js';

/** Returns the digest of a document; null if there is none, undefined if what is there is not one (see `readDocument`). */
export function digestDocument(files: DocumentReader, path: string): string | null | undefined {
  if (files.facts(path).kind === 'missing') return null;
  const content = readDocument(files, path);
  return content === null ? undefined : sha256(content);
}

/** Returns the content of a document; null if there is none, or what is there is not one: a directory, a link out, over 8 MiB. */
export function readDocument(files: DocumentReader, path: string): Buffer | null {
  const facts = files.facts(path);
  return facts.kind === 'file' && facts.size <= MAX_DOCUMENT ? files.read(path) : null;
}

/** A stream, and the layout of its kind. */
export interface Whose {
  layout: Layout;
  stream: string;
}
