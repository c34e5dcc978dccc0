import type { ExitCode } from '../base/error-codes.js';

/** What an exit code says; it judges only what was asked (protocol.md §1). */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done as asked',
  1: 'operational failure: I/O, a corrupt file, an external command that failed',
  2: 'usage: unknown command, option, name or choice; malformed data',
  3: 'refused: evidence or documents are missing or invalid; do more, then the same again',
  4: 'conflict: out of date, another live run, or the lock was not obtained in time',
  130: 'interrupted',
};
