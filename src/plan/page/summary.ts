// door: plan

import { renderCount } from '../../base/words.js';
import { buildDependencyGraph, listDependencies, splitIntoWaves } from '../model/graph.js';
import type { PlanAcceptance, PlanContent } from '../model/schema.js';
import { renderProse } from './prose.js';

/** Maximum length of a plan's shape, such as `1 → 2,3 → 4`, in characters. A longer shape is only described. */
const SHAPE_SHOWN = 60;

/** A short summary of a plan. */
export interface PlanSummary {
  /** For example `2 requirements, 5 todos (1 → 2,3,4 → 5), risk 0H/2M/3L, 9 commands, 3 assertions, 1 human check`. */
  line: string;
  /** For a person: `line`, then one line for each todo and one for each gap in the verification. */
  text: string;
}

/**
 * Summarizes a plan. All todos count, ticked or not.
 * @param boxes whether each todo's box is ticked, by id; the box of a todo without an entry is not ticked
 */
export function buildPlanSummary(plan: PlanContent, boxes: Record<string, boolean> = {}): PlanSummary {
  const { todos } = plan;
  const isDone = (id: string) => Object.hasOwn(boxes, id) && boxes[id] === true;
  const done = todos.filter(({ id }) => isDone(id)).length;
  const risks = (['high', 'medium', 'low'] as const).map((risk) => todos.filter((todo) => todo.risk === risk).length);
  const kinds = (kind: PlanAcceptance['kind']) =>
    todos.reduce((sum, todo) => sum + todo.acceptance.filter((item) => item.kind === kind).length, 0);
  const { length: required } = plan.requirements ?? [];
  const line = [
    ...(required === 0 ? [] : [renderCount(required, 'requirement')]),
    `${renderCount(todos.length, 'todo')} (${renderShape(plan)})${done === 0 ? '' : `, ${done} done`}`,
    `risk ${risks[0]}H/${risks[1]}M/${risks[2]}L`,
    renderCount(kinds('command'), 'command'),
    renderCount(kinds('assertion'), 'assertion'),
    renderCount(kinds('human'), 'human check'),
  ].join(', ');
  const rows = todos.map((todo) => {
    const after = listDependencies(todo);
    const facts = [todo.risk, ...(todo.type === 'verification' ? ['verification'] : [])];
    if (after.length > 0) facts.push(`after ${after.join(', ')}`);
    return `[${isDone(todo.id) ? 'x' : ' '}] ${todo.id}: ${renderProse(todo.title)} (${facts.join(', ')})`;
  });
  const open = listGaps(plan).map((gap) => `gap: ${gap}`);
  return { line, text: [line, '', ...rows, ...(open.length === 0 ? [] : ['', ...open])].join('\n') };
}

/** Lists the todos that no command verifies, each with who judges it instead. */
function listGaps(plan: PlanContent): string[] {
  return plan.todos.flatMap((todo) => {
    const kinds = new Set(todo.acceptance.map((item) => item.kind));
    if (kinds.has('command')) return [];
    if (kinds.size === 0) return [`${todo.id} has no acceptance at all`];
    return [`${todo.id} has no command; ${kinds.has('assertion') ? 'an agent' : 'a person'} judges it`];
  });
}

/** Renders the waves as `1 → 2,3 → 4`, without `todo-` if all ids begin with it. */
function renderShape({ todos }: PlanContent): string {
  const inWaves = splitIntoWaves(buildDependencyGraph(todos)).waves;
  const short = todos.every(({ id }) => /^todo-./.test(id)) ? 'todo-'.length : 0;
  const written = inWaves.map((wave) => wave.map((id) => id.slice(short)).join(',')).join(' → ');
  if (written.length <= SHAPE_SHOWN) return written;
  return `${renderCount(inWaves.length, 'wave')}, at most ${Math.max(...inWaves.map((wave) => wave.length))} at once`;
}
