import { describe, expect, it } from 'vitest';
import { applies, edit, editTodos, planOf, proposes, statusOf, verdictsOf } from './applying.js';
import { type Execution, execution, fiveTodos, judged } from './execution.js';
import { codeOf } from './stage.js';

// living-plan.md, plan apply: a plan that changes during its execution.

const AUTOPILOT = { autopilot: true };

const begin = (input: object = AUTOPILOT) => execution(fiveTodos(), { input });

const engineOf = async (on: Execution) => {
  const { engine } = await on.state();
  if (engine === null) throw new Error('no engine');
  return engine;
};

/** Calls `act` only the first time: a person is first asked the question, and later perhaps for a reason. */
function once(act: () => unknown): () => unknown {
  let isLeft = true;
  return () => {
    if (!isLeft) return undefined;
    isLeft = false;
    return act();
  };
}

/** Completes todo-1, so that todo-2 to todo-4 are handed out. */
async function afterFirst(on: Execution): Promise<void> {
  on.result((await on.out())['todo-1/worker'] ?? '', {
    status: 'DONE',
    outputs: {},
    filesChanged: [],
    learnings: [],
    issues: [],
    summary: 'Did it.',
  });
  await on.collect();
  const judge = (await on.out())['todo-1/verify'];
  if (judge !== undefined) {
    on.result(judge, {
      status: 'VERIFIED',
      criteria: [{ id: 'as-1', pass: true, evidence: 'seen' }],
      mustNotDoViolations: [],
      sideEffects: [],
      environmentError: null,
      suggestedAdaptation: null,
      summary: 'Holds.',
    });
    await on.collect();
  }
}

describe('nothing changed', () => {
  it('is no change of anything, to the byte', async () => {
    const on = await begin();
    await afterFirst(on);
    const before = on.image();
    expect(statusOf(await applies(on))).toBe('unchanged');
    expect(statusOf(await proposes(on))).toBe('unchanged');
    edit(on, (plan) => plan);
    const reformatted = on.image();
    expect(statusOf(await applies(on))).toBe('unchanged');
    expect(on.image()).toBe(reformatted);
    expect(before).not.toBe(reformatted);
  });
});

describe('a person at a terminal', () => {
  it('is asked once, and each todo gets its verdict', async () => {
    const on = await begin();
    await afterFirst(on);
    const out = await on.out();
    expect(Object.keys(out)).toEqual(['todo-2/worker', 'todo-3/worker', 'todo-4/worker']);
    edit(on, (plan) => ({
      ...plan,
      todos: [
        ...plan.todos
          .filter(({ id }) => id !== 'todo-4')
          .map((todo) =>
            todo.id === 'todo-5'
              ? { ...todo, dependsOn: ['todo-2'] }
              : todo.id === 'todo-3'
                ? todo
                : { ...todo, steps: ['Other'] },
          ),
        judged('todo-6'),
      ],
    }));
    const seen: string[] = [];
    const done = await applies(on, {}, { seen });
    expect(verdictsOf(done)).toEqual({
      'todo-1': 'stays',
      'todo-2': 'again',
      'todo-5': 'taken up',
      'todo-6': 'added',
      'todo-4': 'withdrawn',
    });
    expect(seen.join()).toContain('todo-4: removed before it was done');
    expect(seen).toHaveLength(1);
    const engine = await engineOf(on);
    expect(engine.order).toEqual(['todo-1', 'todo-2', 'todo-3', 'todo-5', 'todo-6']);
    expect(Object.keys(await on.out())).toEqual(['todo-3/worker']);
    for (const todo of ['todo-2', 'todo-4']) {
      expect(codeOf(await on.complete({ action: out[`${todo}/worker`] ?? '' }))).toBe('STALE_ACTION');
      expect(await on.complete({ action: out[`${todo}/worker`] ?? '' })).toMatchObject({
        error: { message: expect.stringMatching(`change of the plan withdrew .* of ${todo} at \\d{4}-.* can stop`) },
      });
    }
    const unknown = await on.complete({ action: 'a999' });
    expect(unknown).toMatchObject({
      error: { code: 'STALE_ACTION', message: expect.not.stringContaining('withdrew') },
    });
    expect(on.text('PLAN.md')).toContain('### [x] todo-1');
    expect(on.text('PLAN.md')).toContain('### [ ] todo-6');
    expect((await on.goOn()).action).toBe('done');
    const end = await engineOf(on);
    expect(Object.values(end.todos).map(({ status }) => status)).toEqual(Array(5).fill('done'));
    expect(end.todos['todo-2']).toMatchObject({ attempt: 2, retries: 0 });
    expect(end.todos['todo-1']).toMatchObject({ attempt: 1 });
    expect((await on.state()).outcome).toBe('completed');
  });

  it('who says no changes nothing', async () => {
    const on = await begin();
    editTodos(on, { 'todo-5': { steps: ['Other'] } });
    const before = on.image();
    expect(codeOf(await applies(on, {}, { typed: 'no' }))).toBe('UNKNOWN_CHOICE');
    expect(on.image()).toBe(before);
  });

  it('decides on what was shown', async () => {
    const on = await begin();
    editTodos(on, { 'todo-5': { steps: ['Other'] } });
    const meanwhile = () => editTodos(on, { 'todo-5': { steps: ['Something worse'] } });
    expect(codeOf(await applies(on, {}, { meanwhile }))).toBe('INPUT_CHANGED');
    expect((await engineOf(on)).order).toHaveLength(5);
  });

  it('keeps the pending action where no task changes', async () => {
    const on = await begin();
    await afterFirst(on);
    const before = await on.next();
    editTodos(on, { 'todo-5': { steps: ['Other'] } });
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-5': 'taken up' });
    expect(await on.next()).toBe(before);
  });
});

