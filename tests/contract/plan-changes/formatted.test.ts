import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { begin, type Dispatch, doAll, goOn, making, planOf, RUN } from '../../adversarial/binary/executing.js';
import { printAnew } from '../../core/plan/rich.js';
import { type Action, StandIn } from '../../support/agent.mjs';
import { devCli, journalOf, nextOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import { simpleCrew } from '../../support/crew.mjs';
import { project, useProject } from '../../support/each-project.js';
import { RUN as EXECUTED, generatePlan, reportOf } from '../../support/executing.js';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// A PLAN.md that a Markdown formatter reformatted, or whose head somebody removed (documents.md, Living plan).

const GOAL = 'Make both files, and log it. Remove nothing.';

useProject({ sample: null });
beforeEach(() => {
  const plan = planOf(
    making('todo-1', [['npm', 'test']]),
    making('todo-2', [['npm', 'test']], { dependsOn: ['todo-1'] }),
  );
  const requirements = [{ id: 'r-1', quote: 'Make both files', from: 'request', text: 'Both are there' }];
  const todos = plan.todos.map((todo) => ({
    ...todo,
    serves: ['r-1'],
    acceptance: todo.acceptance.map((judged) => ({ ...judged, proves: ['r-1'] })),
  }));
  const asked = { ...plan, context: { ...plan.context, originalRequest: GOAL }, requirements, todos };
  writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify(asked));
  const generated = devCli(project, ['plan', 'generate', RUN]);
  expect(generated.code, generated.stdout).toBe(0);
});

const path = () => join(runDir(project, RUN), 'PLAN.md');
const shown = () => readFileSync(path(), 'utf8');
const content = () => readFileSync(join(runDir(project, RUN), 'plan-content.json'), 'utf8');
const edit = (change: (text: string) => string) => writeFileSync(path(), change(shown()));
const plan = (...args: string[]) => devCli(project, ['plan', ...args]);

describe.each([
  ['by one formatter', (text: string) => printAnew(text, '*', '_')],
  ['by another', (text: string) => printAnew(text, '-', '*')],
])('PLAN.md printed anew %s', (_, print) => {
  it('says what it said: nothing differs, and the boxes stay', () => {
    edit((text) => text.replace('### [ ] todo-1', '### [x] todo-1'));
    const [before, text] = [content(), shown()];
    edit(print);
    expect(plan('diff', RUN, '--json').json).toMatchObject({ ok: true, changes: [] });
    expect(plan('apply', RUN).code).toBe(0);
    expect(content()).toBe(before);
    expect(shown()).toBe(text);
  });

  it('has its edits taken up, and nothing else', () => {
    edit((text) => text.replace('### [ ] todo-1', '### [x] todo-1'));
    const text = shown();
    edit((printed) => print(printed.replace('todo-2: Title of todo-2\nwork', 'todo-2: Another title\nwork')));
    const applied = plan('apply', RUN);
    expect(applied.json, applied.stdout).toMatchObject({ plan: { status: 'applied', source: 'PLAN.md' } });
    expect(shown()).toContain('### [x] todo-1: ');
    const isSame = (line: string) => !/Another title|^<!-- dev-cli|Title of todo-2/.test(line);
    expect(shown().split('\n').filter(isSame)).toEqual(text.split('\n').filter(isSame));
  });
});

