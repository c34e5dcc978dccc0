import { TRAILER } from './commit-search.js';
import { type Asking, askGit } from './git-command.js';

/** A commit as the history shows it. */
export interface LoggedCommit {
  sha: string;
  subject: string;
  /** What it changed, relative to the work tree; of a merge nothing. */
  paths: string[];
  /** What it is of, where its message has a trailer of dev-cli: `<runId>/<todo>`. */
  key: string | null;
}

/** Commits that are looked at; a report names only a few. */
const MOST = 50;

/**
 * What `readCommitsNow` (present.ts) asks: the newest commits between two, oldest first.
 * @param range.from null for all
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export function* lookAtCommits(
  workTree: string,
  { from, to }: { from: string | null; to: string },
): Asking<LoggedCommit[]> {
  const shown = ['--format=%x00%H%x01%B%x01', '--name-only', '--no-renames', '--relative', '--no-show-signature'];
  const range = from === null ? to : `${from}..${to}`;
  const answer = yield* askGit(workTree, ['log', '--reverse', `--max-count=${MOST}`, ...shown, range]);
  const own = new RegExp(`^(?:${TRAILER}|Dev-Cli-Undo): (\\S+)$`, 'm');
  return answer
    .toString('utf8')
    .split('\0')
    .slice(1)
    .map((commit) => {
      const [sha = '', message = '', paths = ''] = commit.split('\x01');
      const [subject = ''] = message.split('\n', 1);
      return { sha, subject, paths: paths.split('\n').filter(Boolean), key: own.exec(message)?.[1] ?? null };
    });
}
