import type { WorkTreeStatus } from './baseline.js';
import { lookAtPresent } from './git.js';
import { askNow, type GitOptions } from './git-command.js';

/**
 * Reads the work tree as `readPresent` does, but at once, for a decision: this process stands still meanwhile.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export function readPresentNow(workTree: string, options: GitOptions): WorkTreeStatus | null {
  return askNow(lookAtPresent(workTree), options);
}