describe('--dry-run', () => {
  it('says what would become of which todo and writes nothing', async () => {
    const on = await begin();
    await afterFirst(on);
    editTodos(on, { 'todo-1': { steps: ['Other'] }, 'todo-2': { steps: ['Other'] } });
    const before = on.image();
    const told = await proposes(on, { dryRun: true, reopen: [] });
    expect(verdictsOf(told)).toEqual({ 'todo-1': 'stays', 'todo-2': 'again' });
    expect(on.image()).toBe(before);
  });
});

describe('--reopen', () => {
  it('has a done todo done again, and what builds on it', async () => {
    const on = await begin();
    await afterFirst(on);
    editTodos(on, { 'todo-1': { steps: ['Other'] } });
    const told = await applies(on, { reopen: ['todo-1'] });
    expect(verdictsOf(told)).toMatchObject({ 'todo-1': 'reopened', 'todo-2': 'redone' });
    expect(Object.keys(await on.out())).toEqual(['todo-1/worker']);
    expect((await on.goOn()).action).toBe('done');
    expect((await on.state()).outcome).toBe('completed');
  });

  it('is only for what is done', async () => {
    const on = await begin();
    expect(codeOf(await applies(on, { reopen: ['todo-2'] }))).toBe('USAGE');
    expect(codeOf(await applies(on, { reopen: ['todo-9'] }))).toBe('USAGE');
  });
});

describe('what is gone', () => {
  it('and done keeps its place in the run, and asks for nothing any more', async () => {
    const on = await begin();
    await afterFirst(on);
    edit(on, (plan) => ({
      ...plan,
      todos: plan.todos.filter(({ id }) => id !== 'todo-1').map((todo) => ({ ...todo, dependsOn: [] })),
    }));
    expect(verdictsOf(await applies(on))).toMatchObject({ 'todo-1': 'kept', 'todo-2': 'again' });
    expect((await engineOf(on)).todos['todo-1']).toMatchObject({ status: 'done', gone: true });
    expect(on.text('PLAN.md')).not.toContain('todo-1');
    expect(statusOf(await applies(on))).toBe('unchanged');
    expect((await on.goOn()).action).toBe('done');
    expect((await on.state()).outcome).toBe('completed');
  });
});

describe('a plan that cannot be carried out', () => {
  it('is refused whole', async () => {
    const on = await begin();
    const before = await on.next();
    editTodos(on, { 'todo-2': { dependsOn: ['todo-5'] } });
    expect(codeOf(await applies(on))).toBe('SCHEMA_INVALID');
    on.put('plan-content.json', '{ "todos": [');
    expect(codeOf(await applies(on))).toBe('DATA_MALFORMED');
    expect(JSON.parse(await on.next())).toMatchObject({ actionId: JSON.parse(before).actionId });
  });

  it('is refused where both files were changed', async () => {
    const on = await begin();
    on.put('PLAN.md', (on.text('PLAN.md') ?? '').replace('todo-5', 'todo-7'));
    editTodos(on, { 'todo-2': { steps: ['Other'] } });
    const told = await applies(on);
    expect(codeOf(told)).toBe('PLAN_CONFLICT');
    expect(told.ok ? [] : told.error.details.map(({ target }) => target)).toEqual(['PLAN.md', 'plan-content.json']);
  });
});

