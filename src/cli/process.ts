import { closeSync, fstatSync, statSync, writeSync } from 'node:fs';
import { blockFor } from '../base/clock.js';
import { getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';
import { ENDING_SIGNALS } from '../base/signals.js';

const tty = loadLazily<typeof import('node:tty')>('node:tty');

/**
 * Returns whether a descriptor of this process is a terminal. Pipes, files and the null device, which agents use, are
 * recognized first, because loading node:tty (with streams and sockets) takes longer than the rest of a short call.
 */
export function isTerminal(descriptor: 0 | 1): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice() || stats.rdev === statSync('/dev/null').rdev) return false;
  } catch {
    // The descriptor is closed, or the null device has another name here; the slow check below handles both.
  }
  return tty().isatty(descriptor);
}

/**
 * Writes a whole text synchronously, so that the process may exit right afterwards; waits while a pipe is full. A
 * reader that is gone is not an error, since the command has done its work.
 * @returns false if the reader is gone or the terminal is closed
 */
export function writeWholeText(descriptor: 1 | 2, text: string): boolean {
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
 * Ends the process. On its way out, Node resets the settings of each terminal that is still open, and aborts if that
 * terminal was closed in the meantime. dev-cli has already restored the settings, so it closes the descriptors first,
 * and Node then skips them.
 */
export function endProcess(exit: number): never {
  for (const descriptor of [0, 1, 2]) {
    try {
      if (fstatSync(descriptor).isCharacterDevice()) closeSync(descriptor);
    } catch {
      // It was already closed.
    }
  }
  process.exit(exit);
}

/**
 * Listens for events that end a call early. Only the first signal of each kind is caught; a second one ends the process
 * at once, except during a decision that waits for git (work/present.ts). The event `beforeExit` counts too: the end of
 * a terminal's input causes no signal, but leaves Node with nothing to wait for, and it would end the call as if it had
 * succeeded.
 * @returns a signal that the first of these events aborts
 */
export function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const event of [...ENDING_SIGNALS, 'beforeExit']) process.once(event, () => controller.abort());
  return controller.signal;
}
