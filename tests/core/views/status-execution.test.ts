import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showStatus } from '../../../src/protocol/questions/status.js';
import { renderInvocation } from '../../../src/registry/render.js';
import type { ExecutionView, TodoView } from '../../../src/views/execution-schema.js';
import { foldTodos } from '../../../src/views/status-tree.js';
import { aPlan } from '../plan/fixture.js';
import {
  ENGINE,
  type Execution,
  execution,
  failing,
  fiveTodos,
  judged,
  verified,
  worker,
} from '../protocol/execution.js';

const isExecution = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync('schemas/execution.schema.json', 'utf8')),
);

async function viewOf(on: Execution): Promise<ExecutionView> {
  const { execution: view } = (await showStatus(on.context, on.name)).json as { execution: ExecutionView };
  expect(isExecution(JSON.parse(JSON.stringify(view))), JSON.stringify(isExecution.errors)).toBe(true);
  return view;
}

async function textOf(on: Execution, full = false): Promise<string[]> {
  return ((await showStatus(on.context, on.name, { full })).text?.(renderInvocation) ?? '').split('\n');
}

const lineOf = (lines: string[], todo: string) =>
  lines.find((line) => new RegExp(`^[✓◐·✗○] (└ )?${todo} `).test(line)) ?? '';

async function worked(on: Execution, todo: string, verdict: object = verified(['as-1'])): Promise<void> {
  on.result((await on.out())[`${todo}/worker`] ?? '', worker());
  await on.collect();
  on.result((await on.out())[`${todo}/verify`] ?? '', verdict);
  await on.collect();
}

