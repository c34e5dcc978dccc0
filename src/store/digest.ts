import type { DocumentReader } from '../base/files.js';
import { sha256 } from '../base/sha256.js';
import type { Layout } from './layout.js';

/** Returns the digest of a document; null if there is none, undefined if it is not a document (a directory, a link out). */
export function digestDocument(files: DocumentReader, path: string): string | null | undefined {
  const { kind } = files.facts(path);
  if (kind === 'missing') return null;
  const content = kind === 'file' ? files.read(path) : null;
  return content === null ? undefined : sha256(content);
}

/** A stream, and the layout of its kind. */
export interface Whose {
  layout: Layout;
  stream: string;
}
