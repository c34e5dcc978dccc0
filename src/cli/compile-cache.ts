import { accessSync, constants, lstatSync, mkdirSync, realpathSync, statfsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { getSystemCode } from '../base/errors.js';

/**
 * Minimum free space in bytes. On a full disk, every call would write an entry that is cut off and useless.
 */
const LEAST_FREE = 32 * 1024 * 1024;

/** The facts that decide who controls a file or directory. */
export interface FileOwnership {
  isDirectory: boolean;
  /** User id. */
  owner: number;
  /** The mode, with or without the bits of the file type. */
  mode: number;
}

/** Returns whether a directory belongs to the user and is closed to everybody else. */
export function isPrivateDirectory({ isDirectory, owner, mode }: FileOwnership, user: number): boolean {
  return isDirectory && owner === user && (mode & 0o777) === 0o700;
}

/** Returns whether only the user and root can replace the user's entries in this directory. */
export function isSafeAbove({ isDirectory, owner, mode }: FileOwnership, user: number): boolean {
  const sticky = (mode & 0o1000) !== 0;
  return isDirectory && (owner === user || owner === 0) && ((mode & 0o022) === 0 || sticky);
}

/**
 * Prepares the directory in which Node keeps the compiled code of dev-cli: `dev-cli/compile` below the user's cache
 * directory (house.md, Speed). Since Node runs the code in it, the directory must belong to the user and lie where
 * nobody else can replace it. Creates it first, because Node waits forever if it cannot create the directory itself.
 * @param user the id that this process acts as; undefined on systems without user ids
 * @returns null if no usable directory exists; the call is then just somewhat slower
 */
export function prepareCompileCache(env: NodeJS.ProcessEnv, user = process.geteuid?.()): string | null {
  const home = findCacheHome(env);
  if (home === null || user === undefined || env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return null;
  try {
    return prepareBelow(home, user);
  } catch (error) {
    if (getSystemCode(error) === undefined) throw error;
    return null;
  }
}

/** Returns the cache directory that the XDG specification names; a relative one does not count. */
function findCacheHome(env: NodeJS.ProcessEnv): string | null {
  const { XDG_CACHE_HOME: named = '', HOME: home = '' } = env;
  if (isAbsolute(named)) return named;
  return isAbsolute(home) ? join(home, '.cache') : null;
}

/** @throws a system error */
function prepareBelow(home: string, user: number): string | null {
  if (lstatSync(home, { throwIfNoEntry: false }) === undefined) {
    if (look(dirname(home)).owner !== user) return null;
    make(home);
  }
  const base = realpathSync(home);
  for (let above = base; ; above = dirname(above)) {
    if (!isSafeAbove(look(above), user)) return null;
    if (above === dirname(above)) break;
  }
  const own = join(base, 'dev-cli');
  const cache = join(own, 'compile');
  for (const directory of [own, cache]) {
    if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) make(directory);
    if (!isPrivateDirectory(look(directory), user)) return null;
  }
  accessSync(cache, constants.W_OK | constants.X_OK);
  const { bavail, bsize } = statfsSync(cache);
  return bavail * bsize < LEAST_FREE ? null : cache;
}

/** @throws a system error */
function look(path: string): FileOwnership {
  const stats = lstatSync(path);
  return { isDirectory: stats.isDirectory(), owner: stats.uid, mode: stats.mode };
}

/** Creates a directory that is closed to everybody else; another process may create it at the same time. */
function make(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (getSystemCode(error) !== 'EEXIST') throw error;
  }
}
