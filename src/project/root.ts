import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { isName } from '../base/name.js';
import { isMissing, readRegularText } from '../store/inside.js';
import { pathError, toIoError, withIoErrors } from '../store/io.js';
import { readBinding } from './binding.js';
import { RUNS } from './layout.js';

/** The root of a call, and the work tree from which the call came. */
export interface FoundRoot {
  /** Absolute path. */
  root: string;
  /**
   * The directory that corresponds to the root in a work tree that dev-cli made; null if the call came from elsewhere.
   */
  workTree: string | null;
  /** The run for which that work tree was made; null without one. */
  boundRun: string | null;
  /** The goal for which the work tree was made. */
  boundGoal?: string;
}

/** The inputs for finding the root of a call. */
export interface RootQuery {
  /** Absolute path. */
  cwd: string;
  env: { DEV_CLI_ROOT?: string | undefined };
  /** The value of `--root`. */
  explicit?: string | undefined;
}

/** Directories that make their parent a root even if it has no run. */
const HOMES = ['.ai', '.nexus', '.dev/memory'];
/** A directory below `.dev/specs` that has one of these files is a run, or a plan from which a run can begin. */
const OF_RUNS = ['state.json', 'events.jsonl', 'plan-content.json'];
const LIMIT = 64 * 1024;

/**
 * Finds the root (protocol.md, Root). Starts no process and writes nothing. If a root is given explicitly, uses it
 * unchanged, and ignores the call's work tree unless that belongs to this root.
 * @throws DevCliError `USAGE` if the given root is not a directory; `IO` for a path that is not UTF-8, or if a work
 * tree's pointer to its root is not usable
 */
export function findRoot({ cwd, env, explicit }: RootQuery): FoundRoot {
  refuseNonUtf8Path({ cwd, env, explicit });
  const climbed = listAncestors(cwd);
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
 * Throws for a path that is not UTF-8. Node replaces its bytes with U+FFFD, so the search would find no root, or a
 * wrong root further up.
 * @throws DevCliError `IO` for such a directory
 */
function refuseNonUtf8Path({ cwd, env, explicit }: RootQuery): void {
  const given = explicit ?? (env.DEV_CLI_ROOT || undefined);
  const path = given === undefined ? cwd : resolve(cwd, given);
  if (!path.includes('\uFFFD') || isExistingDirectory(path)) return;
  const what = given === undefined ? 'the current directory' : explicit === undefined ? 'DEV_CLI_ROOT' : '--root';
  const fix = 'Ask the user to give the directory a name in UTF-8 (mv), then repeat the call there.';
  throw pathError(path, null, `the path of ${what} is not UTF-8, so no file in it can be named`, fix);
}

function isHome(directory: string): boolean {
  const runs = join(directory, RUNS);
  const isRun = (name: string) => isName(name) && OF_RUNS.some((file) => kindOf(join(runs, name, file)) !== 'nothing');
  return listNames(runs).some(isRun) || HOMES.some((name) => isExistingDirectory(join(directory, name)));
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // A directory that is missing or not readable for this user contains no root for them.
    return [];
  }
}

/** Lists the directories from `cwd` upward, to the top of the git work tree (`top`) or else of the file system. */
export function listAncestors(cwd: string): { passed: string[]; top: string | null } {
  const passed: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    passed.push(at);
    if (kindOf(join(at, '.git')) !== 'nothing') return { passed, top: at };
    if (at === dirname(at)) return { passed, top: null };
  }
}

/**
 * Reads the binding of the linked work tree at `top` from its git directory; null without one (storage.md, Work tree).
 */
function findBinding(top: string): FoundRoot | null {
  const gitDirectory = findLinkedGitDirectory(top);
  if (gitDirectory === null) return null;
  const pointer = join(gitDirectory, 'dev-cli-root');
  const text = readPointer(pointer);
  return text === null ? null : readBinding(top, pointer, text, isExistingDirectory);
}

/** Works like `findBinding`, but ignores an unusable pointer, so that a call with an explicit root still works. */
function findUsableBinding(top: string): FoundRoot | null {
  try {
    return findBinding(top);
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}

/** Returns the git directory of a linked work tree; null if `top` is not a linked work tree. */
export function findLinkedGitDirectory(top: string): string | null {
  const link = join(top, '.git');
  if (kindOf(link) !== 'file') return null;
  const path = /^gitdir: (.+)$/m.exec(readPointer(link) ?? '')?.[1]?.trim();
  return path === undefined ? null : resolve(top, path);
}

function checkedDirectory(path: string, option: string): string {
  if (isExistingDirectory(path)) return path;
  throw new DevCliError('USAGE', `${option} names ${path}, which is not a directory.`, {
    details: [{ target: option, problem: 'not a directory' }],
    fix: `Give ${option} an existing directory.`,
  });
}

export function isExistingDirectory(path: string): boolean {
  return kindOf(path) === 'directory';
}

function kindOf(path: string): 'file' | 'directory' | 'nothing' {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    // A parent directory that this user may not read contains no root for them.
    if (isMissing(error) || getSystemCode(error) === 'EACCES') return 'nothing';
    throw toIoError(error, path, null);
  }
}

/** Reads a file that contains a path: one of git's, or a work tree's pointer to its root. @throws DevCliError `IO` */
export function readPointer(path: string): string | null {
  return withIoErrors(path, null, () => readRegularText(path, LIMIT));
}
