import { TASK_TRAILER } from './commit-search.js';
import { executeGit, type GitOptions } from './git-command.js';

/** Finds the commits of todos that can be undone, and those undone already (control.md, Undoing). */

/** The trailer of a commit that undoes a todo's commits. */
export const UNDO_TRAILER = 'Dev-Cli-Undo';

/** A commit of one todo or, if somebody has squashed commits, of several. */
export interface TodoCommit {
  sha: string;
  subject: string;
  /** The todos named in its trailers. */
  todos: string[];
}

/** The commits of todos in HEAD's history. */
export interface UndoHistory {
  /** Commits of the todos that have not been undone yet, newest first. */
  made: TodoCommit[];
  /** For each todo, the commit that undid its earlier ones. */
  undone: Map<string, string>;
}

/**
 * Finds the commits of these todos in HEAD's history by their trailers, which an amend or a rebase keeps.
 * @param runId the run that made them
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function readUndoHistory(
  workTree: string,
  runId: string,
  todos: readonly string[],
  options: GitOptions,
): Promise<UndoHistory> {
  const lines = [TASK_TRAILER, UNDO_TRAILER].map((trailer) => `${trailer}: ${runId}/`);
  const grep = lines.map((line) => `--grep=${line}`);
  const format = '--format=%H%n%s%n%B';
  const asked = ['log', '--no-show-signature', '--topo-order', '--fixed-strings', ...grep, '-z', format, 'HEAD'];
  const answer = (await executeGit(workTree, asked, options)).toString('utf8');
  const history: UndoHistory = { made: [], undone: new Map() };
  for (const commit of answer.split('\0').filter(Boolean)) {
    const [sha = '', subject = '', ...body] = commit.split('\n');
    const made = readKeys(body, TASK_TRAILER, runId).filter((todo) => !history.undone.has(todo));
    if (made.some((todo) => todos.includes(todo))) history.made.push({ sha, subject, todos: made });
    for (const todo of readKeys(body, UNDO_TRAILER, runId)) {
      if (!history.undone.has(todo)) history.undone.set(todo, sha);
    }
  }
  // A todo that was redone after its undo does not count as undone.
  const standing = new Set(history.made.flatMap((one) => one.todos));
  for (const todo of standing) history.undone.delete(todo);
  return history;
}

function readKeys(lines: readonly string[], trailer: string, runId: string): string[] {
  const start = `${trailer}: ${runId}/`;
  return lines.flatMap((line) => (line.trim().startsWith(start) ? line.trim().slice(start.length) : []));
}
