import { accessSync, constants, lstatSync, mkdirSync, realpathSync, statfsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { getSystemCode } from '../base/errors.js';

/** Bytes. What is written on a full disk is cut off and useless, and each call would leave some of it. */
const LEAST_FREE = 32 * 1024 * 1024;

/** What decides whom an entry of the file system belongs to. */
export interface Ownership {
  isDirectory: boolean;
  /** User id. */
  owner: number;
  /** With the bits of the file's type or without. */
  mode: number;
}

/** Whether a directory belongs to the user and is closed to everybody else. */
export function isPrivate({ isDirectory, owner, mode }: Ownership, user: number): boolean {
  return isDirectory && owner === user && (mode & 0o777) === 0o700;
}

/** Whether nobody but the user and root can put another entry in the place of one that lies in this directory. */
export function isSafeAbove({ isDirectory, owner, mode }: Ownership, user: number): boolean {
  const sticky = (mode & 0o1000) !== 0;
  return isDirectory && (owner === user || owner === 0) && ((mode & 0o022) === 0 || sticky);
}

/**
 * Prepares the directory in which Node keeps the compiled code of dev-cli: `dev-cli/compile` below the user's cache
 * directory (house.md, Speed). Node runs what lies there, so it has to be the user's own, in a place where nobody else
 * could exchange it. It is looked at before Node is told, which waits for ever on one that cannot be made.
 * @param user the id that this process acts as; undefined where there are none
 * @returns null when there is no such directory; the call is then somewhat slower
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

/** The directory that the XDG specification names; a relative one does not count. */
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
    if (!isPrivate(look(directory), user)) return null;
  }
  accessSync(cache, constants.W_OK | constants.X_OK);
  const { bavail, bsize } = statfsSync(cache);
  return bavail * bsize < LEAST_FREE ? null : cache;
}

/** @throws a system error */
function look(path: string): Ownership {
  const stats = lstatSync(path);
  return { isDirectory: stats.isDirectory(), owner: stats.uid, mode: stats.mode };
}

/** Makes one directory, closed to everybody else; another process may do so at the same time. */
function make(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (getSystemCode(error) !== 'EEXIST') throw error;
  }
}
