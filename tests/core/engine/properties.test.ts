import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayOverlap } from '../../../src/documents/globs.js';
import type { NewTodo, StageResult } from '../../../src/engine/core/events.js';
import type { TodoState } from '../../../src/run/engine-rows.js';
import { PROGRAM, Rim, todo, type Waiting } from './support.js';

/** Plans of up to eight todos. Each todo depends on some earlier ones and may touch some of a few directories. */
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

/**
 * Determines the verdicts, of which about `trouble` in ten are bad; the same stage of an attempt always gets the same.
 */
const worlds = fc.record({ seed: fc.nat(), trouble: fc.constantFrom(0, 2, 5) });

function verdictOf({ seed, trouble }: { seed: number; trouble: number }, io: Rim, waiting: Waiting): StageResult {
  const { todo: id, stage, part } = waiting;
  if (part === 'question') return { kind: 'again', why: 'that one' };
  const row = id === null ? undefined : io.state.todos[id];
  const key = `${seed}|${id}|${stage}|${part}|${row?.attempt ?? io.state.fixRounds}`;
  let hash = 7;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  if (trouble === 0 || hash % 10 >= trouble) return { kind: 'pass' };
  if (id === null) {
    if (stage !== 'codeReview' && stage !== 'finalVerify') return { kind: 'pass' };
    return { kind: 'fixes', todos: [todo(`fix-${io.state.fixRounds + 1}`)], why: 'found' };
  }
  if (stage === 'worker' && part === undefined && hash % 7 === 0) return { kind: 'ask', question: 'which?' };
  if (part === 'judge' && hash % 3 === 0 && row !== undefined && row.depth === 0 && io.state.added < 3) {
    const passed = hash % 2 === 0;
    const added = todo(`${id}-d${row.dynamicTodos.length + 1}`, passed ? [id] : [...row.dependsOn]);
    return { kind: 'adapt', passed, todo: added };
  }
  return hash % 5 === 0 ? { kind: 'halt', why: 'grave' } : { kind: 'fail', why: 'red' };
}

/** Runs the plan to its end, and calls `look` at the start and after each step. */
function watched(
  todos: NewTodo[],
  world: { seed: number; trouble: number },
  pick: (waiting: readonly Waiting[]) => number,
  look: (io: Rim) => void,
): Rim {
  const io = new Rim(todos);
  look(io);
  for (let step = 0; io.ended === null; step += 1) {
    if (step > 2000) throw new Error('no end');
    const next = io.waiting[pick(io.waiting)];
    if (next === undefined) throw new Error('stuck');
    io.outcome(next, verdictOf(world, io, next));
    look(io);
  }
  return io;
}

const workersOut = (io: Rim): TodoState[] =>
  io.waiting.flatMap(({ todo: id, stage, how }) => {
    const row = id === null ? undefined : io.state.todos[id];
    return how === 'task' && stage === 'worker' && row !== undefined ? [row] : [];
  });

const orders = fc.infiniteStream(fc.nat(1000));
const picker = (stream: Iterator<number>) => (waiting: readonly Waiting[]) =>
  (stream.next().value as number) % Math.max(1, waiting.length);

