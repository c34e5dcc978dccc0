import { foreignLine, wholeLine } from '../../documents/foreign.js';
import { RESIDUAL } from '../../jobs/job.js';
import type { Turn } from '../../run/turn.js';
import { isTrailer } from '../../work/commit-search.js';
import { bodyOf, planHead } from './plan.js';

/** Commits of an execution in words: by which they are known again, what they say, what is said of them (engine.md, Commits). */

/** Instead of a commit that was made and cannot be told from others. */
export const NO_SHA = 'made, sha unknown';

/** By which a commit is known again, as its trailer says; null: the one of all that remains. */
export function commitKey(turn: Turn, todo: string | null): string {
  return `${turn.state.runId}/${todo ?? RESIDUAL}`;
}

/**
 * The plan's message for the todo, else its title (documents.md, plan-content.json); null: for the commit of all that remains. A line
 * that names another task is left out: it would be taken for the commit of that one.
 */
export function commitMessage(turn: Turn, todo: string | null): string {
  if (todo === null) return `Remaining changes of ${turn.state.name}`;
  const stated = planHead(turn).commits?.find(({ afterTodo }) => afterTodo === todo)?.message;
  return messageLines(stated ?? '') || messageLines(bodyOf(turn, todo).title) || todo;
}

/** Whoever reads the log reads it in a terminal. */
function messageLines(text: string): string {
  const lines = text.split('\n').map((line) => wholeLine(line));
  return lines
    .filter((line) => !isTrailer(line))
    .join('\n')
    .trim();
}

/** A branch as people name it. */
export function headName(branch: string | null): string {
  return branch === null ? 'no branch (HEAD is detached)' : `branch ${foreignLine(branch, 100)}`;
}
