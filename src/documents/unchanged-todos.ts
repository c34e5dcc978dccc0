import { readBoxes, readTodoTexts, renderAgain, untickBoxes } from './plan-boxes.js';
import { listSameTodos } from './plan-edit/same-todos.js';
import type { PlanContent } from './plan-schema.js';

/** Todos that PLAN.md describes as a plan does, so that a ticked box means the same work. */

/** Returns the boxes to tick when PLAN.md is generated again: those ticked before, of todos that read as before. */
export function carryBoxes(oldMd: string, newPlan: PlanContent): Record<string, boolean> {
  const ticked = Object.entries(readBoxes(oldMd)).flatMap(([id, isTicked]) => (isTicked ? [id] : []));
  const kept = listUnchangedTodos(oldMd, newPlan, new Set(ticked));
  return Object.fromEntries([...kept].map((id) => [id, true]));
}

/** Lists those of `ids` whose todos PLAN.md describes as `plan` does, however it is written. */
export function listUnchangedTodos(planMd: string, plan: PlanContent, ids: ReadonlySet<string>): Set<string> {
  if (ids.size === 0) return new Set();
  const blank = untickBoxes(planMd);
  const rendered = renderAgain(blank, plan);
  const there = readTodoTexts(blank);
  const wanted = [...readTodoTexts(rendered)].filter(([id]) => ids.has(id) && there.has(id));
  const others = wanted.flatMap(([id, text]) => (there.get(id) === text ? [] : [id]));
  // Most are the same to the letter, and reading Markdown takes longer.
  const read = others.length === 0 ? new Set() : listSameTodos(plan, { rendered, shown: blank }, new Set(others));
  return new Set(wanted.flatMap(([id, text]) => (there.get(id) === text || read.has(id) ? [id] : [])));
}