describe('whatever happens in whatever order', () => {
  it('no todo is handed out before its dependencies are done, no two that overlap, never too many', () => {
    fc.assert(
      fc.property(plans, worlds, orders, (todos, world, order) => {
        watched(todos, world, picker(order), (io) => {
          const out = workersOut(io);
          expect(out.length).toBeLessThanOrEqual(PROGRAM.policies.parallelLimit);
          for (const row of out) {
            for (const before of row.dependsOn) expect(io.state.todos[before]?.status).toBe('done');
            expect(out.filter((other) => other !== row && mayOverlap(row, other))).toEqual([]);
          }
        });
      }),
    );
  });

  it('it ends, and well only when every todo is done', () => {
    fc.assert(
      fc.property(plans, worlds, orders, (todos, world, order) => {
        const io = watched(todos, world, picker(order), () => {});
        const rows = Object.values(io.state.todos);
        if (io.ended?.outcome === 'completed') expect(rows.every(({ status }) => status === 'done')).toBe(true);
        if (world.trouble === 0) expect(io.ended?.outcome).toBe('completed');
        expect(io.log.at(-2)).toBe('work run/report');
        expect(io.waiting).toEqual([]);
        for (const row of rows) expect(['done', 'failed', 'pending']).toContain(row.status);
      }),
    );
  });

  it('what depends on a failed todo never starts; everything else is tried', () => {
    fc.assert(
      fc.property(plans, worlds, orders, (todos, world, order) => {
        const io = watched(todos, world, picker(order), () => {});
        for (const row of Object.values(io.state.todos)) {
          const open = row.dependsOn.filter((id) => io.state.todos[id]?.status !== 'done');
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
        const io = new Rim(todos);
        const id = todos[which % todos.length]?.id ?? 't0';
        onward(io, world, pick, moment);
        const before = io.state.todos[id]?.attempt ?? 0;
        // The invalidate withdraws some waiting tasks; removes them from `waiting` first, as the engine's caller does.
        io.waiting.splice(0, io.waiting.length, ...withdrawn(io, id));
        io.reopen({ type: 'INVALIDATE', todos: [id] });
        onward(io, { ...world, trouble: 0 }, pick, 2000);
        expect(io.ended).not.toBeNull();
        const row = io.state.todos[id];
        if (row?.status === 'done') expect(row.attempt).toBeGreaterThanOrEqual(Math.max(1, before));
      }),
    );
  });
});

/** Runs the plan to its end, and holds it at random moments. Releases a hold at the latest once no work waits. */
function heldNowAndThen(
  todos: NewTodo[],
  world: { seed: number; trouble: number },
  pick: ReturnType<typeof picker>,
  whims: Iterator<boolean>,
  look: (io: Rim, begun: string[]) => void,
): Rim {
  const io = new Rim(todos);
  for (let step = 0; io.ended === null; step += 1) {
    if (step > 4000) throw new Error('no end');
    if (!io.held && whims.next().value === true) io.held = true;
    const next = io.waiting[pick(io.waiting)];
    const before = io.log.length;
    if (next !== undefined) io.outcome(next, verdictOf(world, io, next));
    if (io.held) look(io, io.log.slice(before));
    if (io.held && (io.waiting.length === 0 || whims.next().value === true)) io.release();
  }
  return io;
}

describe('a hold (control.md, Holding)', () => {
  const whims = fc.infiniteStream(fc.boolean());
  const HANDS_OUT = /^(task|gate|work run\/)/;

  it('begins nothing but what dev-cli does for todos at work, and a release leads to the same end', () => {
    fc.assert(
      fc.property(plans, worlds, whims, (todos, world, whim) => {
        const undisturbed = watched(
          todos,
          world,
          () => 0,
          () => {},
        );
        const held = heldNowAndThen(
          todos,
          world,
          () => 0,
          whim,
          (io, begun) => {
            expect(begun.filter((line) => HANDS_OUT.test(line))).toEqual([]);
            if (io.ended === null && io.waiting.length === 0) expect(io.state.at).toBeNull();
          },
        );
        expect(held.log).toEqual(undisturbed.log);
        expect(held.state).toEqual(undisturbed.state);
      }),
    );
  });

  it('lets dev-cli judge what came back, and keeps the next task until the release', () => {
    const io = new Rim([todo('t0'), todo('t1', ['t0'])]);
    const pass = () => {
      const [next] = io.waiting;
      if (next === undefined) throw new Error('nothing is out');
      io.outcome(next, { kind: 'pass' });
    };
    io.held = true;
    pass();
    expect(io.waiting).toMatchObject([{ how: 'work', stage: 'verify', part: 'commands' }]);
    pass();
    expect(io.waiting).toEqual([]);
    io.release();
    expect(io.waiting).toMatchObject([{ how: 'task', stage: 'verify' }]);
  });
});

function onward(
  io: Rim,
  world: { seed: number; trouble: number },
  pick: ReturnType<typeof picker>,
  steps: number,
): void {
  for (let step = 0; step < steps && io.ended === null; step += 1) {
    const next = io.waiting[pick(io.waiting)];
    if (next === undefined) throw new Error('stuck');
    io.outcome(next, verdictOf(world, io, next));
  }
}

function withdrawn(io: Rim, id: string): Waiting[] {
  const gone = new Set([id]);
  for (let size = 0; size !== gone.size; ) {
    size = gone.size;
    for (const row of Object.values(io.state.todos)) if (row.dependsOn.some((one) => gone.has(one))) gone.add(row.id);
  }
  return io.waiting.filter(({ todo: one }) => one !== null && !gone.has(one));
}

describe('the watch', () => {
  it('notices a scheduler that ignores dependencies', () => {
    const io = new Rim([todo('t0'), todo('t1', ['t0'])]);
    expect(workersOut(io).map(({ id }) => id)).toEqual(['t0']);
    const blind = new Rim([todo('t0'), todo('t1')]);
    expect(workersOut(blind).map(({ id }) => id)).toEqual(['t0', 't1']);
  });
});