describe('an agent', () => {
  it('in autopilot is told what a person runs', async () => {
    const on = await begin();
    editTodos(on, { 'todo-5': { steps: ['Other'] } });
    const before = on.image();
    const told = await proposes(on);
    expect(codeOf(told)).toBe('TERMINAL_REQUIRED');
    expect(told.ok ? null : told.error.answer).toEqual({ command: 'plan apply', input: { name: on.name } });
    expect(on.image()).toBe(before);
  });

  it('proposes, and a person decides once nothing is at work', async () => {
    const on = await begin({});
    await afterFirst(on);
    editTodos(on, { 'todo-5': { steps: ['Other'] }, 'todo-2': { steps: ['Other'] } });
    const pending = await on.next();
    expect(statusOf(await proposes(on))).toBe('proposed');
    expect(JSON.parse(await on.next()).actionId).toBe(JSON.parse(pending).actionId);
    const again = await proposes(on);
    expect(again.ok && again.json.duplicate).toBe(true);
    expect((await on.goOn()).action).toBe('wait-for-user');
    const gate = await on.gate();
    expect(gate.message).toContain('todo-5');
    expect(codeOf(await on.complete({ action: gate.actionId, choice: 'approve' }))).toBe('HUMAN_REQUIRED');
    const person = { ...on.context, caller: { kind: 'human' as const, via: 'test' } };
    const { stepComplete } = await import('../../../src/protocol/acknowledge/complete.js');
    await stepComplete(person, on.name, { action: gate.actionId, choice: 'approve' });
    expect((await engineOf(on)).proposed).toBeUndefined();
    expect(statusOf(await proposes(on))).toBe('unchanged');
    expect((await on.goOn()).action).toBe('done');
    expect((await on.state()).outcome).toBe('completed');
  });

  it('goes on as before where a person says no', async () => {
    const on = await begin({});
    editTodos(on, { 'todo-5': { steps: ['Other'] } });
    await proposes(on);
    await on.goOn();
    const gate = await on.gate();
    const person = { ...on.context, caller: { kind: 'human' as const, via: 'test' } };
    const { stepComplete } = await import('../../../src/protocol/acknowledge/complete.js');
    await stepComplete(person, on.name, { action: gate.actionId, choice: 'reject', note: 'Not now.' });
    expect((await engineOf(on)).proposed).toBeUndefined();
    expect(planOf(on).todos[4]?.steps).toEqual(['Other']);
    expect((await on.goOn()).action).toBe('done');
  });

  it.each([
    ['turned it down', 'reject', 'STALE_ACTION'],
    ['approved it', 'approve', null],
  ])(
    'whose proposal is decided on by two people applies nothing by the yes of one where the other has %s',
    async (_, choice, code) => {
      const on = await begin({});
      editTodos(on, { 'todo-5': { steps: ['Other'] } });
      await proposes(on);
      await on.goOn();
      const gate = await on.gate();
      const person = { ...on.context, caller: { kind: 'human' as const, via: 'test' } };
      const { stepComplete } = await import('../../../src/protocol/acknowledge/complete.js');
      const meanwhile = () => stepComplete(person, on.name, { action: gate.actionId, choice, note: 'Said first.' });
      const told = await applies(on, {}, { meanwhile });
      expect(told.ok ? statusOf(told) : codeOf(told)).toBe(code ?? 'unchanged');
      expect((await engineOf(on)).proposed).toBeUndefined();
      expect((await on.goOn()).action).toBe('done');
    },
  );

  it('whose proposal was turned down by one person cannot be turned down by another', async () => {
    const on = await begin({});
    editTodos(on, { 'todo-5': { steps: ['Other'] } });
    await proposes(on);
    const no = (meanwhile?: () => unknown) =>
      applies(on, {}, { typed: 'no', ...(meanwhile === undefined ? {} : { meanwhile: once(meanwhile) }) });
    const told = await no(async () => expect(statusOf(await no())).toBe('rejected'));
    expect(codeOf(told)).toBe('STALE_ACTION');
    expect((await on.goOn()).action).toBe('done');
  });

  it('does not have a question stand about a change that was taken back', async () => {
    const on = await begin({});
    const before = on.text('plan-content.json') ?? '';
    editTodos(on, { 'todo-5': { steps: ['Other'] } });
    await proposes(on);
    on.put('plan-content.json', before);
    expect((await on.goOn()).action).toBe('done');
  });
});