it('plan generate keeps the boxes of todos that say what they said', () => {
  edit((text) => text.replace('### [ ] todo-1', '### [x] todo-1').replace('### [ ] todo-2', '### [x] todo-2'));
  edit((text) => printAnew(text, '*', '_'));
  const written = JSON.parse(content()) as PlanContent;
  const todos = written.todos.map((todo) => (todo.id === 'todo-2' ? { ...todo, steps: ['Do it otherwise'] } : todo));
  writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify({ ...written, todos }));
  expect(plan('generate', RUN).code).toBe(0);
  expect(shown().match(/^### .*:/gm)).toEqual(['### [x] todo-1:', '### [ ] todo-2:']);
});

it('a PLAN.md without the line below its title is refused, and the line named that mends it', () => {
  const text = shown();
  edit((whole) => whole.replace(/^<!-- dev-cli.*\n/m, '').replace('Title of todo-2\nwork', 'Another title\nwork'));
  const refused = plan('apply', RUN);
  expect(refused.json).toMatchObject({
    error: {
      code: 'PLAN_CONFLICT',
      details: [{ target: 'PLAN.md:2', problem: expect.stringContaining('the comment') }],
    },
  });
  const [line = ''] = /<!-- dev-cli plan.*?-->/.exec((refused.json['error'] as { fix: string }).fix) ?? [];
  expect(text).toContain(`\n${line}\n`);
  edit((whole) => whole.replace('\n', `\n${line}\n`));
  expect(plan('apply', RUN).json).toMatchObject({ plan: { status: 'applied', source: 'PLAN.md' } });
  expect(content()).toContain('Another title');
});

describe('in an execution, a PLAN.md that a formatter printed anew', () => {
  const chain = () => planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));
  const terminal = findTerminal();
  const print = () => edit((text) => printAnew(text, '*', '_'));
  const next = () => devCli(project, ['next', RUN]).json as unknown as Dispatch;
  const moved = () => devCli(project, ['status', RUN, '--json']).json['planMoved'];

  it('is no change: nobody is told of one, and the boxes are ticked in it', () => {
    const first = begin(project, chain());
    print();
    const printed = shown();
    expect(moved()).toBeUndefined();
    expect(next()).not.toHaveProperty('warnings');
    doAll(project, first);
    expect(shown()).toBe(
      printed.replace('### \\[ ] todo-1', '### \\[x] todo-1').replace('### [ ] todo-1', '### [x] todo-1'),
    );
    expect(goOn(project, next() as Action)).toMatchObject({ action: 'done' });
    expect(shown().match(/\[x\\?\]/g)).toHaveLength(2);
    expect((stateOf(project, RUN) as unknown as { warnings?: string[] }).warnings ?? []).toEqual([]);
    expect(reportOf(project, RUN)).not.toContain('not applied');
  });

  it('is written as ever by plan apply, and the run goes on as before', () => {
    begin(project, chain());
    plan('generate', RUN);
    const before = shown();
    const pending = next();
    print();
    expect(plan('apply', RUN).json).toMatchObject({ plan: { status: 'unchanged' } });
    expect(shown()).toBe(before);
    expect(next()).toEqual(pending);
    const { length } = journalOf(project, RUN);
    expect(plan('apply', RUN).code).toBe(0);
    expect(journalOf(project, RUN)).toHaveLength(length);
  });

  it('is no conflict with a plan-content.json that was changed', () => {
    begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] });
    print();
    const written = JSON.parse(content()) as PlanContent;
    const todos = written.todos.map((todo) => ({ ...todo, title: `${todo.title}, changed` }));
    writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify({ ...written, todos }));
    expect(moved()).toMatchObject({ changed: ['todo-1', 'todo-2'], edited: false });
    expect(plan('apply', RUN, '--dry-run').json).toMatchObject({ plan: { source: 'plan-content.json' } });
  });

  it('has its edits told as ever', () => {
    begin(project, chain());
    edit((text) => printAnew(text.replace('Title of todo-2', 'Another title'), '*', '_'));
    expect(moved()).toMatchObject({ edited: true });
  });

  it('gets the todos that the run adds', () => {
    const todo = {
      ...{ title: 'Write a companion', files: ['made/more.txt'], steps: ['Write it'], mustNotDo: [] },
      acceptance: [{ kind: 'assertion', text: 'It is there.' }],
    };
    const suggestedAdaptation = { reason: 'It needs one.', category: 'robustness', todo };
    const judged = bareTodo('todo-1', { acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is good.' }] });
    generatePlan(project, { ...smallPlan(), todos: [judged] }, EXECUTED);
    const crew = simpleCrew();
    const agent = new StandIn({
      project,
      crew: {
        ...crew,
        judge: (task, root, prompt) => ({
          ...(crew.judge(task, root, prompt) as object),
          suggestedAdaptation: task.todoId === 'todo-1' ? suggestedAdaptation : null,
        }),
      },
    });
    const first = agent.execute('--execute --autopilot');
    const file = join(runDir(project, EXECUTED), 'PLAN.md');
    writeFileSync(file, printAnew(readFileSync(file, 'utf8'), '*', '_'));
    expect(agent.drive(first)).toMatchObject({ outcome: 'completed' });
    expect(readFileSync(file, 'utf8').match(/^### .*:/gm)).toEqual(['### [x] todo-1:', '### [x] todo-1-d1:']);
    expect(reportOf(project, EXECUTED)).not.toContain('edited by hand');
  });

  it.skipIf(terminal === null)('is approved with the plan at the gate that asks about it', () => {
    if (terminal === null) throw new Error(NO_TERMINAL);
    const at = (answers: string[]) =>
      terminal(`dev-cli approve ${RUN}`, { cwd: project.root, env: project.env, answers });
    begin(project, chain(), { flags: [] });
    print();
    const { exit, output } = at(['1']);
    expect(exit, output).toBe(0);
    expect(nextOf({ next: next() } as never).action).toBe('engine-dispatch');
  });
});
