import { posix } from 'node:path';
import type { DevCliError } from '../base/errors.js';

/**
 * Where the streams of one kind lie below a root, and what messages call them. The streams' owner supplies it; a store
 * uses no other file names. All paths use `/` and are relative to the root.
 */
export interface StoreLayout {
  /** What one stream is called in messages, as in "before the run can go on". */
  noun: string;
  /** The directory for files that all streams share, such as their common locks. */
  home: string;
  /** The directory that holds one directory per stream, by its name. */
  streams: string;
  /**
   * File and directory names in a stream's directory. No two may be like `a` and `a.b`, because a file `a.b` counts as
   * belonging to `a`, as its temporary files do.
   */
  names: {
    snapshot: string;
    journal: string;
    /** The directory of document contents, each under its SHA-256. */
    objects: string;
    /** The lock file of a stream, and the common lock in `home`. */
    lock: string;
  };
  /** Returns whether `text` may name a stream. It becomes a directory name: no separator, no `..`, no leading dot. */
  isName(text: string): boolean;
  /**
   * Returns `text` if it is a valid stream name.
   * @throws DevCliError if it is not
   */
  checkedName(text: string): string;
  /** Whether no document may be written at `path`. The store itself refuses its own files and git's in any case. */
  isReserved(path: string): boolean;
  /** Creates the error for writing documents without a commit to a stream that already has commits. */
  taken(stream: string): DevCliError;
}

/** Returns the path of a stream's directory, or of something in it, relative to the root. */
export function streamPath({ streams }: StoreLayout, stream: string, name = ''): string {
  return posix.join(streams, stream, name);
}

/**
 * Returns a document's path relative to the root, or null if it would leave the root.
 * @param path with `/`; relative to the stream's directory or, with a leading `/`, to the root (src/base/files.ts)
 */
export function toRootRelative(layout: StoreLayout, stream: string, path: string): string | null {
  const joined = path.startsWith('/') ? posix.join('.', path) : streamPath(layout, stream, path);
  const clean = joined.endsWith('/') ? joined.slice(0, -1) : joined;
  return path.includes('\0') || clean === '..' || clean.startsWith('../') ? null : clean || '.';
}

/**
 * Returns the path by which the journal names a document, the inverse of `toRootRelative`: relative to the stream's
 * directory if the document lies there, otherwise to the root, with a leading `/`.
 */
export function toDocumentPath(layout: StoreLayout, stream: string, relative: string): string {
  return isInside({ layout, stream }, relative)
    ? relative.slice(streamPath(layout, stream).length + 1)
    : `/${relative}`;
}

/** Whether a document, given by its path relative to the root, lies in the stream's own directory. */
export function isInside({ layout, stream }: { layout: StoreLayout; stream: string }, relative: string): boolean {
  return relative.startsWith(`${streamPath(layout, stream)}/`);
}

/**
 * Returns whether `path` is the valid name of a document in the stream's own directory. This has to be checked because
 * a forged journal may name any file, or one document in two ways.
 */
export function isOwnDocument({ layout, stream }: { layout: StoreLayout; stream: string }, path: string): boolean {
  const relative = toRootRelative(layout, stream, path);
  if (relative === null || !isInside({ layout, stream }, relative) || isReserved(layout, stream, relative))
    return false;
  return toDocumentPath(layout, stream, relative) === path;
}

/**
 * Returns whether no document may be written at a path, because the path belongs to the store, is reserved by the
 * layout, or belongs to git, where a forged journal could place a hook that git would run.
 */
export function isReserved(layout: StoreLayout, stream: string, relative: string): boolean {
  const { home, names } = layout;
  if (/(^|\/)\.git(\/|$)/i.test(relative) || layout.isReserved(relative)) return true;
  if (isDerivedFrom(relative, `${home}/${names.lock}`) || relative.startsWith(`${home}/${names.lock}/`)) return true;
  const inside = toDocumentPath(layout, stream, relative);
  if (inside === names.objects || inside.startsWith(`${names.objects}/`)) return true;
  return [names.snapshot, names.journal, names.lock].some((name) => isDerivedFrom(inside, name));
}

function isDerivedFrom(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`);
}
