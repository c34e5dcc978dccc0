import type { Output } from './print.js';
import { endProcess, writeWholeText } from './process.js';

/**
 * Prints an answer, and ends the process. If there is no answer, main.ts handles the call from the beginning, since
 * nothing has been printed or changed yet.
 */
export function printAndExit(answering: Promise<Output | null>): void {
  void answering
    .catch(() => null)
    .then(async (printed) => {
      if (printed === null) {
        await import('./main.js');
        return;
      }
      writeWholeText(1, printed.stdout);
      writeWholeText(2, printed.stderr);
      endProcess(printed.exit);
    });
}
