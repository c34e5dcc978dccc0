import { describe, expect, it } from 'vitest';
import { stepComplete } from '../../../src/protocol/acknowledge/complete.js';
import { diffPlans } from '../../../src/protocol/plan/diff.js';
import { aCommand, aPlan } from '../plan/fixture.js';
import { applies, edit, editTodos, planOf, proposes, statusOf, verdictsOf } from './applying.js';
import { ENGINE, type Execution, execution, failing, judged, verified, worker } from './execution.js';
import { codeOf, outcome } from './stage.js';

// living-plan.md, plan apply: a plan that changes at various moments of a run.

const AUTOPILOT = { autopilot: true };

const engineOf = async (on: Execution) => {
  const { engine } = await on.state();
  if (engine === null) throw new Error('no engine');
  return engine;
};

const asPerson = (on: Execution) => ({ ...on.context, caller: { kind: 'human' as const, via: 'test' } });
const answer = async (on: Execution, choice: string, note?: string) =>
  outcome(
    stepComplete(asPerson(on), on.name, {
      action: (await on.gate()).actionId,
      choice,
      ...(note === undefined ? {} : { note }),
    }),
  );

const twoTodos = () => aPlan({ todos: [judged('todo-1'), judged('todo-2', { dependsOn: ['todo-1'] })] });

