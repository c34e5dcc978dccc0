import { closeSync, fstatSync, statSync, writeSync } from 'node:fs';
import { blockFor } from '../base/clock.js';
import { getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';
import { ENDING_SIGNALS } from '../base/signals.js';

const tty = loadLazily<typeof import('node:tty')>('node:tty');

/**
 * Whether a descriptor of this process is a terminal. Pipes, files and the null device, which an agent's calls have,
 * are recognized first, because loading node:tty (with streams and sockets) costs more than the rest of a short call.
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
 * Writes a whole text synchronously, so that the process may exit right after; waits for a full pipe. A reader that is
 * gone is no error: the command has done its work.
 * @returns false when the reader is gone, or the terminal is closed
 */
export function writeAll(descriptor: 1 | 2, text: string): boolean {
  const bytes = Buffer.from(text, 'utf8');
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const code = getSystemCode(error);
      if (code === 'EPIPE' || (code === 'EIO' && fstatSync(descriptor).isCharacterDevice())) return false;
      if (code !== 'EAGAIN') throw error;
      blockFor(2);
    }
  }
  return true;
}

/**
 * Ends the process. Node gives a terminal back as it found it, by itself, and aborts at one that was closed meanwhile; a descriptor
 * that is closed it leaves alone, and the terminal's settings it has put back by then.
 */
export function endProcess(exit: number): never {
  for (const descriptor of [0, 1, 2]) {
    try {
      if (fstatSync(descriptor).isCharacterDevice()) closeSync(descriptor);
    } catch {
      // It was closed before.
    }
  }
  process.exit(exit);
}

/**
 * Listens for what ends a call early. Of each kind of signal only the first is caught; a second one ends the process at
 * once. Both are heard when a decision has its answer from git (work/present.ts). The end of a terminal's input is no
 * signal: nothing is left to wait for, and node would end the call as if it had done its work.
 * @returns a signal that the first of them aborts
 */
export function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const event of [...ENDING_SIGNALS, 'beforeExit']) process.once(event, () => controller.abort());
  return controller.signal;
}
