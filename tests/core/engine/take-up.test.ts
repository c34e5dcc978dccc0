import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayOverlap } from '../../../src/documents/globs.js';
import type { NewTodo, PlanUpdate, StageResult } from '../../../src/engine/core/events.js';
import { isInterrupted, isPastTodos, judgeTodos } from '../../../src/engine/core/moved-plan.js';
import type { TodoState } from '../../../src/run/engine-rows.js';
import { PROGRAM, Rim, todo, type Waiting } from './support.js';

// living-plan.md, plan apply: rules that hold when a plan changes during its execution, tested with random plans, edits
// and moments.

const FILES = ['src/a/**', 'src/b/**', 'src/a/x.ts', 'docs/*.md'];

/** Plans of up to eight todos. Each todo depends on some earlier ones and may touch some of a few directories. */
const plans = fc
  .array(fc.record({ before: fc.array(fc.nat(7), { maxLength: 3 }), files: fc.subarray(FILES, { minLength: 0 }) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((drafts) =>
    drafts.map(({ before, files }, index): NewTodo => {
      const dependsOn = [...new Set(before.filter((other) => other < index).map((other) => `t${other}`))];
      return todo(`t${index}`, dependsOn, files);
    }),
  );

/** An edit of one todo's text, files or dependencies, its removal, or the addition of a new todo. */
interface Edit {
  which: number;
  kind: 'text' | 'files' | 'after' | 'drop' | 'add';
  files: string[];
  after: number;
}
const edits = fc.record<Edit>({
  which: fc.nat(7),
  kind: fc.constantFrom('text', 'files', 'after', 'drop', 'add'),
  files: fc.subarray(FILES, { minLength: 0 }),
  after: fc.nat(7),
});

/** A todo as in the plan's file; `text` stands for all content that the engine does not know. */
type Planned = NewTodo & { text: number };

function apply(plan: readonly Planned[], { which, kind, files, after }: Edit, number: number): Planned[] {
  if (kind === 'add') return [...plan, { ...todo(`n${number}`, [], files), text: 0 }];
  const at = plan.findIndex(({ id }) => id === `t${which}`);
  const old = plan[at];
  if (old === undefined) return [...plan];
  if (kind === 'drop') {
    return plan
      .filter(({ id }) => id !== old.id)
      .map((one) =>
        one.dependsOn.includes(old.id)
          ? { ...one, dependsOn: one.dependsOn.filter((id) => id !== old.id), text: one.text + 1 }
          : one,
      );
  }
  const before = plan.slice(0, at).map(({ id }) => id);
  const other = before[after % Math.max(1, before.length)];
  const change: Partial<NewTodo> =
    kind === 'files' ? { files } : kind === 'after' ? { dependsOn: other === undefined ? [] : [other] } : {};
  return plan.map((one, index) => (index === at ? { ...one, ...change, text: one.text + 1 } : one));
}

const planned = (todos: readonly NewTodo[]): Planned[] => todos.map((one) => ({ ...one, text: 0 }));

/** Computes the difference between two plans, as the engine's caller does. */
function movedFrom(io: Rim, before: readonly Planned[], after: readonly Planned[], reopen: string[] = []): PlanUpdate {
  const texts = new Map(before.map((one) => [one.id, JSON.stringify(one)]));
  const entries = after.map((one) => {
    const { text: _, ...plain } = one;
    const row = io.state.todos[one.id];
    const isChanged = texts.get(one.id) !== JSON.stringify(one);
    return { todo: isChanged || row === undefined ? plain : pick(row), isChanged };
  });
  const stays = new Set(after.map(({ id }) => id));
  const added = Object.values(io.state.todos)
    .filter((row) => row.body !== undefined && row.gone !== true && !stays.has(row.id))
    .filter((row) => row.parent == null || stays.has(row.parent));
  for (const row of added) stays.add(row.id);
  const gone = io.state.order
    .filter((id) => !stays.has(id))
    .map((id) => ({ ...pick(io.state.todos[id] as TodoState), body: BODY }));
  return {
    todos: [...entries, ...added.map((row) => ({ todo: { ...pick(row), body: BODY }, isChanged: false }))],
    gone,
    reopen,
    isOtherwiseChanged: before.map(({ id }) => id).join() !== after.map(({ id }) => id).join(),
  };
}

const BODY = {} as NonNullable<NewTodo['body']>;

function pick({ id, title, type, risk, dependsOn, files }: TodoState): NewTodo {
  return { id, title, type, risk, dependsOn, files };
}

/** Switches to a plan as the engine's caller does: first removes interrupted work from `waiting`. */
function takeUp(io: Rim, moved: PlanUpdate): void {
  const verdicts = judgeTodos(io.state, moved);
  const left = new Set(verdicts.filter(({ verdict }) => isInterrupted(verdict)).map(({ todo: id }) => id));
  const isMoved = moved.isOtherwiseChanged || verdicts.some(({ verdict }) => verdict !== 'same');
  const isBack = isMoved && isPastTodos(io.state);
  const out = io.waiting.filter(({ todo: id }) => (id === null ? !isBack : !left.has(id)));
  io.waiting.splice(0, io.waiting.length, ...out);
  io.apply(moved);
}

const worlds = fc.record({ seed: fc.nat(), trouble: fc.constantFrom(0, 2, 5) });

function verdictOf({ seed, trouble }: { seed: number; trouble: number }, io: Rim, waiting: Waiting): StageResult {
  const { todo: id, stage, part } = waiting;
  if (part === 'question') return { kind: 'again', why: 'that one' };
  const row = id === null ? undefined : io.state.todos[id];
  let hash = 7;
  for (const character of `${seed}|${id}|${stage}|${part}|${row?.attempt ?? io.state.fixRounds}`)
    hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  if (trouble === 0 || hash % 10 >= trouble) return { kind: 'pass' };
  if (id === null) {
    if (stage !== 'codeReview') return { kind: 'pass' };
    // The number of rows makes the id unique. The number of fix rounds would not: it restarts when the plan changes.
    const fix = `fix-${hash}-${Object.keys(io.state.todos).length}`;
    return { kind: 'fixes', todos: [{ ...todo(fix), body: BODY }], why: 'found' };
  }
  if (stage === 'worker' && part === undefined && hash % 7 === 0) return { kind: 'ask', question: 'which?' };
  if (part === 'judge' && hash % 3 === 0 && row?.depth === 0 && row.body === undefined && io.state.added < 3) {
    const passed = hash % 2 === 0;
    const added = todo(`${id}-d${row.dynamicTodos.length + 1}-${io.state.added}`, passed ? [id] : [...row.dependsOn]);
    return { kind: 'adapt', passed, todo: { ...added, body: BODY } };
  }
  return hash % 5 === 0 ? { kind: 'halt', why: 'grave' } : { kind: 'fail', why: 'red' };
}

type Pick = (waiting: readonly Waiting[]) => number;
const orders = fc.infiniteStream(fc.nat(1000));
const picker =
  (stream: Iterator<number>): Pick =>
  (waiting) =>
    (stream.next().value as number) % Math.max(1, waiting.length);

function onward(
  io: Rim,
  world: { seed: number; trouble: number },
  pick: Pick,
  steps: number,
  look = (_: Rim) => {},
): void {
  for (let step = 0; step < steps && io.ended === null; step += 1) {
    const next = io.waiting[pick(io.waiting)];
    if (next === undefined) throw new Error('stuck');
    io.outcome(next, verdictOf(world, io, next));
    look(io);
  }
}

/** Checks the invariants that hold at every moment. */
function watch(io: Rim): void {
  const { order, todos, wave } = io.state;
  expect([...order].sort()).toEqual(Object.keys(todos).sort());
  for (const row of Object.values(todos)) for (const id of row.dependsOn) expect(Object.keys(todos)).toContain(id);
  for (const id of wave) expect(order).toContain(id);
  const out = io.waiting.flatMap(({ todo: id, stage, how }) => {
    const row = id === null ? undefined : todos[id];
    return how === 'task' && stage === 'worker' && row !== undefined ? [row] : [];
  });
  for (const { todo: id } of io.waiting) if (id !== null) expect(order).toContain(id);
  expect(out.length).toBeLessThanOrEqual(PROGRAM.policies.parallelLimit);
  for (const row of out) {
    for (const before of row.dependsOn) expect(todos[before]?.status).toBe('done');
    expect(out.filter((other) => other !== row && mayOverlap(row, other))).toEqual([]);
  }
}

describe('a plan that changes while it is carried out', () => {
  it('applied as it is changes nothing, and the run goes on to the letter', () => {
    fc.assert(
      fc.property(plans, worlds, orders, fc.nat(40), (todos, world, order, moment) => {
        const choices = [...take(order, 400)];
        const plain = new Rim(todos);
        const other = new Rim(todos);
        onward(plain, world, picker(choices.values()), moment);
        onward(other, world, picker(choices.values()), moment);
        const before = JSON.stringify(other.state);
        takeUp(other, movedFrom(other, planned(todos), planned(todos)));
        expect(JSON.stringify(other.state)).toBe(before);
        expect(other.waiting).toEqual(plain.waiting);
        onward(plain, world, picker(choices.slice(moment).values()), 300);
        onward(other, world, picker(choices.slice(moment).values()), 300);
        expect(other.log).toEqual(plain.log);
        expect(JSON.stringify(other.state)).toBe(JSON.stringify(plain.state));
      }),
    );
  });

  it('never leaves the run stuck, whatever changes when', () => {
    fc.assert(
      fc.property(
        plans,
        worlds,
        orders,
        fc.array(fc.tuple(fc.nat(25), edits), { maxLength: 4 }),
        (todos, world, order, course) => {
          const pick = picker(order);
          const io = new Rim(todos);
          let plan = planned(todos);
          for (const [index, [moment, edit]] of course.entries()) {
            onward(io, world, pick, moment, watch);
            const after = apply(plan, edit, index);
            if (after.length === 0) continue;
            takeUp(io, movedFrom(io, plan, after));
            plan = after;
            watch(io);
          }
          onward(io, { ...world, trouble: 0 }, pick, 2000, watch);
          expect(io.ended).not.toBeNull();
          expect(io.waiting).toEqual([]);
          for (const { id } of plan) expect(['done', 'failed', 'pending']).toContain(io.state.todos[id]?.status);
          const isWhole = Object.values(io.state.todos).every(({ status }) => status === 'done');
          if (io.ended?.outcome === 'completed') expect(isWhole).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('takes its commit from no done todo, and begins none again that nobody named', () => {
    fc.assert(
      fc.property(
        plans,
        worlds,
        orders,
        fc.nat(40),
        fc.array(edits, { minLength: 1, maxLength: 3 }),
        (todos, world, order, moment, changes) => {
          const io = new Rim(todos);
          onward(io, world, picker(order), moment);
          for (const row of Object.values(io.state.todos))
            if (row.status === 'done') io.state.todos[row.id] = { ...row, commit: `sha-${row.id}` };
          const done = Object.values(io.state.todos).filter(({ status }) => status === 'done');
          const after = changes.reduce<Planned[]>((plan, edit, index) => apply(plan, edit, index), planned(todos));
          if (after.length === 0) return;
          takeUp(io, movedFrom(io, planned(todos), after));
          for (const { id, commit, attempt } of done)
            expect(io.state.todos[id]).toMatchObject({ status: 'done', commit, attempt });
        },
      ),
    );
  });

  it('is the same plan in whichever order edits of different todos are taken up', () => {
    fc.assert(
      fc.property(plans, worlds, orders, fc.nat(40), edits, edits, (todos, world, order, moment, one, other) => {
        const plan = planned(todos);
        fc.pre(one.which !== other.which && one.kind !== 'drop' && other.kind !== 'drop');
        fc.pre(!(one.kind === 'add' && other.kind === 'add'));
        const choices = [...take(order, 100)];
        const taken = (first: Edit, second: Edit): Rim => {
          const io = new Rim(todos);
          onward(io, world, picker(choices.values()), moment);
          const middle = apply(plan, first, 0);
          takeUp(io, movedFrom(io, plan, middle));
          takeUp(io, movedFrom(io, middle, apply(middle, second, 0)));
          return io;
        };
        const [there, back] = [taken(one, other), taken(other, one)];
        const asPlan = ({ state }: Rim) =>
          state.order.map((id) => {
            const { title, dependsOn, files, status, gone } = state.todos[id] as TodoState;
            return { id, title, dependsOn, files, gone, done: status === 'done' };
          });
        expect(asPlan(there)).toEqual(asPlan(back));
        // As long as no todo has been attempted, not only the plan but the whole state is the same in both orders.
        const untouched = (io: Rim) => Object.values(io.state.todos).every(({ attempt }) => attempt === 0);
        if (untouched(there) && untouched(back)) expect(there.state).toEqual(back.state);
      }),
    );
  });

  it('lets an attempt that it interrupts count against no limit', () => {
    const io = new Rim([todo('t0'), todo('t1', ['t0'])]);
    for (let times = 0; times < 5; times += 1) {
      const before = planned([todo('t0'), todo('t1', ['t0'])]).map((one) => ({ ...one, text: times }));
      takeUp(
        io,
        movedFrom(
          io,
          before,
          before.map((one) => ({ ...one, text: times + 1 })),
        ),
      );
    }
    expect(io.state.todos['t0']).toMatchObject({ attempt: 6, retries: 0 });
    expect(io.run().ended?.outcome).toBe('completed');
  });
});

describe('a proposal', () => {
  it('is asked about once nothing is at work, and before the next task', () => {
    fc.assert(
      fc.property(plans, worlds, orders, fc.nat(40), fc.boolean(), (todos, world, order, moment, isTaken) => {
        const pick = picker(order);
        const io = new Rim(todos);
        onward(io, world, pick, moment);
        // Nothing can be proposed in stage `report`: the engine enters it and writes the report in one step.
        if (io.ended !== null || io.state.stage === 'report') return;
        io.propose();
        let tasks = io.waiting.filter(({ how }) => how === 'task').length;
        for (let step = 0; step < 50; step += 1) {
          const next = io.waiting[pick(io.waiting)];
          if (next === undefined) throw new Error('stuck');
          if (next.stage === 'applyPlan') break;
          io.outcome(next, verdictOf(world, io, next));
          const now = io.waiting.filter(({ how }) => how === 'task').length;
          expect(now).toBeLessThanOrEqual(Math.max(tasks, 0));
          tasks = now;
        }
        expect(io.waiting.map(({ stage }) => stage)).toEqual(['applyPlan']);
        if (isTaken) {
          io.waiting.length = 0;
          const plan = planned(todos);
          io.apply(
            movedFrom(
              io,
              plan,
              plan.map((one, index) => (index === 0 ? { ...one, text: 1 } : one)),
            ),
          );
        } else io.outcome(io.waiting[0] as Waiting, { kind: 'skipped' });
        onward(io, { ...world, trouble: 0 }, pick, 2000, watch);
        expect(io.ended).not.toBeNull();
        expect(io.state.proposed).toBeUndefined();
      }),
    );
  });
});

describe('the watch', () => {
  it('notices a row that the order does not have', () => {
    const io = new Rim([todo('t0'), todo('t1')]);
    io.state.order = ['t0'];
    expect(() => watch(io)).toThrow();
  });

  it('notices a task of a todo that is gone', () => {
    const io = new Rim([todo('t0'), todo('t1')]);
    io.apply(movedFrom(io, planned([todo('t0'), todo('t1')]), planned([todo('t0')])));
    expect(() => watch(io)).toThrow();
  });
});

function* take<T>(stream: Iterator<T>, count: number): Generator<T> {
  for (let n = 0; n < count; n += 1) yield stream.next().value as T;
}
