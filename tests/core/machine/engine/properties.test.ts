import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewTodo, Verdict } from '../../../../src/engine/core/events.js';
import { overlaps } from '../../../../src/engine/core/overlap.js';
import type { TodoState } from '../../../../src/run/engine-rows.js';
import { PROGRAM, Rim, todo, type Waiting } from './support.js';

/** Up to eight todos; each depends on some before it and may touch some of a few directories. */
const plans = fc
  .array(
    fc.record({
      before: fc.array(fc.nat(7), { maxLength: 3 }),
      files: fc.subarray(['src/a/**', 'src/b/**', 'src/a/x.ts', 'docs/*.md'], { minLength: 0 }),
      verification: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drafts) =>
    drafts.map(({ before, files, verification }, index): NewTodo => {
      const dependsOn = [...new Set(before.filter((other) => other < index).map((other) => `t${other}`))];
      return { ...todo(`t${index}`, dependsOn, files), type: verification ? 'verification' : 'work' };
    }),
  );

/** What a stage comes to: the same for the same todo, stage, part and attempt, whenever it is asked. */
const worlds = fc.record({ seed: fc.nat(), trouble: fc.constantFrom(0, 2, 5) });

function verdictOf({ seed, trouble }: { seed: number; trouble: number }, rim: Rim, waiting: Waiting): Verdict {
  const { todo: id, stage, part } = waiting;
  if (part === 'question') return { kind: 'again', why: 'that one' };
  const row = id === null ? undefined : rim.state.todos[id];
  const key = `${seed}|${id}|${stage}|${part}|${row?.attempt ?? rim.state.fixRounds}`;
  let hash = 7;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  if (trouble === 0 || hash % 10 >= trouble) return { kind: 'pass' };
  if (id === null) {
    if (stage !== 'codeReview' && stage !== 'finalVerify') return { kind: 'pass' };
    return { kind: 'fixes', todos: [todo(`fix-${rim.state.fixRounds + 1}`)], why: 'found' };
  }
  if (stage === 'worker' && part === undefined && hash % 7 === 0) return { kind: 'ask', question: 'which?' };
  if (part === 'judge' && hash % 3 === 0 && row !== undefined && row.depth === 0 && rim.state.added < 3) {
    const passed = hash % 2 === 0;
    const added = todo(`${id}-d${row.dynamicTodos.length + 1}`, passed ? [id] : row.dependsOn);
    return { kind: 'adapt', passed, todo: added };
  }
  return hash % 5 === 0 ? { kind: 'halt', why: 'grave' } : { kind: 'fail', why: 'red' };
}

/** Runs to the end, looking at every moment. */
function watched(
  todos: NewTodo[],
  world: { seed: number; trouble: number },
  pick: (waiting: readonly Waiting[]) => number,
  look: (rim: Rim) => void,
): Rim {
  const rim = new Rim(todos);
  look(rim);
  for (let step = 0; rim.ended === null; step += 1) {
    if (step > 2000) throw new Error('no end');
    const next = rim.waiting[pick(rim.waiting)];
    if (next === undefined) throw new Error('stuck');
    rim.outcome(next, verdictOf(world, rim, next));
    look(rim);
  }
  return rim;
}

const workersOut = (rim: Rim): TodoState[] =>
  rim.waiting.flatMap(({ todo: id, stage, how }) => {
    const row = id === null ? undefined : rim.state.todos[id];
    return how === 'task' && stage === 'worker' && row !== undefined ? [row] : [];
  });

const orders = fc.infiniteStream(fc.nat(1000));
const picker = (stream: Iterator<number>) => (waiting: readonly Waiting[]) =>
  (stream.next().value as number) % Math.max(1, waiting.length);

describe('whatever happens in whatever order', () => {
  it('no todo is handed out before its dependencies are done, no two that overlap, never too many', () => {
    fc.assert(
      fc.property(plans, worlds, orders, (todos, world, order) => {
        watched(todos, world, picker(order), (rim) => {
          const out = workersOut(rim);
          expect(out.length).toBeLessThanOrEqual(PROGRAM.policies.parallelLimit);
          for (const row of out) {
            for (const before of row.dependsOn) expect(rim.state.todos[before]?.status).toBe('done');
            expect(out.filter((other) => other !== row && overlaps(row, other))).toEqual([]);
          }
        });
      }),
    );
  });

  it('it ends, and well only when every todo is done', () => {
    fc.assert(
      fc.property(plans, worlds, orders, (todos, world, order) => {
        const rim = watched(todos, world, picker(order), () => {});
        const rows = Object.values(rim.state.todos);
        if (rim.ended?.outcome === 'completed') expect(rows.every(({ status }) => status === 'done')).toBe(true);
        if (world.trouble === 0) expect(rim.ended?.outcome).toBe('completed');
        expect(rim.log.at(-2)).toBe('work run/report');
        expect(rim.waiting).toEqual([]);
        for (const row of rows) expect(['done', 'failed', 'pending']).toContain(row.status);
      }),
    );
  });

  it('what depends on a failed todo never starts; everything else is tried', () => {
    fc.assert(
      fc.property(plans, worlds, orders, (todos, world, order) => {
        const rim = watched(todos, world, picker(order), () => {});
        for (const row of Object.values(rim.state.todos)) {
          const open = row.dependsOn.filter((id) => rim.state.todos[id]?.status !== 'done');
          if (row.status === 'done') expect(open).toEqual([]);
          if (row.status === 'pending') expect(open).not.toEqual([]);
        }
      }),
    );
  });

  it('the end is the same in every order of acknowledgement', () => {
    fc.assert(
      fc.property(plans, worlds, orders, orders, (todos, world, one, other) => {
        const first = watched(todos, world, picker(one), () => {});
        const second = watched(todos, world, picker(other), () => {});
        expect(second.state).toEqual(first.state);
        expect(second.ended).toEqual(first.ended);
      }),
    );
  });

  it('an invalidate in the middle or at the end never leaves it stuck, and redoes what it names', () => {
    fc.assert(
      fc.property(plans, worlds, orders, fc.nat(40), fc.nat(7), (todos, world, order, moment, which) => {
        const pick = picker(order);
        const rim = new Rim(todos);
        const id = todos[which % todos.length]?.id ?? 't0';
        onward(rim, world, pick, moment);
        const before = rim.state.todos[id]?.attempt ?? 0;
        // As the rim does: what the invalidate takes back is no longer out.
        rim.waiting.splice(0, rim.waiting.length, ...withdrawn(rim, id));
        rim.reopen({ type: 'INVALIDATE', todos: [id] });
        onward(rim, { ...world, trouble: 0 }, pick, 2000);
        expect(rim.ended).not.toBeNull();
        const row = rim.state.todos[id];
        if (row?.status === 'done') expect(row.attempt).toBeGreaterThanOrEqual(Math.max(1, before));
      }),
    );
  });
});

function onward(
  rim: Rim,
  world: { seed: number; trouble: number },
  pick: ReturnType<typeof picker>,
  steps: number,
): void {
  for (let step = 0; step < steps && rim.ended === null; step += 1) {
    const next = rim.waiting[pick(rim.waiting)];
    if (next === undefined) throw new Error('stuck');
    rim.outcome(next, verdictOf(world, rim, next));
  }
}

function withdrawn(rim: Rim, id: string): Waiting[] {
  const gone = new Set([id]);
  for (let size = 0; size !== gone.size; ) {
    size = gone.size;
    for (const row of Object.values(rim.state.todos)) if (row.dependsOn.some((one) => gone.has(one))) gone.add(row.id);
  }
  return rim.waiting.filter(({ todo: one }) => one !== null && !gone.has(one));
}

describe('the watch', () => {
  it('notices a scheduler that ignores dependencies', () => {
    const rim = new Rim([todo('t0'), todo('t1', ['t0'])]);
    expect(workersOut(rim).map(({ id }) => id)).toEqual(['t0']);
    const blind = new Rim([todo('t0'), todo('t1')]);
    expect(workersOut(blind).map(({ id }) => id)).toEqual(['t0', 't1']);
  });
});
