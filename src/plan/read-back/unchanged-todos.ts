import { canonicalJson } from '../../base/json.js';
import type { PlanContent } from '../model/schema.js';
import { isEdited, readBoxes, readTodoTexts, rerenderPlan, untickBoxes } from '../page/boxes.js';
import { listSameTodos } from './same-todos.js';

/** Finds todos that are the same in PLAN.md and in a plan, so that a ticked box stands for the same work. */

/**
 * Returns the boxes to tick when PLAN.md is generated again: the boxes of unchanged todos that were ticked before.
 * @param madeFrom the plan from which `oldMd` was rendered, if known. If `oldMd` was edited, its ticks refer to the
 * todos of that plan rather than to the edited text.
 */
export function carryBoxes(oldMd: string, newPlan: PlanContent, madeFrom?: PlanContent): Record<string, boolean> {
  const ticked = new Set(listTicked(oldMd));
  const isOfOther = madeFrom !== undefined && isEdited(oldMd);
  const kept = isOfOther ? listCommonTodos(madeFrom, newPlan, ticked) : listUnchangedTodos(oldMd, newPlan, ticked);
  return Object.fromEntries([...kept].map((id) => [id, true]));
}

/** Lists the todos whose boxes are ticked. */
export function listTicked(planMd: string): string[] {
  return Object.entries(readBoxes(planMd)).flatMap(([id, isTicked]) => (isTicked ? [id] : []));
}

/** Lists the todos with one of these ids that are equal in both plans. */
function listCommonTodos(one: PlanContent, other: PlanContent, ids: ReadonlySet<string>): Set<string> {
  const texts = new Map(one.todos.map((todo) => [todo.id, canonicalJson(todo)]));
  const common = other.todos.filter((todo) => ids.has(todo.id) && texts.get(todo.id) === canonicalJson(todo));
  return new Set(common.map(({ id }) => id));
}

/** Lists the todos with one of these ids that are the same in PLAN.md and `plan`, however the Markdown is written. */
export function listUnchangedTodos(planMd: string, plan: PlanContent, ids: ReadonlySet<string>): Set<string> {
  if (ids.size === 0) return new Set();
  const blank = untickBoxes(planMd);
  const rendered = rerenderPlan(blank, plan);
  const there = readTodoTexts(blank);
  const wanted = [...readTodoTexts(rendered)].filter(([id]) => ids.has(id) && there.has(id));
  const others = wanted.flatMap(([id, text]) => (there.get(id) === text ? [] : [id]));
  // Most texts are identical, and comparing them is faster than parsing Markdown.
  const read = others.length === 0 ? new Set() : listSameTodos(plan, { rendered, shown: blank }, new Set(others));
  return new Set(wanted.flatMap(([id, text]) => (there.get(id) === text || read.has(id) ? [id] : [])));
}
