import { readdirSync } from 'node:fs';
import { getSystemCode } from '../base/errors.js';
import { askPs, readProcFields } from './processes.js';

/** Index of the parent's pid in the result of `readProcFields` (proc(5): field 4). */
const PARENT = 1;

/** A process: its pid, and its parent's. */
type Process = readonly [pid: number, parent: number];

/**
 * Sends SIGTERM to a process and all its descendants, parents first, so that no parent starts another child. Used for
 * programs that need the terminal and therefore cannot have their own process group.
 */
export function endProcessTree(pid: number): void {
  const all = process.platform === 'linux' ? listFromProc() : listFromPs();
  const found = [pid];
  // The loop also visits the children that it appends, and so finds their children.
  for (const parent of found) found.push(...all.flatMap(([child, of]) => (of === parent ? [child] : [])));
  for (const one of found) {
    try {
      process.kill(one, 'SIGTERM');
    } catch (error) {
      const code = getSystemCode(error);
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }
}

function listFromProc(): Process[] {
  return readdirSync('/proc').flatMap((name): Process[] => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [[Number(name), Number(readProcFields(name)[PARENT])]];
    } catch {
      // The process has ended since the directory was read.
      return [];
    }
  });
}

function listFromPs(): Process[] {
  const answer = askPs(['-A', '-o', 'pid=', '-o', 'ppid=']);
  return [...answer.matchAll(/^\s*(\d+)\s+(\d+)/gm)].map(([, pid, parent]) => [Number(pid), Number(parent)]);
}
