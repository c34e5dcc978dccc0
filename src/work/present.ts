import type { Baseline, WorkTreeStatus } from './baseline.js';
import { lookAtChanges, lookAtPresent, type WorkTreeChanges } from './git.js';
import { askNow, type GitOptions } from './git-command.js';

// For decisions, which cannot wait: this process stands still until git has answered.

/**
 * Reads the work tree as `readPresent` does.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export function readPresentNow(workTree: string, options: GitOptions): WorkTreeStatus | null {
  return askNow(lookAtPresent(workTree), options);
}

/**
 * Finds what differs from a baseline, as `lookAtChanges` says.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED` (also if the repository or the baseline's commit is gone), `IO`, `INTERRUPTED`
 */
export function readChangesNow(workTree: string, baseline: Baseline, options: GitOptions): WorkTreeChanges {
  return askNow(lookAtChanges(workTree, baseline), options);
}
