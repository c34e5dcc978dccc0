import { describe, expect, it } from 'vitest';
import { addTodo, dropTodo, listChecksLeftBehind, moveTodo } from '../../../src/plan/changes/change-todos.js';
import type { PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import { readTodoSection } from '../../../src/plan/read-back/read-todo-section.js';
import { aCommand, aPlan, aTodo } from './fixture.js';

// living-plan.md, Changes by one todo: the changes to the plan in memory, without its files.

const ids = ({ todos }: PlanContent) => todos.map(({ id }) => id);

function dropped(plan: PlanContent, id: string, withRequirements = false): PlanContent {
  const done = dropTodo(plan, id, withRequirements);
  if (done.kind === 'needed') throw new Error(JSON.stringify(done.faults));
  return done.plan;
}

function needed(plan: PlanContent, id: string): string[] {
  const done = dropTodo(plan, id);
  return done.kind === 'needed' ? done.faults.map(({ target }) => target) : [];
}

const CHAIN = [
  aTodo('todo-1'),
  aTodo('todo-2', { dependsOn: ['todo-1'] }),
  aTodo('todo-3', { dependsOn: ['todo-2', 'todo-1'] }),
];

describe('a todo that is taken out', () => {
  it('hands on what it came after, each once and in its place', () => {
    const plan = dropped(aPlan({ todos: [...CHAIN, aTodo('todo-4', { dependsOn: ['todo-2'] })] }), 'todo-2');
    expect(plan.todos.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['todo-1', []],
      ['todo-3', ['todo-1']],
      ['todo-4', ['todo-1']],
    ]);
  });

  it('hands on what its inputs implied', () => {
    const inputs = [{ name: 'path', from: '${todo-1.outputs.path}' }];
    const todos = [
      CHAIN[0] ?? aTodo('todo-1'),
      aTodo('todo-2', { inputs }),
      aTodo('todo-3', { dependsOn: ['todo-2'] }),
    ];
    expect(dropped(aPlan({ todos }), 'todo-2').todos[1]?.dependsOn).toEqual(['todo-1']);
  });

  it('takes its commit messages along, and leaves those of others', () => {
    const commits = [
      { afterTodo: 'todo-2', message: 'two' },
      { afterTodo: 'todo-3', message: 'three' },
    ];
    const plan = aPlan({ todos: CHAIN, commits });
    const without = dropped(plan, 'todo-2');
    expect(without.commits).toEqual([commits[1]]);
    expect(dropped(without, 'todo-3')).not.toHaveProperty('commits');
  });

  it('is needed by inputs and commands that take a value of it', () => {
    const todos = [
      aTodo('todo-1'),
      aTodo('todo-2', { inputs: [{ name: 'path', from: 'x ${todo-1.outputs.path}' }] }),
      aTodo('todo-3', { acceptance: [aCommand('ac-1', ['cat', '${todo-1.outputs.path}'])] }),
    ];
    expect(needed(aPlan({ todos }), 'todo-1')).toEqual(['todo-2 input path', 'todo-3/ac-1']);
  });

  it('is needed by a requirement that nothing else serves and proves', () => {
    const requirements = ['r-1', 'r-2'].map((id) => ({ id, quote: 'Add', from: 'request' as const, text: id }));
    const proving = { acceptance: [{ ...aCommand('ac-1'), proves: ['r-1', 'r-2'] }] };
    const todos = [
      aTodo('todo-1', { serves: ['r-1', 'r-2'], ...proving }),
      aTodo('todo-2', { serves: ['r-2'], ...proving }),
    ];
    expect(needed(aPlan({ todos, requirements }), 'todo-1')).toEqual(['r-1']);
    expect(needed(aPlan({ todos, requirements }), 'todo-2')).toEqual([]);
  });
});

describe('a todo that is taken out with its requirements', () => {
  const requirement = (id: string) => ({ id, quote: 'Add', from: 'request' as const, text: id });
  const proving = (...proves: string[]) => ({ acceptance: [{ ...aCommand('ac-1'), proves }] });
  const decision = (text: string, serves?: string[]) => ({ text, by: 'user' as const, ...(serves && { serves }) });
  const plan = aPlan({
    requirements: ['r-1', 'r-2', 'r-3', 'r-4'].map(requirement),
    decisions: [decision('all'), decision('both', ['r-2', 'r-1']), decision('that one', ['r-1'])],
    todos: [
      aTodo('todo-1', { serves: ['r-1', 'r-3', 'r-4'], ...proving('r-1', 'r-4') }),
      aTodo('todo-2', { serves: ['r-1', 'r-2', 'r-4'], dependsOn: ['todo-1'], ...proving('r-2', 'r-4') }),
      aTodo('todo-3', { serves: ['r-1'] }),
    ],
  });

  it('withdraws what only it proves or serves, and nothing names that any more', () => {
    const { requirements, decisions, todos } = dropped(plan, 'todo-1', true);
    expect(requirements?.map(({ id }) => id)).toEqual(['r-2', 'r-4']);
    expect(decisions).toEqual([decision('all'), decision('both', ['r-2'])]);
    expect(todos).toEqual([aTodo('todo-2', { serves: ['r-2', 'r-4'], ...proving('r-2', 'r-4') }), aTodo('todo-3')]);
  });

  it('leaves no empty list behind, and is the plain removal where nothing goes along', () => {
    const one = { ...plan, requirements: [requirement('r-1')], decisions: [decision('that one', ['r-1'])] };
    const alone = { ...one, todos: [aTodo('todo-1', { serves: ['r-1'], ...proving('r-1') }), aTodo('todo-3')] };
    const left = dropped(alone, 'todo-1', true);
    expect([left.requirements, left.decisions]).toEqual([undefined, undefined]);
    expect(dropped(plan, 'todo-3', true)).toEqual(dropped(plan, 'todo-3'));
  });

  it('is still needed by what takes a value of it', () => {
    const taking = aTodo('todo-4', { inputs: [{ name: 'path', from: '${todo-1.outputs.path}' }] });
    const done = dropTodo({ ...plan, todos: [...plan.todos, taking] }, 'todo-1', true);
    expect(done).toMatchObject({ kind: 'needed', faults: [{ target: 'todo-4 input path' }], requirements: [] });
  });
});

