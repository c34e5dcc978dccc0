import { writeSync } from 'node:fs';
import { getSystemCode } from '../base/errors.js';

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
