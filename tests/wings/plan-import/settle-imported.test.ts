import { describe, expect, it } from 'vitest';
import { dropTodo } from '../../../src/plan/changes/change-todos.js';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import { readPlanEdits } from '../../../src/plan/read-back/read-edits.js';
import { importPlan } from '../../../src/wings/plan-import/import-plan.js';

// living-plan.md, plan apply: values that an import invented and that somebody has changed since

function importTasks(count: number): PlanContent {
  const text = Array.from({ length: count }, (_, index) => `- [ ] Write part ${index + 1}\n`).join('');
  const source = { format: 'markdown' as const, name: 'x', files: [{ path: 'list.md', text }], known: [] };
  const ending = importPlan({ source, goal: null });
  if (ending.kind !== 'plan') throw new Error(ending.at);
  return ending.plan.plan;
}

const linesOf = ({ context }: PlanContent, word: string) =>
  [context.assumptions ?? []].flat().filter((line) => line.startsWith(`Not in the source: ${word} of `));

function edit(plan: PlanContent, change: (text: string) => string): PlanContent {
  const rendered = renderPlan(plan);
  const edits = readPlanEdits(plan, change(rendered), rendered);
  if (edits.kind !== 'changed') throw new Error(JSON.stringify(edits));
  return edits.plan;
}

const toCommand = (part: number) => (text: string) =>
  text.replace(`- ac-1, agent: Done as the source describes it: Write part ${part}`, '- ac-1: `npm test` exit 0');

const JUDGED = 'an agent judges whether it is done as described (the task names no command to check by)';

describe('what an import made up', () => {
  it('is unconfirmed no longer for a todo of which somebody changed it', () => {
    const plan = importTasks(3);
    expect(linesOf(plan, 'proof')).toEqual([`Not in the source: proof of all todos: ${JUDGED}`]);
    const once = edit(plan, toCommand(2));
    expect(linesOf(once, 'proof')).toEqual([`Not in the source: proof of todo-1, todo-3: ${JUDGED}`]);
    expect(linesOf(once, 'risk')).toEqual(linesOf(plan, 'risk'));
    const all = edit(edit(once, toCommand(1)), toCommand(3));
    expect(linesOf(all, 'proof')).toEqual([]);
    expect(linesOf(all, 'files')).toEqual(linesOf(plan, 'files'));
  });

  it('stays for the others where a line counts them, and where a title changes', () => {
    const plan = importTasks(15);
    const once = edit(plan, toCommand(2));
    expect(linesOf(once, 'proof')[0]).toMatch(
      /^Not in the source: proof of todo-1, todo-3, .*, todo-13 and 2 more: an agent/,
    );
    expect(linesOf(edit(once, toCommand(3)), 'proof')[0]).toMatch(
      /of todo-1, todo-4, .*, todo-13 and 2 more: an agent/,
    );
    const titled = edit(plan, (text) => text.replaceAll('todo-1: Write part 1\n', 'todo-1: Write it\n'));
    expect(titled.context.assumptions).toEqual(plan.context.assumptions);
  });

  it('goes with a todo that is dropped', () => {
    const dropped = dropTodo(importTasks(3), 'todo-2');
    if (dropped.kind !== 'dropped') throw new Error('needed');
    expect(linesOf(dropped.plan, 'proof')).toEqual([`Not in the source: proof of todo-1, todo-3: ${JUDGED}`]);
    expect(linesOf(dropped.plan, 'order')).toEqual([expect.stringContaining('order of todo-3: ')]);
  });
});
