import { fstatSync, statSync } from 'node:fs';
import { loadLazily } from '../base/lazy.js';

const tty = loadLazily<typeof import('node:tty')>('node:tty');

/**
 * Whether a descriptor of this process is a terminal. Loading what can tell (node:tty, and with it streams and sockets) costs
 * more than all the rest of a short call, and an agent's calls have pipes, files or the null device there: those are told
 * apart first.
 */
export function isTerminal(descriptor: 0 | 1): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice() || stats.rdev === statSync('/dev/null').rdev) return false;
  } catch {
    // Closed, or a system without a null device of that name: the slow answer is right everywhere.
  }
  return tty().isatty(descriptor);
}
