import { readFileSync, readlinkSync } from 'node:fs';
import { getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';
import type { Boot } from './medium.js';
import type { Entry } from './store.js';

const os = loadLazily<typeof import('node:os')>('node:os');

/** A process, told apart from any other that has or had its number. */
export interface ProcessIdentity {
  /**
   * Where its number means something: host name and, on Linux, boot id and process namespace, `name@boot@namespace`. Two
   * containers of one machine have one boot id and two names; a sandbox may differ in its namespace only.
   */
  host: string;
  pid: number;
  /** Start time in clock ticks since boot, from /proc; null where there is none. */
  start: string | null;
}

let own: ProcessIdentity | undefined;

/** The identity of the calling process. It does not change while the process lives. */
export function identifyProcess(): ProcessIdentity {
  own ??= {
    host: [os().hostname(), readBootId() ?? '', readNamespace() ?? ''].join('@'),
    pid: process.pid,
    start: readProcessStatus(process.pid)?.start ?? null,
  };
  return own;
}

/**
 * Whether the process has certainly ended: it was started before this machine's last boot; or its number is free now, or
 * belongs to a zombie or to a process started at another time.
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
    // EPERM: it runs and belongs to somebody else.
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

/** Identifies the present boot of the machine; null where the system does not tell it. It does not change while a process lives. */
export function readBootId(): string | null {
  if (bootId === undefined) bootId = readOrNull('/proc/sys/kernel/random/boot_id')?.trim() || null;
  return bootId;
}

/** Returns the seconds since the present boot. */
export function readUptime(): number {
  return os().uptime();
}

/** Whether a process can be looked up: one of another namespace has another number here, or none. */
function readNamespace(): string | null {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? null;
  } catch {
    // As below.
    return null;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // No /proc here, or the process is gone or hidden: not an error, there is less to know.
    return null;
  }
}

/** How long after a boot, in milliseconds, an entry without a boot id still counts as older: the clock may have been set meanwhile. */
const MARGIN = 60_000;

/**
 * Whether an entry was written before this machine's last boot: of what was written with it, only the journal is certain
 * (storage.md, Recovery). Where either side lacks an id, the entry's instant decides.
 * @param now milliseconds since the epoch
 */
export function isOfEarlierBoot({ at, boot }: Pick<Entry, 'at' | 'boot'>, present: Boot, now: number): boolean {
  const id = present.id();
  if (boot !== undefined && id !== null) return boot !== id;
  return !(Date.parse(at) > now - present.uptime() * 1000 + MARGIN);
}
