import { fstatSync, statSync, writeSync } from 'node:fs';
import { getSystemCode } from '../base/errors.js';
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

/**
 * Writes a whole text before it returns, so that the process may end at once. A full pipe is waited for; a reader that
 * went away is no error: the command was done, nobody wants to know.
 * @returns false when the reader went away
 */
export function writeAll(descriptor: 1 | 2, text: string): boolean {
  const bytes = Buffer.from(text, 'utf8');
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const code = getSystemCode(error);
      if (code === 'EPIPE') return false;
      if (code !== 'EAGAIN') throw error;
      blockFor(2);
    }
  }
  return true;
}

/** Blocks for some milliseconds without burning the processor. */
export function blockFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** What ends a call from outside: Ctrl-C, a harness whose time is over, a terminal that goes away (protocol.md §1). */
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens from now on for signals that end a call. Each is heard once: the second of a kind ends the process at once.
 * @returns aborted by the first of them
 */
export function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ENDING_SIGNALS) process.once(signal, () => controller.abort());
  return controller.signal;
}
