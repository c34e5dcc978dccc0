import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { pathError } from './io.js';

/** The place to which a path really leads. `path` contains no links, and nothing need exist there. */
export type ResolvedPath = { kind: 'inside'; path: string } | { kind: 'outside' } | { kind: 'loop' };

const MAX_LINKS = 40;

/**
 * Follows every link in `path`, even if its last parts do not exist, and checks whether the result is within `root`.
 * @param root absolute, without links
 * @param path absolute, normalized
 * @param directories directories below the root known not to be links; newly checked ones are added
 * @throws system errors, except for missing files
 */
export function resolvePath(root: string, path: string, directories = new Set<string>()): ResolvedPath {
  if (isWithin(root, path) && !hasLink(root, path, directories)) return { kind: 'inside', path };
  const real = followLinks(path, MAX_LINKS);
  if (real === null) return { kind: 'loop' };
  return isWithin(root, real) ? { kind: 'inside', path: real } : { kind: 'outside' };
}

/**
 * Returns whether `path` contains a link below `root`. Since links are rare, this is cheaper than resolving the path.
 */
function hasLink(root: string, path: string, directories: Set<string>): boolean {
  let from = withSeparator(root).length;
  while (from < path.length) {
    const separator = path.indexOf(sep, from);
    const end = separator === -1 ? path.length : separator;
    const at = path.slice(0, end);
    from = end + 1;
    if (directories.has(at)) continue;
    const stats = readStats(at);
    if (stats?.isSymbolicLink()) return true;
    if (!stats?.isDirectory()) return false;
    directories.add(at);
  }
  return false;
}

/**
 * Returns the real path of one of the store's directories, which need not exist.
 * @param root absolute, without links
 * @param path relative to the root
 * @param known like `directories` of `resolvePath`
 * @throws DevCliError `IO` when a link leads out of the root; system errors
 */
export function resolveDirectory(root: string, path: string, known?: Set<string>): string {
  const location = resolvePath(root, join(root, path), known);
  if (location.kind === 'inside') return location.path;
  const fix = 'Replace the link with a directory, then repeat the same call.';
  throw pathError(join(root, path), root, 'it leads out of the project through a symbolic link', fix);
}

/** Whether `path` is `root` or lies below it. Both are absolute and normalized, and are compared as text. */
function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(withSeparator(root));
}

function withSeparator(directory: string): string {
  return directory.endsWith(sep) ? directory : `${directory}${sep}`;
}

/** Returns the stats of a path, not following links; undefined if nothing is there. @throws system errors */
export function readStats(path: string): Stats | undefined {
  try {
    // Node takes longer to create an error than to read the stats, hence `throwIfNoEntry: false`.
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Reads a regular file of at most `limit` bytes without ever blocking on a fifo.
 * @returns null if it is not a regular file, or is larger than `limit`
 * @throws system errors
 */
export function readRegular(path: string, limit: number): Buffer | null {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > limit) return null;
    const content = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < content.length) {
      const count = readSync(descriptor, content, length, content.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return content.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the text of a regular file of at most `limit` bytes.
 * @returns null if the file is missing, not a regular file, or larger than `limit`
 * @throws system errors, among them `ELOOP` for a link
 */
export function readRegularText(path: string, limit: number): string | null {
  try {
    return readRegular(path, limit)?.toString('utf8') ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether an error means that the path does not exist. */
export function isMissing(error: unknown): boolean {
  const code = getSystemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function followLinks(path: string, links: number): string | null {
  if (links === 0) return null;
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (getSystemCode(error) === 'ELOOP') return null;
    if (!isMissing(error) || path === dirname(path)) throw error;
  }
  const parent = followLinks(dirname(path), links);
  if (parent === null) return null;
  const here = join(parent, basename(path));
  const target = readLinkTarget(here);
  return target === null ? here : followLinks(resolve(parent, target), links - 1);
}

/** Returns the target of a dangling link; null for anything else. */
function readLinkTarget(path: string): string | null {
  return readStats(path)?.isSymbolicLink() ? readlinkSync(path) : null;
}
