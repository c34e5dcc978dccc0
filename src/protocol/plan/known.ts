import type { KnownPlan } from '../../blocks/plan-on-disk.js';
import { listAddedTodos } from '../../engine/act/plan/plan.js';
import { getKnownPlan } from '../../engine/act/plan/verdicts.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { HistoryContext } from '../../run/context.js';
import { findLastEngine } from '../../run/recipes.js';
import type { RunState } from '../../run/state.js';
import { openTransaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';

/** What the files of a plan are compared with: what an execution carries out, or nothing. @throws DevCliError `STATE_CORRUPT` */
export function readKnownPlan(context: HistoryContext, head: StreamState<RunState>, name: string): KnownPlan {
  const { snapshot } = head;
  if (snapshot === null) return { plan: null, added: [], name, goal: null };
  const { engine } = snapshot;
  const isOver = snapshot.status === 'completed' || snapshot.status === 'aborted';
  if (engine === null || isOver) {
    const last = findLastEngine(snapshot);
    return { plan: null, added: last === null ? [] : listAddedTodos(last), name, goal: snapshot.goal };
  }
  return getKnownPlan(openTransaction(context, head, copyState(snapshot), readCapturedRecipe(head)));
}
