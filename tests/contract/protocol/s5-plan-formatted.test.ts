import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { making, planOf, RUN } from '../../adversarial/binary/executing.js';
import { printAnew } from '../../core/documents/plan-rich.js';
import { devCli, runDir, writeProjectFile } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';

// A PLAN.md that a formatter of Markdown printed anew, or whose head somebody took out (documents.md, Living plan).

const GOAL = 'Make both files, and log it. Remove nothing.';

let project: Project;
beforeEach(() => {
  project = createProject({ sample: null });
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
afterEach(() => project.remove());

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
