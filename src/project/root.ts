import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { isName } from '../base/name.js';
import { isMissing, readRegularText } from '../store/inside.js';
import { pathError, toIoError, withIoErrors } from '../store/io.js';
import { readBinding } from './binding.js';
import { RUNS } from './layout.js';

/** The root of a call, and the work tree that it came from. */
export interface FoundRoot {
  /** Absolute. */
  root: string;
  /** Where the root would lie in the work tree that was made for it and the call came from, absolute; null when it came from elsewhere. */
  workTree: string | null;
  /** The run that work tree was made for; null for one that was made for no run. */
  boundRun: string | null;
  /** The goal that it was made for. */
  boundGoal?: string;
}

/** What the root of a call is found by. */
export interface RootQuery {
  /** Absolute. */
  cwd: string;
  env: { DEV_CLI_ROOT?: string | undefined };
  /** The value of `--root`. */
  explicit?: string | undefined;
}

/** Directories that make their parent a root even if it has no run. */
const HOMES = ['.ai', '.nexus', '.dev/memory'];
/** A directory below `.dev/specs` with one of these is a run, or a plan to begin one with. */
const OF_RUNS = ['state.json', 'events.jsonl', 'plan-content.json'];
const LIMIT = 64 * 1024;

/**
 * Finds the root (protocol.md, Root). Starts no process and writes nothing.
 * A given root is taken as it is; the work tree the call came from counts only when it belongs to that root.
 * @throws DevCliError `USAGE` when the given root is no directory; `IO` for a path that is not UTF-8, and when a work tree's
 * pointer cannot be used
 */
export function findRoot({ cwd, env, explicit }: RootQuery): FoundRoot {
  refuseNonUtf8Path({ cwd, env, explicit });
  const climbed = climb(cwd);
  const given = explicit ?? (env.DEV_CLI_ROOT || undefined);
  const bound = climbed.top === null ? null : (given === undefined ? findBinding : findUsableBinding)(climbed.top);
  if (given !== undefined) {
    const root = checkedDirectory(resolve(cwd, given), explicit === undefined ? 'DEV_CLI_ROOT' : '--root');
    return bound?.root === root ? bound : { root, workTree: null, boundRun: null };
  }
  if (bound !== null) return bound;
  const home = climbed.passed.find(isHome);
  return { root: home ?? climbed.top ?? cwd, workTree: null, boundRun: null };
}

/**
 * Refuses a path that is not UTF-8: Node replaces its bytes by U+FFFD and would find nothing there, or a root further up.
 * @throws DevCliError `IO` for such a directory
 */
function refuseNonUtf8Path({ cwd, env, explicit }: RootQuery): void {
  const given = explicit ?? (env.DEV_CLI_ROOT || undefined);
  const path = given === undefined ? cwd : resolve(cwd, given);
  if (!path.includes('\uFFFD') || isDirectory(path)) return;
  const what = given === undefined ? 'the current directory' : explicit === undefined ? 'DEV_CLI_ROOT' : '--root';
  const fix = 'Ask the user to give the directory a name in UTF-8 (mv), then repeat the call there.';
  throw pathError(path, null, `the path of ${what} is not UTF-8, and no file in it can be named`, fix);
}

function isHome(directory: string): boolean {
  const runs = join(directory, RUNS);
  const isRun = (name: string) => isName(name) && OF_RUNS.some((file) => kindOf(join(runs, name, file)) !== 'nothing');
  return listNames(runs).some(isRun) || HOMES.some((name) => isDirectory(join(directory, name)));
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Missing, or not readable for this user: no root for them.
    return [];
  }
}

/** The directories from `cwd` upward, up to the git top level (`top`) where there is one. */
export function climb(cwd: string): { passed: string[]; top: string | null } {
  const passed: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    passed.push(at);
    if (kindOf(join(at, '.git')) !== 'nothing') return { passed, top: at };
    if (at === dirname(at)) return { passed, top: null };
  }
}

/** What the work tree at `top` was made for: its `.git` is a file, and the git directory it leads to says so (storage.md, Work tree). */
function findBinding(top: string): FoundRoot | null {
  const gitDirectory = findLinkedGitDirectory(top);
  if (gitDirectory === null) return null;
  const pointer = join(gitDirectory, 'dev-cli-root');
  const text = readPointer(pointer);
  return text === null ? null : readBinding(top, pointer, text, isDirectory);
}

/** The same where the root is given: that is what to do about a pointer that cannot be used, so it is ignored. */
function findUsableBinding(top: string): FoundRoot | null {
  try {
    return findBinding(top);
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}

/** Where the `.git` of a linked work tree leads; null where it is none. */
export function findLinkedGitDirectory(top: string): string | null {
  const link = join(top, '.git');
  if (kindOf(link) !== 'file') return null;
  const path = /^gitdir: (.+)$/m.exec(readPointer(link) ?? '')?.[1]?.trim();
  return path === undefined ? null : resolve(top, path);
}

function checkedDirectory(path: string, option: string): string {
  if (isDirectory(path)) return path;
  throw new DevCliError('USAGE', `${option} names ${path}, which is no directory.`, {
    details: [{ target: option, problem: 'not a directory' }],
    fix: `Give ${option} an existing directory.`,
  });
}

export function isDirectory(path: string): boolean {
  return kindOf(path) === 'directory';
}

function kindOf(path: string): 'file' | 'directory' | 'nothing' {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    // A parent that this user may not read holds no root for them.
    if (isMissing(error) || getSystemCode(error) === 'EACCES') return 'nothing';
    throw toIoError(error, path, null);
  }
}

/** The text of a file that leads elsewhere: git's, or a work tree's to its root. @throws DevCliError `IO` */
export function readPointer(path: string): string | null {
  return withIoErrors(path, null, () => readRegularText(path, LIMIT));
}
