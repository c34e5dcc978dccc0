// door: engine

import type { DevCliError } from '../../../base/errors.js';
import { isRecord } from '../../../base/json.js';
import { staleActionError } from '../../../run/pending-action.js';
import type { Transaction } from '../../../run/transaction.js';
import { isInterrupted, type TodoUpdateKind } from '../../core/moved-plan.js';

/** The journal's record of a task, or of all tasks of a dispatch. */
interface Issued {
  /** The todos of the tasks; null for a task of the run as a whole. */
  todos: (string | null)[];
  /** The change to the plan that withdrew one of the tasks. */
  withdrawn: { at: string; seq: number; todo: string | null } | null;
}

/**
 * Builds the refusal of an action that is not open. If a change to the plan withdrew the action, the refusal says so
 * and when (living-plan.md, plan apply).
 * @param message the text in all other cases
 */
export function buildStaleError(tx: Transaction, actionId: string, message: string): DevCliError {
  const withdrawn = findIssued(tx, actionId)?.withdrawn ?? null;
  if (withdrawn === null) return staleActionError(tx, message);
  const { at, seq, todo } = withdrawn;
  const whose = todo === null ? '' : ` of ${todo}`;
  return staleActionError(
    tx,
    `A change of the plan withdrew the action ${JSON.stringify(actionId.slice(0, 40))}${whose} at ${at} (journal entry ${seq}), so its agent can stop.`,
  );
}

function findIssued({ past }: Transaction, actionId: string): Issued | null {
  let issued: Issued | null = null;
  past.scan(({ type, data, at, seq }) => {
    if (!isRecord(data)) return;
    // Forgets entries of an earlier run of the name, which used the same action ids for other actions.
    if (type === 'init') issued = null;
    else if (type === 'dispatched') issued = readDispatch(data, actionId) ?? issued;
    else if (type === 'plan-applied' && issued !== null && issued.withdrawn === null) {
      const interrupted = listInterrupted(data);
      const todo = issued.todos.find((id) => id === null || interrupted.includes(id));
      if (todo !== undefined) issued = { ...issued, withdrawn: { at, seq, todo } };
    }
  });
  return issued;
}

function readDispatch({ actionId, tasks }: Record<string, unknown>, wanted: string): Issued | null {
  const rows = Array.isArray(tasks) ? tasks.filter(isRecord) : [];
  const meant = actionId === wanted ? rows : rows.filter((row) => row['actionId'] === wanted);
  const todos = meant.map(({ todoId }) => (typeof todoId === 'string' ? todoId : null));
  return todos.length === 0 ? null : { todos, withdrawn: null };
}

function listInterrupted({ verdicts }: Record<string, unknown>): string[] {
  const rows = Array.isArray(verdicts) ? verdicts.filter(isRecord) : [];
  return rows.flatMap(({ todo, verdict }) =>
    typeof todo === 'string' && isInterrupted(verdict as TodoUpdateKind) ? [todo] : [],
  );
}
