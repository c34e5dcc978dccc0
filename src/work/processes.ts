import { readdirSync, readFileSync } from 'node:fs';
import { getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';

/** Loading it takes several milliseconds, and hardly any acknowledgement starts a process. */
export const childProcess = loadLazily<typeof import('node:child_process')>('node:child_process');

/** Waits without blocking. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** How long a process group has between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;
/** How long to wait for what was killed to be gone; a process stuck in the kernel never goes. */
const COLLECTED_MS = 1_000;
const POLL_MS = 25;

/** Places in the list that procFields gives (proc(5): fields 3, 5 and 22). */
const STATE = 0;
const GROUP = 2;
const START = 19;

/**
 * When a process started, as a word to compare: clock ticks since boot on Linux, the time to the second elsewhere. With
 * it a process is told from a later one of the same number. Null when there is none, or only a dead one not collected.
 */
export function readStartTime(pid: number): string | null {
  try {
    const [state, start] = process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid);
    return isDead(state) ? null : start;
  } catch {
    // No such process: there is nothing to read, and ps fails.
    return null;
  }
}

function readFromProc(pid: number): [state: string, start: string] {
  const fields = readProcFields(pid);
  return [fields[STATE] ?? '', fields[START] ?? ''];
}

/** The fields of /proc/<pid>/stat behind the second, the program's name in parentheses, which may hold anything. */
function readProcFields(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readFromPs(pid: number): [state: string, start: string] {
  const answer = childProcess().execFileSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', `${pid}`], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC0' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [state = '', ...start] = answer.trim().split(/\s+/);
  return [state, start.join(' ')];
}

/**
 * Ends every process of a group: SIGTERM, five seconds, SIGKILL. Returns when the group is gone, or could not be.
 * @param pgid a group that is known to be the one meant
 */
export async function endProcessGroup(pgid: number): Promise<void> {
  if (!signalGroup(pgid, 'SIGTERM')) return;
  if (await isGone(pgid, GRACE_MS)) return;
  signalGroup(pgid, 'SIGKILL');
  await isGone(pgid, COLLECTED_MS);
}

async function isGone(pgid: number, milliseconds: number): Promise<boolean> {
  const over = performance.now() + milliseconds;
  while (isPopulated(pgid)) {
    if (performance.now() > over) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Dead processes that nobody collects keep a group in being; in a container without an init that is for ever. */
function isPopulated(pgid: number): boolean {
  if (!signalGroup(pgid, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const fields = readProcFields(name);
      return fields[GROUP] === String(pgid) && !isDead(fields[STATE]);
    } catch {
      // It ended between the two looks.
      return false;
    }
  });
}

/** False when there is nobody in the group who could be reached. */
function signalGroup(pgid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-pgid, signal);
  } catch (error) {
    const code = getSystemCode(error);
    // macOS says EPERM of a group whose members have all ended and were not collected.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

function isDead(state = ''): boolean {
  return state.startsWith('Z') || state.startsWith('X');
}
