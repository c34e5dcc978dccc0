import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import {
  begin,
  type Dispatch,
  generate,
  goOn,
  making,
  planOf,
  RUN,
  SHORT,
} from '../../adversarial/binary/executing.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, nextOf, runDir, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// A ticked box in PLAN.md says that its todo, with its present text, is done (living-plan.md, Boxes).

useProject({ sample: null });

const inRun = (path: string) => join(runDir(project, RUN), path);
const planMd = () => readFileSync(inRun('PLAN.md'), 'utf8');
const edit = (change: (text: string) => string) => writeFileSync(inRun('PLAN.md'), change(planMd()));
const boxes = () => planMd().match(/^### \[.\] todo-\d+/gm);
const rename = (id: string) => (text: string) =>
  text.replace(new RegExp(`^(### \\[.\\] ${id}:).*`, 'm'), '$1 Otherwise');
const applied = (...flags: string[]) => devCli(project, ['plan', 'apply', RUN, ...flags]).json['plan'];
const twoTodos = () => planOf(making('todo-1'), making('todo-2'));

/** Begins another execution of the plan in the files. */
function executeAgain() {
  const recipe = writeRecipe(project, 'short', SHORT(1));
  const { code, stdout, json } = devCli(project, ['init', RUN, '--recipe', recipe, '--autopilot']);
  expect(code, stdout).toBe(0);
  return { next: nextOf(json) as Dispatch, warnings: json['warnings'] ?? [] };
}

describe('after the end', () => {
  it.each([
    ['PLAN.md', () => edit(rename('todo-1'))],
    [
      'plan-content.json',
      () => {
        const plan = JSON.parse(readFileSync(inRun('plan-content.json'), 'utf8')) as PlanContent;
        const todos = plan.todos.map((todo) => (todo.id === 'todo-1' ? { ...todo, title: 'Otherwise' } : todo));
        writeFileSync(inRun('plan-content.json'), JSON.stringify({ ...plan, todos }));
      },
    ],
  ])('a todo that was changed in %s is not done any more, and the answer names it', (source, change) => {
    goOn(project, begin(project, twoTodos()));
    expect(boxes()).toEqual(['### [x] todo-1', '### [x] todo-2']);
    change();
    expect(applied('--dry-run')).toMatchObject({ status: 'judged', source, unticked: ['todo-1'] });
    expect(applied()).toMatchObject({ status: 'applied', source, unticked: ['todo-1'] });
    expect(boxes()).toEqual(['### [ ] todo-1', '### [x] todo-2']);
    const { next, warnings } = executeAgain();
    expect(next.tasks.map(({ todoId }) => todoId)).toEqual(['todo-1']);
    expect(warnings).toEqual([]);
  });

  it('so is one that was changed on the way and not taken up, whichever file said so', () => {
    const first = begin(project, planOf(making('todo-1'), making('todo-2'), making('todo-3')));
    edit(rename('todo-1'));
    expect(goOn(project, first)).toMatchObject({ action: 'done' });
    expect(boxes()).toEqual(['### [ ] todo-1', '### [x] todo-2', '### [x] todo-3']);
    applied();
    expect(executeAgain().next.tasks.map(({ todoId }) => todoId)).toEqual(['todo-1']);
  });

  it('a PLAN.md edited on top of a plan that was generated anew has no box that nobody earned', () => {
    const first = begin(project, twoTodos());
    generate(project, planOf(making('todo-1', [['true']], { title: 'Something else' }), making('todo-2')));
    edit(rename('todo-2'));
    expect(goOn(project, first)).toMatchObject({ action: 'done' });
    applied();
    expect(executeAgain().next.tasks.map(({ todoId }) => todoId)).toEqual(['todo-1', 'todo-2']);
  });

  it('a change of something else leaves every box', () => {
    goOn(project, begin(project, twoTodos()));
    edit((text) =>
      text.replace(
        '### [x] todo-2',
        '### New work\nwork, risk low\n\n**Acceptance**\n- ac-1: `true`\n\n### [x] todo-2',
      ),
    );
    expect(applied()).not.toHaveProperty('unticked');
    expect(boxes()).toEqual(['### [x] todo-1', '### [ ] todo-3', '### [x] todo-2']);
  });
});

describe('a box that somebody ticks before an execution', () => {
  const tick = (id: string) => (text: string) => text.replace(`### [ ] ${id}:`, `### [x] ${id}:`);

  it('counts, and whoever begins it and whoever is asked are told', () => {
    generate(project, twoTodos());
    edit(tick('todo-1'));
    const recipe = writeRecipe(project, 'short', SHORT(1));
    const { json } = devCli(project, ['init', RUN, '--recipe', recipe]);
    expect(json['warnings']).toEqual([
      'taken as done, because their boxes in PLAN.md are ticked; no execution did them: todo-1',
    ]);
    const gate: Action = nextOf(json);
    expect(gate).toMatchObject({
      action: 'wait-for-user',
      message: expect.stringContaining('Taken as done, because their boxes in PLAN.md are ticked: todo-1'),
    });
  });

  it('is no news where an execution of the name did the todo', () => {
    const first = begin(project, twoTodos());
    edit(rename('todo-2'));
    goOn(project, first);
    applied();
    const { next, warnings } = executeAgain();
    expect(next.tasks.map(({ todoId }) => todoId)).toEqual(['todo-2']);
    expect(warnings).toEqual([]);
  });

  it('is not carried over by an edit that changes its todo', () => {
    generate(project, twoTodos());
    edit((text) => rename('todo-1')(tick('todo-1')(tick('todo-2')(text))));
    expect(applied()).toMatchObject({ unticked: ['todo-1'] });
    expect(boxes()).toEqual(['### [ ] todo-1', '### [x] todo-2']);
  });
});

describe('in an execution', () => {
  it('a box set by hand says nothing: what is taken up next writes what is done', () => {
    const first = begin(project, twoTodos());
    edit((text) => text.replace('### [ ] todo-1', '### [x] todo-1'));
    expect(applied()).toMatchObject({ status: 'unchanged' });
    expect(first.tasks.map(({ todoId }) => todoId)).toEqual(['todo-1', 'todo-2']);
    expect(goOn(project, devCli(project, ['next', RUN]).json as unknown as Action)).toMatchObject({ action: 'done' });
  });
});
