import { linkSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { blockFor, type Clock, formatInstant, type Ids } from '../base/clock.js';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { isRecord, type JsonObject, parseOrNull } from '../base/json.js';
import { readRegular } from './inside.js';
import { ignoreFailure, pathError, renderPath, replaceErrorPath } from './io.js';
import { readPlainHolder } from './plain-holder.js';
import { isGone, type ProcessIdentity } from './process.js';

/** The content of a lock file: the holder, the time and the purpose of the lock (storage.md, Locks). */
export interface LockRecord extends ProcessIdentity {
  token: string;
  /** When the lock was taken, in UTC with milliseconds. */
  at: string;
  for: string;
}

/** A lock that this process holds. */
export interface Lock {
  /** Releases the lock. If its file cannot be removed, the lock becomes free when this process ends. */
  release(): void;
}

/** Which process takes a lock, for what purpose, and how it treats files that other programs wrote. */
export interface LockOwner {
  identity: ProcessIdentity;
  clock: Clock;
  ids: Ids;
  purpose: string;
  /**
   * For a lock file that other programs also use: the age in milliseconds above which a file that names no process
   * counts as abandoned. By default, an empty file counts as abandoned (after a power cut), and any other as held.
   */
  foreignMs?: number;
  /**
   * Set if other programs use the same lock file and write `pid: N` into it, as YAML. Such a file counts as held while
   * process N lives.
   */
  plain?: true;
  /** Additional keys to write to the file for other readers. The keys of `LockRecord` take precedence. */
  more?: JsonObject;
}

/** How long to wait, in milliseconds, and the root for paths in messages. */
export interface WaitLimit {
  waitMs: number;
  root: string | null;
}

const LONGEST_PAUSE_MS = 25;
/** How much of a file is read at most, in bytes: more than any lock file has. */
const LARGEST = 16 * 1024;

/**
 * Takes the lock at `path`, waiting at most `waitMs`.
 * @param beforeTry creates the directory before each attempt, since another call that has nothing to commit may remove
 * it at any time
 * @throws DevCliError `LOCKED` naming the holder; system errors unchanged
 */
export async function lock(path: string, taker: LockOwner, waiting: WaitLimit, beforeTry: () => void): Promise<Lock> {
  for (let [waited, pause] = [0, 1]; ; waited += pause, pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const got = attemptIn(beforeTry, path, taker, waited < waiting.waitMs);
    if ('release' in got) return got;
    if (waited >= waiting.waitMs) throw lockedError(path, got.holder, taker.identity, waiting.root);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function attemptIn(beforeTry: () => void, path: string, taker: LockOwner, again: boolean): ReturnType<typeof tryLock> {
  try {
    beforeTry();
    return tryLock(path, taker);
  } catch (error) {
    if (getSystemCode(error) !== 'ENOENT' || !again) throw error;
    return { holder: null };
  }
}

/** Takes a lock as `lock` does, but blocks the process; for locks that are held only briefly. */
export function lockSync(path: string, taker: LockOwner, waiting: WaitLimit): Lock {
  for (let [waited, pause] = [0, 1]; ; waited += pause, pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const got = tryLock(path, taker);
    if ('release' in got) return got;
    if (waited >= waiting.waitMs) throw lockedError(path, got.holder, taker.identity, waiting.root);
    blockFor(pause);
  }
}

/**
 * Takes the lock at `path` if it is free or its holder is gone. Never waits.
 * @returns the lock, or its holder (null if the file does not name one)
 */
export function tryLock(path: string, taker: LockOwner): Lock | { holder: LockRecord | null } {
  const token = taker.ids.hex(16);
  const mine: LockRecord = {
    ...taker.more,
    ...taker.identity,
    token,
    at: formatInstant(taker.clock.now()),
    for: taker.purpose,
  };
  for (;;) {
    if (putInPlace(path, mine)) return { release: () => ignoreFailure(() => removeIfToken(path, token)) };
    const found = readLock(path, taker.plain);
    if (found === undefined) continue;
    if (!isLeft(path, found, taker) || !breakLock(path, found, taker))
      return { holder: found === BLANK ? null : found };
  }
}

/** Whether nobody holds the lock any more. */
function isLeft(path: string, found: Found, { identity, clock, foreignMs }: LockOwner): boolean {
  if (found !== BLANK && found !== null) return isGone(found, identity);
  if (foreignMs === undefined) return found === BLANK;
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return since !== undefined && clock.now() - since > foreignMs;
}

/**
 * Reads the holder from the lock file at `path`: undefined if there is no file, null if the file names no holder.
 * @param plain as in `LockOwner`
 */
export function readHolder(path: string, plain?: true): LockRecord | null | undefined {
  const found = readLock(path, plain);
  return found === BLANK ? undefined : found;
}

/**
 * Marks a lock file that is empty or all zeros, as a power cut leaves it because its bytes are not synced. Nobody holds
 * it, since a lock file always appears with its whole content.
 */
const BLANK = 'blank';

/** The content of a lock file; null if it names no process. */
type Found = LockRecord | typeof BLANK | null;

function readLock(path: string, plain?: true): Found | undefined {
  try {
    const content = readRegular(path, LARGEST);
    if (content === null) return null;
    const text = content.toString('utf8');
    if (/^\0*$/.test(text)) return BLANK;
    return parseHolder(text) ?? (plain ? readPlainHolder(text) : null);
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'ENOENT') return undefined;
    // A link or a socket was not made by dev-cli: it counts as held, but names no process.
    if (code === 'ELOOP' || code === 'ENXIO') return null;
    throw error;
  }
}

/** Writes the file under a temporary name and hard-links it to `path`, so that a reader sees all of it or nothing. */
function putInPlace(path: string, mine: LockRecord): boolean {
  const temporary = `${path}.${mine.pid}.${mine.token}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(mine)}\n`);
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (getSystemCode(error) === 'EEXIST') return false;
    if (isLinkRefused(error)) throw withoutLinks(path, error);
    throw replaceErrorPath(error, dirname(path));
  } finally {
    ignoreFailure(() => removeIfThere(temporary));
  }
}

