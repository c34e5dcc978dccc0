import { formatInstant } from '../base/clock.js';
import { executeGit, type GitOptions, nullIfRefused } from './git-command.js';

/** A commit as memory shows it. */
export interface RecentCommit {
  sha: string;
  /** Commit time, UTC. */
  at: string;
  subject: string;
  /** The harness session in which a hook saw the commit, if any. */
  session?: string;
}

/** Maximum number of commits read. */
const MOST = 20;
const FORMAT = ['--no-show-signature', '--encoding=UTF-8', '-z', '--format=%H %ct %s'];

/**
 * Reads the newest commits of HEAD's history, newest first (memory.md, Entries), and, as `elsewhere`, commits that a
 * hook saw but that are not in this history. Leaves out commits that the repository no longer has.
 * @param workTree absolute path
 * @param seen the session of each commit that a hook saw, oldest first; the session may be empty
 * @returns empty lists before the first commit, and if git cannot tell
 * @throws DevCliError `IO` (the work tree is gone), `INTERRUPTED`
 */
export async function readRecentCommits(
  workTree: string,
  options: GitOptions = {},
  seen: ReadonlyMap<string, string> = new Map(),
): Promise<Record<'commits' | 'elsewhere', RecentCommit[]>> {
  const read = async (...range: string[]): Promise<RecentCommit[]> => {
    const asked = executeGit(workTree, ['log', `--max-count=${MOST}`, ...FORMAT, ...range], options);
    const lines = (await nullIfRefused(asked))?.toString('utf8').split('\0').filter(Boolean) ?? [];
    return lines.map((line) => {
      const [sha = '', seconds = '', ...subject] = line.split(' ');
      const session = seen.get(sha);
      return {
        sha,
        at: formatInstant(Number(seconds) * 1000),
        subject: subject.join(' '),
        ...(session && { session }),
      };
    });
  };
  const commits = await read('HEAD');
  const known = commits.map(({ sha }) => sha);
  const newest = [...seen.keys()].slice(-MOST);
  const others = newest.filter((sha) => sha.length === known[0]?.length && !known.includes(sha));
  const found = others.length === 0 ? [] : await read('--ignore-missing', ...others, '^HEAD');
  return { commits, elsewhere: found.filter(({ sha }) => others.includes(sha)) };
}
