import { formatInstant } from '../base/clock.js';
import { type GitOptions, git, nullIfRefused } from './git-command.js';

/** A commit as memory tells of it. */
export interface RecentCommit {
  sha: string;
  /** When it was made, UTC. */
  at: string;
  subject: string;
}

/** Commits that are looked at. */
const MOST = 20;

/**
 * Reads the newest commits of HEAD's history, newest first (memory.md, Entries).
 * @param workTree absolute path
 * @returns empty before the first commit, and where git cannot tell
 * @throws DevCliError `IO` (the work tree is gone), `INTERRUPTED`
 */
export async function readRecentCommits(workTree: string, options: GitOptions = {}): Promise<RecentCommit[]> {
  const format = ['--no-show-signature', '--encoding=UTF-8', '-z', '--format=%H %ct %s'];
  const asked = git(workTree, ['log', `--max-count=${MOST}`, ...format, 'HEAD'], options);
  const log = await nullIfRefused(asked);
  return (log?.toString('utf8') ?? '')
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [sha = '', seconds = '', ...subject] = line.split(' ');
      return { sha, at: formatInstant(Number(seconds) * 1000), subject: subject.join(' ') };
    });
}
