import type { Output } from './print.js';
import { endProcess, writeAll } from './process.js';

/**
 * Prints what was answered, and ends the process. Where nothing could be, main.ts gets the call and starts from the beginning; nothing
 * has been printed or changed by then.
 */
export function endWith(answering: Promise<Output | null>): void {
  void answering
    .catch(() => null)
    .then(async (printed) => {
      if (printed === null) {
        await import('./main.js');
        return;
      }
      writeAll(1, printed.stdout);
      writeAll(2, printed.stderr);
      endProcess(printed.exit);
    });
}
