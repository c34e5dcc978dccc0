import { lstatSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isRecord } from '../../../base/json.js';
import { RESERVED_NAMES } from '../../../base/reserved.js';
import { FILE_TOOLS, PATCH_TOOLS, SHELL_DIRECTORIES, SHELL_TOOLS } from '../../../generated/harness-events.js';
import { climb } from '../../../project/root.js';
import { resolvePath } from '../../../store/inside.js';
import { isDirectory } from '../../../work/digest.js';
import { ANYTHING, type DirectoryTest, findHistory, joinPaths } from '../../../work/shell/paths.js';
import { listPatched, listShellWrites } from '../../../work/shell/writes.js';
import type { Write } from './guard.js';

/** What a call of a tool would write, in the names of each harness's tools (harness.md, Guard). */

type Input = Readonly<Record<string, unknown>>;

/** What a call would write, and where it does. */
interface Writes {
  /** As the call names them. */
  paths: string[];
  /** The directory of the call where it names one. */
  directory: string | null;
}

/**
 * Lists the paths that a call would write; none for a tool that writes no file. Null for one that does and does not say which.
 * @param isDirectory of a path as the call names it; only where a copy comes to lie depends on it
 */
export function listWrites(tool: string, input: Input, isDirectory?: DirectoryTest): Writes | null {
  const member = FILE_TOOLS[tool];
  if (member !== undefined) return listNamed(input[member], input['edits']);
  const { command } = input;
  if (PATCH_TOOLS.includes(tool))
    return typeof command === 'string' ? { paths: listPatched(command), directory: null } : null;
  if (!SHELL_TOOLS.includes(tool)) return { paths: [], directory: null };
  const directory = SHELL_DIRECTORIES.map((member) => input[member] ?? null).find((one) => one !== null) ?? null;
  if (typeof command !== 'string' || (directory !== null && typeof directory !== 'string')) return null;
  const isThere = (path: string) => isDirectory?.(joinPaths(directory ?? '', path) ?? path) === true;
  return { paths: listShellWrites(command, isThere), directory };
}

function listNamed(path: unknown, edits: unknown): Writes | null {
  // An edit of several may name a file of its own.
  const more = Array.isArray(edits) ? edits.flatMap((edit) => (isRecord(edit) ? [edit['file_path'] ?? path] : [])) : [];
  const paths = [path, ...more].filter((one) => typeof one === 'string');
  return paths.length === more.length + 1 && paths.every((one) => one.trim() !== '')
    ? { paths, directory: null }
    : null;
}

/** The directories that a write is compared with, and the home directory; all absolute. */
interface Place {
  root: string;
  workTree: string;
  home: string;
}

/** Follows all that a call would write; null where it writes and does not say what. */
export function resolveCall(
  { tool, input, cwd }: { tool: string; input: Input; cwd: string },
  place: Place,
): Write[] | null {
  const writes = listWrites(tool, input, (path) => isDirectory(locate(path, cwd, place)));
  if (writes === null) return null;
  const from = resolve(cwd, writes.directory ?? '');
  return writes.paths.flatMap((path) => resolveWrites(path, from, place));
}

/**
 * Follows a path to where it really leads: links of its deepest existing ancestor, `..`, and, on a file system that folds it, case.
 * Programs differ in whether `..` leads back through a link or to its directory: both ways are returned where there are two.
 * @param cwd absolute directory that a relative path counts from
 * @throws system errors but those of a path that cannot be written either
 */
function resolveWrites(path: string, cwd: string, place: Place): Write[] {
  const history = findHistory(path);
  if (history !== null) return changesHistory(history, cwd, place) ? ['history'] : [];
  const absolute = locate(path, cwd, place);
  const isAnything = path === ANYTHING || path.endsWith('/.');
  const [root, workTree] = [followLinks(place.root), followLinks(place.workTree)];
  const ways = [absolute, ...fillIn(absolute, [root, workTree])].flatMap(followBoth);
  return [...new Set(ways)].map((way) => {
    const [inRoot, inWorkTree] = [findWithin(root, way), findWithin(workTree, way) ?? findGitAbove(workTree, way)];
    if (isAnything) return { inRoot: inRoot === null ? null : '', inWorkTree: inWorkTree === null ? null : '' };
    // What holds the root holds `.dev`.
    const holdsRoot = way === root || root.startsWith(way === '/' ? way : way + sep);
    return holdsRoot ? { inRoot: '.dev', inWorkTree: '' } : { inRoot, inWorkTree };
  });
}

