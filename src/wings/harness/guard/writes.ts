import { lstatSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isRecord } from '../../../base/json.js';
import { RESERVED_NAMES } from '../../../base/reserved.js';
import { FILE_TOOLS, PATCH_TOOLS, SHELL_DIRECTORIES, SHELL_TOOLS } from '../../../generated/harness-events.js';
import { listAncestors } from '../../../project/root.js';
import { resolvePath } from '../../../store/inside.js';
import { isDirectory } from '../../../work/digest.js';
import { ANY_PATH, type DirectoryTest, findHistory, joinPaths } from '../../../work/shell/paths.js';
import { listPatched, listShellWrites } from '../../../work/shell/writes.js';
import type { ResolvedWrite } from './guard.js';

/** Determines what a tool call would write, by the tool names of each harness (harness.md, Guard). */

type Input = Readonly<Record<string, unknown>>;

/** The paths that a call would write, and its directory. */
interface Writes {
  /** The paths as the call gives them. */
  paths: string[];
  /** The directory of the call, if it names one. */
  directory: string | null;
}

/**
 * Lists the paths that a call would write; empty for a tool that writes no file. Returns null if the call writes but
 * does not name the file.
 * @param isDirectory returns whether a path, as the call names it, is a directory; it decides where a copy ends up
 */
export function listCallWrites(tool: string, input: Input, isDirectory?: DirectoryTest): Writes | null {
  const member = FILE_TOOLS[tool];
  if (member !== undefined) return listNamed(member, input);
  const { command } = input;
  if (PATCH_TOOLS.includes(tool))
    return typeof command === 'string' ? { paths: listPatched(command), directory: null } : null;
  if (!SHELL_TOOLS.includes(tool)) return { paths: [], directory: null };
  const directory = SHELL_DIRECTORIES.map((member) => input[member] ?? null).find((one) => one !== null) ?? null;
  if (typeof command !== 'string' || (directory !== null && typeof directory !== 'string')) return null;
  const isThere = (path: string) => isDirectory?.(joinPaths(directory ?? '', path) ?? path) === true;
  return { paths: listShellWrites(command, isThere), directory };
}

function listNamed(member: string, { [member]: path, edits }: Input): Writes | null {
  // Each edit may name a file of its own.
  const more = Array.isArray(edits) ? edits.flatMap((edit) => (isRecord(edit) ? [edit[member] ?? path] : [])) : [];
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

/** Resolves all paths that a call would write; null if it writes but does not name the file. */
export function resolveCall(
  { tool, input, cwd }: { tool: string; input: Input; cwd: string },
  place: Place,
): ResolvedWrite[] | null {
  const writes = listCallWrites(tool, input, (path) => isDirectory(locate(path, cwd, place)));
  if (writes === null) return null;
  const from = resolve(cwd, writes.directory ?? '');
  return writes.paths.flatMap((path) => resolveWrites(path, from, place));
}

/**
 * Resolves a path to where it really leads: follows links of its deepest existing ancestor and `..`, and folds the case
 * of `.dev`. After a link to a directory, some programs take `..` as the directory that contains the link, others as
 * the parent of the link's target; if the two differ, both are returned.
 * @param cwd absolute directory to which a relative path is relative
 * @throws system errors, except for paths that the tool could not write either
 */
function resolveWrites(path: string, cwd: string, place: Place): ResolvedWrite[] {
  const history = findHistory(path);
  if (history !== null) return changesHistory(history, cwd, place) ? ['history'] : [];
  const absolute = locate(path, cwd, place);
  const isAnything = path === ANY_PATH || path.endsWith('/.');
  const [root, workTree] = [followLinks(place.root), followLinks(place.workTree)];
  const ways = [absolute, ...fillIn(absolute, [root, workTree])].flatMap(followBoth);
  return [...new Set(ways)].map((way) => {
    const [inRoot, inWorkTree] = [findWithin(root, way), findWithin(workTree, way) ?? findGitAbove(workTree, way)];
    if (isAnything) return { inRoot: inRoot === null ? null : '', inWorkTree: inWorkTree === null ? null : '' };
    // A directory that contains the root also contains `.dev`.
    const holdsRoot = way === root || root.startsWith(way === '/' ? way : way + sep);
    return holdsRoot ? { inRoot: '.dev', inWorkTree: '' } : { inRoot, inWorkTree };
  });
}

/** Resolves a path under both readings of `..`. */
function followBoth(absolute: string): string[] {
  const way = followLinks(resolve(absolute));
  return absolute.split('/').includes('..') ? [way, followLinks(followSteps(absolute))] : [way];
}

/**
 * Lists what a path with wildcards may stand for: one of these directories, or `.dev` or a reserved name in it, with
 * the part of the path that follows. A path that reaches only a parent of one of these counts as reaching it. Does not
 * check whether the tool expands wildcards, because few file names contain one.
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

/**
 * Returns whether a pattern's part may match a name. Compares only the text before the first wildcard and after the
 * last; a leading dot must be literal.
 */
function mayBe(part: string, name: string): boolean {
  const from = part.search(WILDCARD);
  if (from === -1) return part === name;
  const [end = ''] = /[^*?\]}]*$/.exec(part) ?? [];
  return (from > 0 || !name.startsWith('.')) && name.startsWith(part.slice(0, from)) && name.endsWith(end);
}

/**
 * Returns whether git would change the history of the run's repository; other repositories, inside or outside the work
 * tree, do not matter.
 */
function changesHistory({ directory, word }: { directory: string; word: string }, cwd: string, place: Place): boolean {
  const at = locate(directory, cwd, place);
  if (word !== '' && isThere(`${at}/${word}`)) return false;
  const { top } = listAncestors(followLinks(resolve(at)));
  return top !== null && [place.root, place.workTree].some((one) => findWithin(top, followLinks(one)) !== null);
}

/** Makes a path absolute as a tool or a shell would; keeps `..`. */
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

/** Resolves a path directory by directory, as the operating system does. */
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
    // Unreachable, or no valid file name: a tool cannot write it either.
    return path;
  }
}

function findWithin(base: string, absolute: string): string | null {
  if (absolute !== base && !absolute.startsWith(base === '/' ? base : base + sep)) return null;
  return foldDev(relative(base, absolute).split(sep).join('/'));
}

/**
 * Returns the part of a path from `.git` on, if that `.git` is in a directory above the work tree. Git runs hooks from
 * there, if the work tree is a subdirectory of its repository, or is linked from a repository around it.
 */
function findGitAbove(workTree: string, absolute: string): string | null {
  const [, holder, path] = /^(.*?)\/(\.git(?:\/.*)?)$/is.exec(absolute) ?? [];
  return holder !== undefined && path !== undefined && workTree.startsWith(`${holder}/`) ? path : null;
}

/**
 * Folds the case of `.dev`, because some file systems take `.DEV/state.json` for `.dev/state.json`; on others, folding
 * does no harm.
 */
function foldDev(path: string): string {
  return /^\.dev(?:\/|$)/i.test(path) ? path.toLowerCase().slice(0, 4) + path.slice(4) : path;
}
