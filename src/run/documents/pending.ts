import type { DocumentReader, FileChange, FileFacts } from '../../base/files.js';
import { sha256 } from '../../base/sha256.js';
import type { PathFacts } from '../state.js';

/** Read access to the documents of a run. */
export interface Documents extends DocumentReader {
  /** The content as text, or null if the document does not exist. */
  text(path: string): string | null;
  /** SHA-256 of the content in hexadecimal, or null if the document does not exist. */
  digest(path: string): string | null;
}

/**
 * The documents of a run during a decision: those on disk, overlaid with the decision's own changes so far. Nothing is
 * written to disk before the commit (storage.md, A commit).
 */
export interface PendingDocuments extends Documents {
  write(path: string, content: string | Uint8Array): void;
  /**
   * Writes a document that `renderings.ts` can render again from entries and state, so that the journal need not hold
   * it.
   */
  render(path: string, content: string | Uint8Array): void;
  /**
   * Appends to a rendered document without reading it.
   * @param head the beginning of the document if it does not exist yet
   */
  append(path: string, text: string, head: string): void;
  remove(path: string): void;
  /**
   * Records the present content with the commit although dev-cli did not write it, such as an agent's accepted output.
   */
  keep(path: string): void;
  changes(): FileChange[];
  /** Creates, with the commit, the directory in which an agent will write this document. */
  makeRoom(path: string): void;
  rooms(): string[];
  /** Whether any document written or removed differs from the one on disk. */
  differs(): boolean;
}

/** Creates read access to the documents of a run. */
export function toDocuments(files: DocumentReader): Documents {
  return {
    ...reading((path) => files.read(path)),
    facts: (path) => files.facts(path),
    list: (directory) => files.list(directory),
  };
}

function reading(read: DocumentReader['read']): Pick<Documents, 'read' | 'text' | 'digest'> {
  return {
    read,
    text: (path) => read(path)?.toString('utf8') ?? null,
    digest: (path) => {
      const content = read(path);
      return content === null ? null : sha256(content);
    },
  };
}

/**
 * The change that a decision makes to a document. If `rendered` is `end`, `content` is appended to the file on disk.
 */
interface Pending {
  content: Buffer | null;
  rendered?: 'whole' | 'end';
}

/** Creates the documents of a decision as an overlay on those on disk. */
export function createDocumentOverlay(files: DocumentReader): PendingDocuments {
  const overlay = new Map<string, Pending>();
  const rooms = new Set<string>();
  const read = (path: string): Buffer | null => {
    const pending = overlay.get(path);
    return pending === undefined ? files.read(path) : contentOf(files, path, pending);
  };
  const facts = (path: string): FileFacts => {
    const pending = overlay.get(path);
    if (pending === undefined) return files.facts(path);
    const { content, rendered } = pending;
    if (content === null) return { kind: 'missing' };
    const present = rendered === 'end' ? files.facts(path) : null;
    const size = content.length + (present?.kind === 'file' ? present.size : 0);
    return { kind: 'file', size, mtimeMs: 0, ctimeMs: 0, inode: 0 };
  };
  return {
    ...reading(read),
    facts,
    write: (path, content) => {
      overlay.set(path, { content: toBytes(content) });
    },
    render: (path, content) => {
      const pending = overlay.get(path);
      // If this decision has already written the document, what it wrote will be in no entry, and nothing could be
      // rendered from it later. The whole rendered content then goes into the entry.
      const isWritten = pending !== undefined && pending.rendered === undefined;
      overlay.set(path, { content: toBytes(content), ...(isWritten ? {} : { rendered: 'whole' as const }) });
    },
    append: (path, text, head) => {
      const pending = overlay.get(path);
      if (pending !== undefined) {
        overlay.set(path, {
          ...pending,
          content: Buffer.concat([pending.content ?? Buffer.from(head), Buffer.from(text)]),
        });
      } else if (files.facts(path).kind === 'missing') {
        overlay.set(path, { content: Buffer.from(head + text), rendered: 'whole' });
      } else overlay.set(path, { content: Buffer.from(text), rendered: 'end' });
    },
    remove: (path) => {
      if (facts(path).kind !== 'missing') overlay.set(path, { content: null });
    },
    keep: (path) => {
      const content = read(path);
      if (content !== null) overlay.set(path, { content });
    },
    list: (directory) => listed(files, overlay, directory),
    makeRoom: (path) => {
      const directory = path.replace(/\/?[^/]*$/, '');
      if (!path.startsWith('/') && directory !== '' && files.facts(directory).kind === 'missing') rooms.add(path);
    },
    rooms: () => [...rooms],
    changes: () => [...overlay].map(([path, pending]) => ({ path, ...pending })),
    differs: () => [...overlay].some(([path, pending]) => !isSame(files, path, contentOf(files, path, pending))),
  };
}

function toBytes(content: string | Uint8Array): Buffer {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content);
}

function contentOf(files: DocumentReader, path: string, { content, rendered }: Pending): Buffer | null {
  if (content === null || rendered !== 'end') return content;
  return Buffer.concat([files.read(path) ?? Buffer.alloc(0), content]);
}

function isSame(files: DocumentReader, path: string, content: Buffer | null): boolean {
  const present = files.facts(path).kind === 'missing' ? null : files.read(path);
  return present === null || content === null ? present === content : present.equals(content);
}

function listed(files: DocumentReader, overlay: ReadonlyMap<string, Pending>, directory: string): string[] {
  const names = new Set(files.list(directory));
  const prefix = directory === '' ? '' : `${directory}/`;
  for (const [path, { content }] of overlay) {
    if (!path.startsWith(prefix)) continue;
    const rest = path.slice(prefix.length);
    const name = rest.split('/')[0];
    if (name === undefined || name === '') continue;
    if (content !== null) names.add(name);
    else if (name === rest) names.delete(name);
  }
  return [...names].sort();
}

/**
 * Reads the facts of a promised file: size, times, inode and digest; null without a regular file. Times serve only for
 * comparison with each other, never with a clock.
 */
export function readFileFacts(files: DocumentReader, path: string): PathFacts {
  const facts = files.facts(path);
  if (facts.kind !== 'file') return null;
  const content = files.read(path);
  if (content === null) return null;
  const { size, mtimeMs, ctimeMs, inode } = facts;
  return { size, mtimeMs, ctimeMs, inode, sha256: sha256(content) };
}