/** By both readings of `..`. */
function followBoth(absolute: string): string[] {
  const way = followLinks(resolve(absolute));
  return absolute.split('/').includes('..') ? [way, followLinks(followSteps(absolute))] : [way];
}

/**
 * What a pattern may stand for: these directories, what is reserved at their top, or what holds them; with the rest of it behind.
 * Whether a tool takes wildcards is not asked: few name a file with one.
 */
function fillIn(absolute: string, directories: readonly string[]): string[] {
  const parts = absolute.split('/').filter((part) => part !== '' && part !== '.');
  const at = parts.findIndex((part) => WILDCARD.test(part));
  if (at === -1) return [];
  const targets = directories.flatMap((one) => [one, ...['.dev', ...RESERVED_NAMES].map((name) => join(one, name))]);
  return followBoth(`/${parts.slice(0, at).join('/')}`).flatMap((head) =>
    targets.flatMap((target) => {
      const names = relative(head, target).split(sep);
      const isBelow = names[0] !== '' && names[0] !== '..';
      const pattern = parts.slice(at, at + names.length);
      const fits = isBelow && pattern.every((part, index) => mayBe(part, names[index] ?? ''));
      return fits ? [[target, ...parts.slice(at + names.length)].join('/')] : [];
    }),
  );
}

const WILDCARD = /[*?[{]/;

/** By what stands before the first wildcard and behind the last; a point at the beginning has to stand there itself. */
function mayBe(part: string, name: string): boolean {
  const from = part.search(WILDCARD);
  if (from === -1) return part === name;
  const [end = ''] = /[^*?\]}]*$/.exec(part) ?? [];
  return (from > 0 || !name.startsWith('.')) && name.startsWith(part.slice(0, from)) && name.endsWith(end);
}

/** Whether git would change what it keeps of the run's repository; another one inside or outside of it is nobody's concern. */
function changesHistory({ directory, word }: { directory: string; word: string }, cwd: string, place: Place): boolean {
  const at = locate(directory, cwd, place);
  if (word !== '' && isThere(`${at}/${word}`)) return false;
  const { top } = climb(followLinks(resolve(at)));
  return top !== null && [place.root, place.workTree].some((one) => findWithin(top, followLinks(one)) !== null);
}

/** A path as a tool or a shell names it, made absolute; `..` stays in it. */
function locate(path: string, cwd: string, { home }: Pick<Place, 'home'>): string {
  const named = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
  return isAbsolute(named) ? named : `${cwd}/${named}`;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    // Nothing is there, or it cannot be reached.
    return false;
  }
}

/** Leads from directory to directory, as the system does. */
function followSteps(path: string): string {
  return path
    .split('/')
    .reduce(
      (at, name) => (name === '..' ? dirname(followLinks(at)) : name === '' || name === '.' ? at : join(at, name)),
      '/',
    );
}

function followLinks(path: string): string {
  try {
    const found = resolvePath('/', path);
    return found.kind === 'inside' ? found.path : path;
  } catch {
    // Not to be reached, or no name for a file: nor can a tool write it.
    return path;
  }
}

function findWithin(base: string, absolute: string): string | null {
  if (absolute !== base && !absolute.startsWith(base === '/' ? base : base + sep)) return null;
  return foldDev(relative(base, absolute).split(sep).join('/'));
}

/** A work tree may be a part of its repository, or linked to one that holds it: hooks run from there. */
function findGitAbove(workTree: string, absolute: string): string | null {
  const [, holder, path] = /^(.*?)\/(\.git(?:\/.*)?)$/is.exec(absolute) ?? [];
  return holder !== undefined && path !== undefined && workTree.startsWith(`${holder}/`) ? path : null;
}

/** `.DEV/state.json` is `.dev/state.json` where the file system folds case, and no harm is done where it does not. */
function foldDev(path: string): string {
  return /^\.dev(?:\/|$)/i.test(path) ? path.toLowerCase().slice(0, 4) + path.slice(4) : path;
}