/** The errors of file systems without hard links: FAT, exFAT, some network shares and FUSE. */
const LINK_REFUSALS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

function isLinkRefused(error: unknown): boolean {
  const isLink = error instanceof Error && 'syscall' in error && error.syscall === 'link';
  return isLink && LINK_REFUSALS.includes(getSystemCode(error) ?? '');
}

/** Creates the error for missing hard links. Without them, two calls could get the lock and one lose its commit. */
function withoutLinks(path: string, cause: unknown): DevCliError {
  const problem = `its file system lacks hard links (${getSystemCode(cause)}), which dev-cli needs for locks`;
  const fix =
    'Ask the user to move the project to a file system with hard links (ext4, XFS, Btrfs, APFS; not FAT or exFAT).';
  return pathError(dirname(path), null, problem, fix, cause);
}

function removeIfToken(path: string, token: string): void {
  if (readToken(readLock(path)) === token) removeIfThere(path);
}

function readToken(found: Found | undefined): string | undefined {
  if (found === null) return 'foreign';
  return found === BLANK ? BLANK : found?.token;
}

/**
 * Removes a dead holder's lock, under a second lock named after the dead lock's token. So only one of several callers
 * removes it, and a late caller finds a new token in the lock and leaves it alone.
 */
function breakLock(path: string, dead: Found, taker: LockOwner): boolean {
  const token = readToken(dead);
  const second = tryLock(`${path}.break-${token}`, taker);
  if (!('release' in second)) return false;
  try {
    const found = readLock(path, taker.plain);
    // A file that names no process has no token to compare, and may have been replaced: check its age again.
    if (readToken(found) === token && found !== undefined && isLeft(path, found, taker)) removeIfThere(path);
    removeOrphans(path, taker.identity);
  } finally {
    second.release();
  }
  return true;
}

/**
 * Removes the files of processes that died while taking a lock: temporary files, and second locks of `breakLock` whose
 * dead lock no longer exists. Throws system errors.
 */
export function removeOrphans(path: string, here: ProcessIdentity): void {
  for (const name of readdirSync(dirname(path))) {
    const rest = name.startsWith(`${basename(path)}.`) ? name.slice(basename(path).length + 1) : '';
    const [match, pid, token] = /^(?:(\d+)\.[0-9a-f]+|break-([0-9a-f]+))$/.exec(rest) ?? [];
    // The lock with this token still exists, so another process may be about to break it.
    if (match === undefined || (token !== undefined && token === readToken(readLock(path)))) continue;
    const orphan = join(dirname(path), name);
    const holder =
      readHolder(orphan) ?? (pid === undefined ? null : { host: here.host, pid: Number(pid), start: null });
    if (holder !== null && isGone(holder, here)) removeIfThere(orphan);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (getSystemCode(error) !== 'ENOENT') throw error;
  }
}

function parseHolder(text: string): LockRecord | null {
  const value = parseOrNull(text);
  return isHolder(value) ? value : null;
}

function isHolder(value: unknown): value is LockRecord {
  if (!isRecord(value)) return false;
  const { host, pid, start, token, at, for: purpose } = value;
  const texts = [host, token, at, purpose].every((text) => typeof text === 'string');
  // The token becomes part of a file name, so it must not contain a path.
  return texts && /^[0-9a-f]{1,64}$/.test(String(token)) && isPid(pid) && (start === null || typeof start === 'string');
}

function isPid(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** Creates the error for a lock or claim that is held: names the holder, if known, and what a person can do. */
export function lockedError(
  path: string,
  holder: LockRecord | null,
  here: ProcessIdentity,
  root: string | null,
): DevCliError {
  const file = renderPath(path, root);
  if (holder === null) {
    return new DevCliError('LOCKED', `${file} exists and was not made by dev-cli.`, {
      details: [{ target: file, problem: 'not a lock file of dev-cli' }],
      fix: `Ask the user what ${file} is; dev-cli works once it is moved away.`,
    });
  }
  const elsewhere = describePlace(holder, here);
  const who = `process ${holder.pid}${elsewhere === null ? '' : ` ${elsewhere}`}`;
  const what = holder.for.slice(0, 80).replace(/[^\w .:-]/g, '?');
  return new DevCliError('LOCKED', `${file} is held by ${who}, since ${holder.at.slice(0, 24)}, for: ${what}.`, {
    details: [{ target: file, problem: `held by ${who}` }],
    fix:
      elsewhere === null
        ? 'Repeat the same call in a moment.'
        : `Repeat the same call in a moment. If it persists, ask the user to check there whether process ${holder.pid} is a running dev-cli (ps -p ${holder.pid}); if not, ${file} may be moved away.`,
  });
}

/** Describes where a holder runs if its process cannot be looked up from here; null if it can. */
function describePlace(holder: ProcessIdentity, here: ProcessIdentity): string | null {
  if (holder.host === here.host) return null;
  const [name = '', boot] = holder.host.split('@');
  const [ourName, ourBoot] = here.host.split('@');
  const shownName = name.slice(0, 64).replace(/[^\w.-]/g, '?');
  return name === ourName && boot === ourBoot
    ? `in another container or sandbox of this machine (${shownName})`
    : `on the machine ${shownName}`;
}