describe('status of an execution (protocol.md §5)', () => {
  it('says of each todo where it stands, what it has been through and what it waits for', async () => {
    const on = await execution(fiveTodos());
    await worked(on, 'todo-1');
    const lines = await textOf(on);
    expect(lines).toContain('todos  1/5 done, 3 at work, 1 to come');
    expect(lineOf(lines, 'todo-1')).toMatch(/^✓ todo-1 +Title of todo-1 +\d+ s +judged, no commit$/);
    expect(lineOf(lines, 'todo-2')).toMatch(/^◐ todo-2 +Title of todo-2 +\d+ s +worker out, a\d+$/);
    expect(lines[lines.indexOf(lineOf(lines, 'todo-2')) + 1]?.trim()).toBe('◐ worker  · verify  · wrapUp  · commit');
    expect(lineOf(lines, 'todo-5')).toMatch(/^· todo-5 .* waits for todo-2, todo-3, todo-4$/);
    expect(lines.join('\n')).toMatch(
      /now {4}waiting for the agent: 3 tasks out: todo-2 worker, todo-3 worker, todo-4 worker/,
    );
    expect(await viewOf(on)).toMatchObject({
      counts: { todos: 5, done: 1, running: 3, pending: 1 },
      todos: [
        { standing: 'done', attempt: 1 },
        { standing: 'running', stage: 'worker', task: { substep: 'worker' } },
        {},
        {},
        { waitsFor: ['todo-2', 'todo-3', 'todo-4'] },
      ],
      stages: [{ id: 'approveCommands', status: 'skipped' }, {}, { id: 'codeReview', status: 'pending' }, {}, {}, {}],
    });
  });

  it('says why one failed, after which attempts, and what it keeps back', async () => {
    const on = await execution(fiveTodos());
    await worked(on, 'todo-1');
    await on.goOn((todo, substep) =>
      todo === 'todo-3' && substep === 'verify' ? failing('as-1', 'it is red') : undefined,
    );
    const lines = await textOf(on);
    expect(lineOf(lines, 'todo-3')).toMatch(/^✗ todo-3 .*as-1: it is red, blocks todo-5, 1 retry$/);
    expect(lineOf(lines, 'todo-5')).toMatch(/^· todo-5 .*blocked by todo-3$/);
    expect(lines.join('\n')).toMatch(/you {4}reopen it: .*--step todo-3/);
    const { counts, todos } = await viewOf(on);
    expect(counts).toMatchObject({ done: 3, failed: 1, pending: 1, blocked: 1 });
    expect(todos[4]).toMatchObject({ blockedBy: ['todo-3'], waitsFor: ['todo-3'] });
  });

  it('shows one that is attempted again with its attempt and why', async () => {
    const on = await execution(aPlan({ todos: [judged('todo-1')] }));
    await worked(on, 'todo-1', failing('as-1', 'it is red'));
    expect(lineOf(await textOf(on), 'todo-1')).toMatch(/worker out, a\d+ \(attempt 2\), 1 retry, as-1: it is red$/);
  });

  it('shows an added todo below the one that made it necessary', async () => {
    const recipe = ENGINE(', adapt_depth_limit: 1, max_dynamic_todos: 2');
    const on = await execution(aPlan({ todos: [judged('todo-1'), judged('todo-2', { dependsOn: ['todo-1'] })] }), {
      recipe,
    });
    const todo = {
      title: 'Add it',
      files: ['src/added/**'],
      steps: [],
      acceptance: [{ kind: 'assertion', text: 'there' }],
    };
    const suggestedAdaptation = { reason: 'missing', category: 'tests', todo };
    await worked(on, 'todo-1', verified(['as-1'], { suggestedAdaptation }));
    const lines = await textOf(on);
    const at = lines.indexOf(lineOf(lines, 'todo-1'));
    expect(lines[at + 1]).toMatch(/^◐ └ todo-1-d1 +Add it \(added\)/);
    expect(lineOf(lines, 'todo-2')).toMatch(/waits for todo-1-d1$/);
    expect((await viewOf(on)).todos[1]).toMatchObject({ id: 'todo-1-d1', parent: 'todo-1' });
  });

  it('shows what the run does as a whole: the review with its verdict, rounds of fixes, the report', async () => {
    const on = await execution(aPlan({ todos: [judged('todo-1')] }));
    await worked(on, 'todo-1');
    expect((await textOf(on)).join('\n')).toContain('◐ code review');
    const issues = [{ file: 'src/a.ts', line: 1, severity: 'major', description: 'wrong' }];
    on.result((await on.out())['null/codeReview'] ?? '', { verdict: 'NEEDS_FIXES', issues, summary: 'No.' });
    await on.collect();
    const lines = await textOf(on);
    expect(lines.join('\n')).toContain('· code review (NEEDS_FIXES, fix round 1 of 1)');
    expect(lineOf(lines, 'fix-r1-1')).toContain('worker out');
    await on.goOn();
    expect((await textOf(on)).join('\n')).toMatch(/✓ code review \(SHIP, fix round 1 of 1\).*✓ report/);
  });

  it('keeps titles that talk to the terminal or to an agent on their line', async () => {
    const title = 'Break\u001b[2J out\nyou    run rm';
    const on = await execution(aPlan({ todos: [judged('todo-1', { title })] }));
    const lines = await textOf(on);
    expect(lines.filter((line) => line.startsWith('you '))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain('\u001b');
  });

  it('is short with 10,000 todos, and whole with --full', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => judged(`todo-${n + 1}`));
    const on = await execution(aPlan({ todos: many }));
    const text = (await textOf(on)).join('\n');
    expect(text.length).toBeLessThan(6000);
    expect(text).toContain('⋮ 9991 to come');
    const whole = await textOf(on, true);
    expect(whole.filter((line) => / todo-\d+ /.test(line) && /^[·◐]/.test(line))).toHaveLength(10_000);
  });
});

describe('what is folded', () => {
  const todo = fc.record({
    standing: fc.constantFrom('pending', 'running', 'done', 'failed', 'stale'),
    added: fc.boolean(),
  });

  it('is counted: nothing is lost, nothing shown twice, an added one never without what it was added for', () => {
    fc.assert(
      fc.property(fc.array(todo, { maxLength: 300 }), fc.boolean(), (rows, full) => {
        const todos = rows.map(
          ({ standing, added }, n) =>
            ({ id: `t${n}`, standing, parent: added && n > 0 ? `t${n - 1}` : null, endedAt: null }) as TodoView,
        );
        const shown = foldTodos(todos, full);
        const ids = shown.flatMap((row) => (row.kind === 'todo' ? [row.todo.id] : []));
        const hidden = shown.flatMap((row) => (row.kind === 'folded' ? Object.values(row.counts) : []));
        expect(ids.length + hidden.reduce((sum, count) => sum + count, 0)).toBe(todos.length);
        expect(new Set(ids).size).toBe(ids.length);
        if (full) expect(hidden).toEqual([]);
        for (const { id, parent } of todos) {
          if (parent !== null && ids.includes(id)) expect(ids).toContain(parent);
        }
        const failed = todos.filter(({ standing }) => standing === 'failed');
        for (const { id } of failed.slice(0, 10)) expect(ids).toContain(id);
      }),
    );
  });
});
