import { toBoundedLine, toWholeLine } from '../../documents/foreign.js';
import { RESIDUAL } from '../../jobs/job.js';
import type { Transaction } from '../../run/transaction.js';
import { isTrailer } from '../../work/commit-search.js';
import { getTodoBody, readPlanHead } from './plan.js';

/** Commits of an execution in words: by which they are known again, what they say, what is said of them (engine.md, Commits). */

/** Instead of a commit that was made and cannot be told from others. */
export const NO_SHA = 'made, sha unknown';

/** By which a commit is known again, as its trailer says; null: the one of all that remains. */
export function getCommitKey(tx: Transaction, todo: string | null): string {
  return `${tx.state.runId}/${todo ?? RESIDUAL}`;
}

/**
 * The plan's message for the todo, else its title (documents.md, plan-content.json); null: for the commit of all that remains. A line
 * that names another task is left out: it would be taken for the commit of that one.
 */
export function buildCommitMessage(tx: Transaction, todo: string | null): string {
  if (todo === null) return `Remaining changes of ${tx.state.name}`;
  const stated = readPlanHead(tx).commits?.find(({ afterTodo }) => afterTodo === todo)?.message;
  return cleanMessage(stated ?? '') || cleanMessage(getTodoBody(tx, todo).title) || todo;
}

/** Whoever reads the log reads it in a terminal. */
function cleanMessage(text: string): string {
  const lines = text.split('\n').map((line) => toWholeLine(line));
  return lines
    .filter((line) => !isTrailer(line))
    .join('\n')
    .trim();
}

/** A branch as people name it. */
export function describeBranch(branch: string | null): string {
  return branch === null ? 'no branch (HEAD is detached)' : `branch ${toBoundedLine(branch, 100)}`;
}
