import { toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import { RESIDUAL } from '../../../jobs/job.js';
import type { Transaction } from '../../../run/transaction.js';
import { isTrailer } from '../../../work/commit-search.js';
import { getTodoBody, readPlanHead } from '../plan/plan.js';

/** The messages and keys of an execution's commits (engine.md, Commits). */

/**
 * Returns the key by which a commit can be found again: the value of its trailer.
 * @param todo null for the residual commit
 */
export function getCommitKey(tx: Transaction, todo: string | null): string {
  return `${tx.state.runId}/${todo ?? RESIDUAL}`;
}

/**
 * Builds a commit's message: the message that the plan gives for the todo, otherwise the todo's title (documents.md,
 * plan-content.json).
 * @param todo null for the residual commit
 */
export function buildCommitMessage(tx: Transaction, todo: string | null): string {
  if (todo === null) return `Remaining changes of ${tx.state.name}`;
  const stated = readPlanHead(tx).commits?.find(({ afterTodo }) => afterTodo === todo)?.message;
  return cleanMessage(stated ?? '') || cleanMessage(getTodoBody(tx, todo).title) || todo;
}

/** Returns the first line of a message, which names the commit in the journal and the report. */
export function toSubject(message: string): string {
  return toBoundedLine(message.split('\n', 1)[0] ?? '', 200);
}

/** Makes each line safe for a terminal, and drops lines that look like another task's trailer. */
function cleanMessage(text: string): string {
  const lines = text.split('\n').map((line) => toWholeLine(line));
  return lines
    .filter((line) => !isTrailer(line))
    .join('\n')
    .trim();
}

/** Renders a branch; null stands for a detached HEAD. */
export function describeBranch(branch: string | null): string {
  return branch === null ? 'no branch (HEAD is detached)' : `branch ${toBoundedLine(branch, 100)}`;
}