describe('a todo that is added', () => {
  const check = (id: string, ...dependsOn: string[]) => aTodo(id, { type: 'verification', dependsOn });
  const plan = aPlan({ todos: [...CHAIN, check('todo-4', 'todo-3'), check('todo-5', 'todo-2')] });
  const added = (change: Partial<PlanTodo> = {}, before: string[] = []) =>
    addTodo(plan, aTodo('todo-6', change), before);

  it('stands at the end, or ahead of what then depends on it', () => {
    expect(ids(added())).toEqual([...ids(plan), 'todo-6']);
    const { todos } = added({}, ['todo-5', 'todo-4']);
    expect(todos.map(({ id, dependsOn }) => [id, dependsOn]).slice(3)).toEqual([
      ['todo-6', []],
      ['todo-4', ['todo-3', 'todo-6']],
      ['todo-5', ['todo-2', 'todo-6']],
    ]);
  });

  it('leaves a check of the whole behind unless that waits for it, or it comes after the check', () => {
    expect(listChecksLeftBehind(added(), 'todo-6')).toEqual(['todo-4']);
    expect(listChecksLeftBehind(added({}, ['todo-4']), 'todo-6')).toEqual([]);
    expect(listChecksLeftBehind(added({}, ['todo-3']), 'todo-6')).toEqual([]);
    expect(listChecksLeftBehind(added({ dependsOn: ['todo-4'] }), 'todo-6')).toEqual([]);
  });
});

describe('a todo that is moved', () => {
  const plan = aPlan();
  it.each([
    ['todo-1', 'last', ['todo-2', 'todo-3', 'todo-1']],
    ['todo-3', 'first', ['todo-3', 'todo-1', 'todo-2']],
    ['todo-3', { before: 'todo-2' }, ['todo-1', 'todo-3', 'todo-2']],
    ['todo-1', { after: 'todo-2' }, ['todo-2', 'todo-1', 'todo-3']],
    ['todo-2', { after: 'todo-1' }, ['todo-1', 'todo-2', 'todo-3']],
  ] as const)('%s %j', (id, place, order) => {
    const moved = moveTodo(plan, id, place);
    expect(ids(moved)).toEqual(order);
    expect(moved.todos.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(plan.todos);
  });
});

describe('a section by itself', () => {
  const TAKEN = ['todo-1', 'todo-7'];
  const read = (text: string) => {
    const section = readTodoSection(text, TAKEN);
    return section.kind === 'read' ? section.todo : section.faults.map(({ line, problem }) => `${line} ${problem}`);
  };

  it('is read as PLAN.md would read it, with CRLF, tabs and scripts that join', () => {
    const text =
      '\uFEFF### [ ] ログ 👩‍👩‍👧 שלום: हिन्दी\r\nverification, risk low, after todo-1\r\n\r\n**Files**\t`a/**`, `b.ts`\r\n\r\n**Acceptance**\r\n-\tac-1: `npm test -- "a b"` exit 0 or 1\r\n';
    expect(read(text)).toMatchObject({
      id: 'todo-8',
      title: 'ログ 👩‍👩‍👧 שלום: हिन्दी',
      type: 'verification',
      risk: 'low',
      dependsOn: ['todo-1'],
      files: ['a/**', 'b.ts'],
      acceptance: [{ id: 'ac-1', kind: 'command', run: ['npm', 'test', '--', 'a b'], expect: { exitCode: [0, 1] } }],
    });
    expect(read('### todo-9: Title')).toMatchObject({ id: 'todo-9', title: 'Title' });
  });

  it('names every fault with its line', () => {
    expect(read('')).toEqual([expect.stringMatching(/^1 .*no heading/)]);
    expect(read('words\n### A\n### B')).toEqual([
      expect.stringMatching(/^1 .*must come first/),
      expect.stringMatching(/^3 .*second heading/),
    ]);
    expect(read('## A')).toEqual([expect.stringMatching(/^1 .*###/)]);
    expect(read('### todo-7: A')).toEqual([expect.stringMatching(/^1 .*todo-7 already/)]);
    expect(read('### A\nwork, risk huge\n\n**Acceptance**\n- x\n\n> quoted\n\u0007')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^2 .*risk/),
        expect.stringMatching(/^5 /),
        expect.stringMatching(/^7 .*quotation/),
        expect.stringMatching(/^8 .*U\+0007/),
      ]),
    );
  });
});
