import { buildGraph, listDependencies, splitIntoWaves } from './plan-graph.js';
import { listGaps } from './plan-render.js';
import type { PlanAcceptance, PlanContent } from './plan-schema.js';
import { escapeProse } from './plan-text.js';

/** Longer shapes are described instead of written out. */
const SHAPE_SHOWN = 60;

export interface PlanSummary {
  /** Such as `5 todos (1 → 2,3,4 → 5), risk 0H/2M/3L, 9 commands, 3 assertions, 1 human check`. */
  line: string;
  /** The same for a person, one line per todo below it. */
  text: string;
}

/** What a plan holds; every todo counts, ticked or not. */
export function buildPlanSummary(plan: PlanContent, boxes: Record<string, boolean> = {}): PlanSummary {
  const { todos } = plan;
  const isDone = (id: string) => Object.hasOwn(boxes, id) && boxes[id] === true;
  const done = todos.filter(({ id }) => isDone(id)).length;
  const risks = (['high', 'medium', 'low'] as const).map((risk) => todos.filter((todo) => todo.risk === risk).length);
  const kinds = (kind: PlanAcceptance['kind']) =>
    todos.reduce((sum, todo) => sum + todo.acceptance.filter((item) => item.kind === kind).length, 0);
  const line = [
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
    return `[${isDone(todo.id) ? 'x' : ' '}] ${todo.id}: ${escapeProse(todo.title)} (${facts.join(', ')})`;
  });
  const open = listGaps(plan).map((gap) => `gap: ${gap}`);
  return { line, text: [line, '', ...rows, ...(open.length === 0 ? [] : ['', ...open])].join('\n') };
}

function renderCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `1 → 2,3 → 4`, by waves; ids without the prefix that all share. */
function renderShape({ todos }: PlanContent): string {
  const inWaves = splitIntoWaves(buildGraph(todos)).waves;
  const short = todos.every(({ id }) => /^todo-./.test(id)) ? 'todo-'.length : 0;
  const written = inWaves.map((wave) => wave.map((id) => id.slice(short)).join(',')).join(' → ');
  if (written.length <= SHAPE_SHOWN) return written;
  return `${renderCount(inWaves.length, 'wave')}, at most ${Math.max(...inWaves.map((wave) => wave.length))} at once`;
}
