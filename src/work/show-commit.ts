import { executeGit } from './git-command.js';

/** Options that keep git from running configured programs: no signature check, no external diff or textconv. */
const SHOW = ['-c', 'log.showSignature=false', 'show', '--no-color', '--no-ext-diff', '--no-textconv'];

/**
 * Shows a commit: its author, date and message, how much each file changed, and the patch.
 * @param sha a commit that dev-cli has recorded
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function showCommit(root: string, sha: string, signal: AbortSignal): Promise<string> {
  return (await executeGit(root, [...SHOW, '--stat', '--patch', sha, '--'], { signal })).toString('utf8');
}