describe('in a fix round', () => {
  const reviewed = async (): Promise<Execution> => {
    const on = await execution(twoTodos(), { input: AUTOPILOT });
    let reviews = 0;
    await on
      .goOn((_todo, substep) => {
        if (substep !== 'codeReview' || reviews++ > 0) return undefined;
        throw new Error('at the review');
      })
      .catch(() => undefined);
    const review = (await on.out())['null/codeReview'] ?? '';
    const issue = { file: 'src/todo-1/a.js', line: 1, severity: 'major', description: 'It is wrong', title: 'Mend it' };
    on.result(review, { verdict: 'NEEDS_FIXES', issues: [issue], summary: 'One thing.' });
    const told = await on.collect();
    if (!told.ok) throw told.error;
    return on;
  };

  it('the fix stays, and a new todo joins', async () => {
    const on = await reviewed();
    expect(Object.keys(await on.out())).toEqual(['fix-r1-1/worker']);
    edit(on, (plan) => ({ ...plan, todos: [...plan.todos, judged('todo-3')] }));
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-3': 'added' });
    expect((await engineOf(on)).order).toEqual(['todo-1', 'todo-2', 'todo-3', 'fix-r1-1']);
    expect(on.text('PLAN.md')).toContain('fix-r1-1');
    expect(planOf(on).todos.map(({ id }) => id)).toEqual(['todo-1', 'todo-2', 'todo-3']);
    expect((await on.goOn()).action).toBe('done');
    expect((await on.state()).outcome).toBe('completed');
  });

  it('a todo that is done stays with its text, and the fix can be dropped in PLAN.md', async () => {
    const on = await reviewed();
    const shown = on.text('PLAN.md') ?? '';
    const at = shown.indexOf('### [ ] fix-r1-1');
    const rest = shown.slice(at + 5);
    const next = rest.search(/\n## |\n### /);
    on.put('PLAN.md', shown.slice(0, at) + (next < 0 ? '' : rest.slice(next + 1)));
    expect(verdictsOf(await applies(on))).toEqual({ 'fix-r1-1': 'withdrawn' });
    expect((await engineOf(on)).order).toEqual(['todo-1', 'todo-2']);
    expect((await on.goOn()).action).toBe('done');
  });
});

describe('while the review is out', () => {
  it('the run comes back to its todos', async () => {
    const on = await execution(twoTodos(), { input: AUTOPILOT });
    await on
      .goOn((_todo, substep) => {
        if (substep === 'codeReview') throw new Error('at the review');
        return undefined;
      })
      .catch(() => undefined);
    const review = (await on.out())['null/codeReview'] ?? '';
    edit(on, (plan) => ({ ...plan, todos: [...plan.todos, judged('todo-3')] }));
    expect(statusOf(await applies(on))).toBe('applied');
    expect(Object.keys(await on.out())).toEqual(['todo-3/worker']);
    expect(codeOf(await on.complete({ action: review }))).toBe('STALE_ACTION');
    expect(await on.complete({ action: review })).toMatchObject({
      error: { message: expect.stringContaining('A change of the plan withdrew') },
    });
    expect((await on.goOn()).action).toBe('done');
    expect((await on.state()).outcome).toBe('completed');
  });
});

describe('after the end', () => {
  it('of a completed run the files are written, and nothing is carried out', async () => {
    const on = await execution(twoTodos(), { input: AUTOPILOT });
    await on.goOn();
    const { engine, steps } = await on.state();
    edit(on, (plan) => ({ ...plan, todos: [...plan.todos, judged('todo-3')] }));
    expect(statusOf(await proposes(on))).toBe('applied');
    expect(on.text('PLAN.md')).toContain('### [ ] todo-3');
    expect(on.text('PLAN.md')).toContain('### [x] todo-1');
    expect(await on.state()).toMatchObject({ engine, steps });
    expect(statusOf(await proposes(on))).toBe('unchanged');
  });

  it('a halted run is reopened by what was failed and is changed', async () => {
    const on = await execution(twoTodos(), { input: AUTOPILOT, recipe: ENGINE(', max_retries: 0') });
    await on.goOn((todo, substep) => (todo === 'todo-1' && substep === 'verify' ? failing('as-1', 'red') : undefined));
    expect((await on.state()).status).toBe('halted');
    editTodos(on, { 'todo-1': { steps: ['Do it rightly'] } });
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-1': 'again' });
    expect((await on.state()).status).toBe('live');
    expect((await on.goOn()).action).toBe('done');
    expect((await on.state()).outcome).toBe('completed');
  });

  it('of a halted run an agent proposes too; refused, the run halts again', async () => {
    const on = await execution(twoTodos(), { recipe: ENGINE(', max_retries: 0') });
    await on.goOn((todo, substep) => (todo === 'todo-1' && substep === 'verify' ? failing('as-1', 'red') : undefined));
    editTodos(on, { 'todo-1': { steps: ['Do it rightly'] } });
    expect(statusOf(await proposes(on))).toBe('proposed');
    expect((await on.gate()).message).toContain('todo-1');
    expect((await answer(on, 'reject', 'No.')).ok).toBe(true);
    expect((await on.state()).status).toBe('halted');
    expect(statusOf(await proposes(on))).toBe('proposed');
    expect((await answer(on, 'approve')).ok).toBe(true);
    expect((await on.goOn()).action).toBe('done');
    expect((await on.state()).outcome).toBe('completed');
  });
});

describe('at a gate', () => {
  const withHuman = () =>
    aPlan({
      todos: [
        judged('todo-1', {
          acceptance: [
            { id: 'hu-1', kind: 'human', text: 'It looks right' },
            { id: 'as-1', kind: 'assertion', text: 'So it is' },
          ],
        }),
        judged('todo-2', { dependsOn: ['todo-1'] }),
      ],
    });

  it('about another todo the question stands', async () => {
    const on = await execution(withHuman());
    await on.goOn();
    const before = await on.next();
    editTodos(on, { 'todo-2': { steps: ['Other'] } });
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-2': 'taken up' });
    expect(await on.next()).toBe(before);
    expect((await answer(on, 'pass')).ok).toBe(true);
    expect((await on.goOn()).action).toBe('done');
  });

  it('about the todo itself the question goes, and its answer is refused', async () => {
    const on = await execution(withHuman());
    await on.goOn();
    const gate = await on.gate();
    editTodos(on, { 'todo-1': { steps: ['Other'] } });
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-1': 'again' });
    expect(codeOf(await outcome(stepComplete(asPerson(on), on.name, { action: gate.actionId, choice: 'pass' })))).toBe(
      'STALE_ACTION',
    );
    expect(Object.keys(await on.out())).toEqual(['todo-1/worker']);
  });

  it('about the commands they are asked about anew, as they now are', async () => {
    const plan = aPlan({ todos: [judged('todo-1', { acceptance: [aCommand('ac-1', ['true'])] })] });
    const on = await execution(plan);
    const gate = await on.gate();
    expect(gate.message).toContain('true');
    editTodos(on, { 'todo-1': { acceptance: [aCommand('ac-1', ['false', 'x'])] } });
    expect(statusOf(await proposes(on))).toBe('applied');
    const again = await on.gate();
    expect(again.actionId).not.toBe(gate.actionId);
    expect(again.message).toContain('false x');
    expect((await engineOf(on)).commandsApproved).toBeNull();
    expect(
      codeOf(await outcome(stepComplete(asPerson(on), on.name, { action: gate.actionId, choice: 'approve' }))),
    ).toBe('STALE_ACTION');
  });
});

describe('an approval', () => {
  it('does not hold for other commands: the word for the change takes its place', async () => {
    const plan = aPlan({
      todos: [judged('todo-1'), judged('todo-2', { dependsOn: ['todo-1'], acceptance: [aCommand('ac-1', ['true'])] })],
    });
    const on = await execution(plan);
    expect((await answer(on, 'approve')).ok).toBe(true);
    const before = (await engineOf(on)).commandsApproved;
    editTodos(on, { 'todo-2': { acceptance: [aCommand('ac-1', ['true', 'other'])] } });
    const seen: string[] = [];
    const told = await applies(on, {}, { seen });
    expect(told.ok && told.json['plan']).toMatchObject({ outdated: ['commands'] });
    expect(seen.join()).toContain('true other');
    const after = (await engineOf(on)).commandsApproved;
    expect(after?.digest).not.toBe(before?.digest);
    expect(after?.by).toBe('human');
  });

  it('holds where none of what it covers changes', async () => {
    const on = await execution(twoTodos());
    editTodos(on, { 'todo-2': { steps: ['Other'] } });
    const told = await applies(on);
    expect(told.ok && told.json['plan']).not.toHaveProperty('outdated');
  });
});

describe('PLAN.md', () => {
  it('is taken up where somebody edited it, and plan-content.json follows', async () => {
    const on = await execution(twoTodos(), { input: AUTOPILOT });
    on.put('PLAN.md', (on.text('PLAN.md') ?? '').replace(/(### \[ \] todo-2: ).*/, '$1Another title'));
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-2': 'taken up' });
    expect(planOf(on).todos[1]?.title).toBe('Another title');
    expect((await engineOf(on)).todos['todo-2']?.title).toBe('Another title');
    expect(statusOf(await applies(on))).toBe('unchanged');
  });

  it('that cannot be read is refused with its lines, and stays as it was edited', async () => {
    const on = await execution(twoTodos(), { input: AUTOPILOT });
    const edited = (on.text('PLAN.md') ?? '').replace(/^work, risk .*$/m, 'work, risk enormous');
    on.put('PLAN.md', edited);
    const told = await applies(on);
    expect(codeOf(told)).toBe('PLAN_EDITED');
    expect(told.ok ? '' : told.error.details[0]?.target).toMatch(/^PLAN\.md:\d+$/);
    expect(on.text('PLAN.md')).toBe(edited);
  });

  it('edited on top of a changed plan-content.json is no conflict', async () => {
    const on = await execution(twoTodos(), { input: AUTOPILOT });
    edit(on, (plan) => ({ ...plan, todos: [...plan.todos, judged('todo-3')] }));
    const generated = await on.document('plan generate', {});
    expect(generated.ok).toBe(true);
    on.put('PLAN.md', (on.text('PLAN.md') ?? '').replace(/(### \[ \] todo-2: ).*/, '$1Another title'));
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-2': 'taken up', 'todo-3': 'added' });
  });
});

describe('plan diff', () => {
  const diff = async (on: Execution, input: object = {}) => {
    const told = await diffPlans(on.context, on.name, input);
    return { json: told.json as { changes: object[]; from: string }, text: told.text?.(() => '') ?? '' };
  };

  it('tells how the files differ from what runs, and from an entry of the journal', async () => {
    const on = await execution(twoTodos(), { input: AUTOPILOT });
    expect((await diff(on)).json.changes).toEqual([]);
    const { seq } = await on.store.read(on.name);
    editTodos(on, { 'todo-2': { title: 'Another title' } });
    const { json, text } = await diff(on);
    expect(json.changes).toMatchObject([
      { kind: 'field-changed', todo: 'todo-2', field: 'title', after: 'Another title' },
    ]);
    expect(text).toContain('todo-2');
    await applies(on);
    expect((await diff(on)).json.changes).toEqual([]);
    expect((await diff(on, { run: seq })).json.changes).toHaveLength(1);
    expect((await diff(on, { round: 1 })).json.changes).toHaveLength(1);
    await expect(diff(on, { round: 9 })).rejects.toMatchObject({ code: 'UNKNOWN_ENTRY' });
    await expect(diff(on, { run: 999 })).rejects.toMatchObject({ code: 'UNKNOWN_ENTRY' });
  });
});

describe('a value that a worker reports', () => {
  it('has a todo that now takes it wait for the one that gives it', async () => {
    const on = await execution(
      aPlan({ todos: [judged('todo-1', { outputs: [{ name: 'path', description: 'where' }] }), judged('todo-2')] }),
      {
        input: AUTOPILOT,
      },
    );
    editTodos(on, { 'todo-2': { inputs: [{ name: 'at', from: '$' + '{todo-1.outputs.path}' }] } });
    expect(verdictsOf(await applies(on))).toEqual({ 'todo-2': 'again' });
    expect((await engineOf(on)).todos['todo-2']).toMatchObject({ status: 'pending', dependsOn: ['todo-1'] });
    await on.goOn((todo, substep) =>
      substep === 'worker' && todo === 'todo-1'
        ? worker({ outputs: { path: 'x' } })
        : substep === 'verify'
          ? verified(['as-1'])
          : undefined,
    );
    expect((await on.state()).outcome).toBe('completed');
  });
});
