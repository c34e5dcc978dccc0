import type { Size } from '../../../documents/size-rules.js';
import type { PlanContent, PlanTodo } from '../../../plan/model/schema.js';
import { renderPlanTemplate } from '../../../plan/model/template.js';

/** A canned plan: the example of `plan template`, adapted to a size. */

/** Maximum characters that the requirement quotes from the goal. */
const QUOTED = 200;

/**
 * Builds a plan for a goal: one todo; for large work three todos, the last of which only verifies.
 * @param goal the user's request; null if there is none
 * @param risk the risk of each todo
 */
export function buildPlan(goal: string | null, size: Size, risk: PlanTodo['risk'] = 'low'): PlanContent {
  const example = readExample();
  const [work] = example.todos;
  if (work === undefined) return example;
  const quote = (goal ?? '').split('\n')[0]?.trim().slice(0, QUOTED) ?? '';
  const requirements =
    quote === '' ? [] : [{ id: 'r-1', quote, from: 'request' as const, text: 'What was asked for is there' }];
  const { requirements: _, decisions: _decisions, commits: _commits, ...head } = example;
  const first = buildTodo(work, 1, size, requirements.length > 0);
  const todos =
    size === 'large'
      ? [first, { ...buildTodo(work, 2, size, false), dependsOn: ['todo-1'] }, buildCheck(work, ['todo-1', 'todo-2'])]
      : [first];
  return {
    ...head,
    size,
    ...(requirements.length === 0 ? {} : { requirements }),
    objectives: { ...example.objectives, mustNotDo: [] },
    todos: todos.map((todo) => ({ ...todo, risk })),
  };
}

function readExample(): PlanContent {
  const json = /```json\n([\s\S]*?)```/.exec(renderPlanTemplate())?.[1] ?? '{}';
  return JSON.parse(json) as PlanContent;
}

/** Builds a todo that does work. Small work is judged only by a command; other work also by an agent. */
function buildTodo(example: PlanTodo, number: number, size: Size, proves: boolean): PlanTodo {
  const serves = proves ? ['r-1'] : [];
  const proof = proves ? { proves: ['r-1'] } : {};
  return {
    ...example,
    id: `todo-${number}`,
    title: `Canned todo ${number}`,
    dependsOn: [],
    inputs: [],
    outputs: [],
    files: [`src/canned-${number}.js`],
    mustNotDo: [],
    references: [],
    serves,
    acceptance: [
      { id: 'ac-1', kind: 'command', run: ['npm', 'test'], ...proof },
      ...(size === 'small' ? [] : [{ id: 'as-1', kind: 'assertion' as const, text: 'It does what was asked for' }]),
    ],
  };
}

function buildCheck(example: PlanTodo, dependsOn: string[]): PlanTodo {
  const { serves: _, ...rest } = buildTodo(example, 3, 'small', false);
  return { ...rest, title: 'Check it as a whole', type: 'verification', dependsOn, files: [] };
}
