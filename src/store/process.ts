import { readFileSync, readlinkSync } from 'node:fs';
import { getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';
import type { Boot } from './medium.js';
import type { Entry } from './store.js';

const os = loadLazily<typeof import('node:os')>('node:os');

/** A process, distinguishable from any other that has or had the same pid. */
export interface ProcessIdentity {
  /**
   * Where the pid is valid, as `name@boot@namespace`: host name and, on Linux, boot id and pid namespace. Two
   * containers on one machine share the boot id but have different names; a sandbox may differ only in its namespace.
   */
  host: string;
  pid: number;
  /** Start time in clock ticks since boot, from /proc; null on systems without it. */
  start: string | null;
}

let own: ProcessIdentity | undefined;

/** Returns the identity of the calling process, which never changes. */
export function identifyProcess(): ProcessIdentity {
  own ??= {
    host: [os().hostname(), readBootId() ?? '', readNamespace() ?? ''].join('@'),
    pid: process.pid,
    start: readProcessStatus(process.pid)?.start ?? null,
  };
  return own;
}

/**
 * Returns whether the process has certainly ended: it started before this machine's last boot, or its pid is now free
 * or belongs to a zombie or to a process with a different start time.
 */
export function isGone(other: ProcessIdentity, here: ProcessIdentity): boolean {
  if (other.host !== here.host) return isEarlierBoot(other.host, here.host);
  if (!isRunning(other.pid)) return true;
  const status = readProcessStatus(other.pid);
  if (status === null) return false;
  if (status.dead) return true;
  return other.start !== null && other.start !== status.start;
}

function isEarlierBoot(other: string, here: string): boolean {
  const [name, boot] = other.split('@');
  const [ourName, ourBoot] = here.split('@');
  return name === ourName && Boolean(boot) && Boolean(ourBoot) && boot !== ourBoot;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs and belongs to another user.
    return getSystemCode(error) !== 'ESRCH';
  }
}

function readProcessStatus(pid: number): { start: string; dead: boolean } | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the command in parentheses and may hold anything; the third is the state, the 22nd the start.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', start] = [fields[0], fields[19]];
  return start === undefined ? null : { start, dead: state === 'Z' || state === 'X' };
}

let bootId: string | null | undefined;

/** Returns the id of the machine's present boot; null if the system has none. Constant while the process lives. */
export function readBootId(): string | null {
  if (bootId === undefined) bootId = readOrNull('/proc/sys/kernel/random/boot_id')?.trim() || null;
  return bootId;
}

/** Returns the uptime of the system in seconds. */
export function readUptime(): number {
  return os().uptime();
}

/** Returns the number of the pid namespace; a process in another namespace has a different pid here, or none. */
function readNamespace(): string | null {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? null;
  } catch {
    // There is no /proc here. This is no error, as in `readOrNull`.
    return null;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // There is no /proc here, or the process is gone or hidden. This is no error; the caller just knows less.
    return null;
  }
}

/** How long (ms) after a boot an entry without boot id still counts as written before it: the clock may be off. */
const MARGIN = 60_000;

/**
 * Returns whether an entry was written before this machine's last boot, in which case only the journal is sure to have
 * survived, not the other files written with it (storage.md, Recovery). If a boot id is missing, the entry's time
 * decides.
 * @param now milliseconds since the epoch
 */
export function isOfEarlierBoot({ at, boot }: Pick<Entry, 'at' | 'boot'>, present: Boot, now: number): boolean {
  const id = present.id();
  if (boot !== undefined && id !== null) return boot !== id;
  return !(Date.parse(at) > now - present.uptime() * 1000 + MARGIN);
}
