import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where skills have a goal written when a shell refuses it on standard input; relative to the root, or to where the call was made. */
export const GOAL_FILE = '.dev/goal.md';

/**
 * Removes the first goal file that there is, once a run has its goal. What is no regular file is left alone.
 * @param directories absolute, in the order in which a goal is looked for
 */
export function removeGoalFile(directories: readonly string[]): void {
  for (const directory of directories) {
    const path = join(directory, GOAL_FILE);
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (stats.isFile()) rmSync(path, { force: true });
    } catch {
      // The run exists: a useless file that stays must not make the call fail.
    }
    return;
  }
}
