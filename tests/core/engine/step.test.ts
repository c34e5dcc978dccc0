import { describe, expect, it } from 'vitest';
import type { StageResult } from '../../../src/engine/core/events.js';
import { groupBlockedTodos } from '../../../src/engine/core/scheduler.js';
import { PROGRAM, Rim, todo, type Waiting } from './support.js';

const PLAN = [todo('t1'), todo('t2', ['t1']), todo('t3', ['t1']), todo('t4', ['t1']), todo('t5', ['t2', 't3', 't4'])];
const only =
  (id: string | null, stage: string, attempt: number, verdict: StageResult) =>
  (waiting: Waiting): StageResult =>
    waiting.todo === id && waiting.stage === stage && (attempt === 0 || waiting.attempt === attempt)
      ? verdict
      : { kind: 'pass' };

describe('a run in which all goes well', () => {
  it('goes wave by wave, stage by stage, and ends with the report', () => {
    const io = new Rim(PLAN).run();
    expect(io.ended).toEqual({ type: 'ended', outcome: 'completed' });
    const tasks = io.log.filter((line) => line.startsWith('task'));
    expect(tasks).toEqual([
      'task t1/worker 1',
      'task t1/verify 1',
      'task t2/worker 1',
      'task t3/worker 1',
      'task t4/worker 1',
      'task t2/verify 1',
      'task t3/verify 1',
      'task t4/verify 1',
      'task t5/worker 1',
      'task t5/verify 1',
      'task run/codeReview 1',
    ]);
    expect(io.log.at(-2)).toBe('work run/report');
    expect(io.state.todos['t5']?.substeps).toMatchObject({ worker: { status: 'done' }, commit: { status: 'done' } });
  });

  it('skips what does not apply, and says so', () => {
    const io = new Rim([todo('t1')], PROGRAM, (_, stage, part) => stage === 'worker' || part === 'commands').run();
    expect(io.log).toEqual(['task t1/worker 1', 'work t1/verify.commands', 'done t1', 'completed']);
    expect(io.state.todos['t1']?.substeps).toMatchObject({
      verify: { status: 'done' },
      commit: { status: 'skipped' },
    });
    expect(io.state.finalize['codeReview']?.status).toBe('skipped');
  });

  it('tells a commit that was skipped or deferred from one that was made', () => {
    const skipped = new Rim([todo('t1')]).run(only('t1', 'commit', 0, { kind: 'skipped' }));
    expect(skipped.state.todos['t1']?.substeps['commit']?.status).toBe('skipped');
    const deferred = new Rim([todo('t1')]).run(only('t1', 'commit', 0, { kind: 'deferred' }));
    expect(deferred.state.todos['t1']?.substeps['commit']?.status).toBe('deferred');
    expect(deferred.ended?.outcome).toBe('completed');
  });
});

describe('failure', () => {
  it('retries the whole todo in the next wave, as often as it may, then fails it', () => {
    const io = new Rim([todo('t1')]).run(only('t1', 'verify', 0, { kind: 'fail', why: 'red' }));
    expect(io.log.filter((line) => line.startsWith('task'))).toHaveLength(3);
    expect(io.state.todos['t1']).toMatchObject({ status: 'failed', attempt: 3, retries: 2, why: 'red' });
    expect(io.ended).toEqual({ type: 'ended', outcome: 'halted', why: 't1: red' });
    expect(io.log).toContain('work run/report');
  });

  it('keeps dependents from starting, lets independent todos go on, and names what is blocked', () => {
    const io = new Rim(PLAN).run(only('t3', 'worker', 0, { kind: 'halt', why: 'broken' }));
    expect(io.log.some((line) => line.includes('t5'))).toBe(false);
    expect(io.state.todos['t2']?.status).toBe('done');
    expect(groupBlockedTodos(io.state)).toEqual({ t3: ['t5'] });
    expect(io.ended?.outcome).toBe('halted');
  });

  it('widens without counting', () => {
    const io = new Rim([todo('t1')]).run(only('t1', 'worker', 1, { kind: 'widen', files: ['docs/x.md'] }));
    expect(io.state.todos['t1']).toMatchObject({ status: 'done', attempt: 2, retries: 0 });
    expect(io.state.todos['t1']?.files).toContain('docs/x.md');
  });
});

describe('a question', () => {
  it('becomes a gate when the wave is in; the answer is a new attempt that does not count', () => {
    const io = new Rim([todo('t1'), todo('t2')]).run(({ todo: id, stage, part, attempt }) => {
      if (id === 't1' && stage === 'worker' && part === 'question') return { kind: 'again', why: 'the answer: 42' };
      if (id === 't1' && stage === 'worker' && attempt === 1) return { kind: 'ask', question: 'which?' };
      return { kind: 'pass' };
    });
    expect(io.log.indexOf('gate t1/worker.question')).toBeGreaterThan(io.log.indexOf('task t2/worker 1'));
    expect(io.state.todos['t1']).toMatchObject({ status: 'done', attempt: 2, retries: 0 });
  });
});

describe('a todo that is added', () => {
  const added = { ...todo('t1-d1', ['t1']), title: 'more' };

  it('follows its parent when the criteria hold; the dependents of the parent wait for both', () => {
    const adapt = only('t1', 'verify', 1, { kind: 'adapt', todo: added, passed: true });
    const io = new Rim([todo('t1'), todo('t2', ['t1'])]).run((waiting) =>
      waiting.part === 'judge' ? adapt(waiting) : { kind: 'pass' },
    );
    expect(io.log.indexOf('done t1-d1')).toBeLessThan(io.log.indexOf('task t2/worker 1'));
    expect(io.state.todos['t1-d1']).toMatchObject({ status: 'done', depth: 1, parent: 't1' });
    expect(io.state.order).toEqual(['t1', 't1-d1', 't2']);
  });

  it('comes first when they do not hold, and the parent is attempted again', () => {
    const first = { ...added, dependsOn: [] };
    const io = new Rim([todo('t1')]).run(({ todo: id, part, attempt }) =>
      id === 't1' && part === 'judge' && attempt === 1
        ? { kind: 'adapt', todo: first, passed: false }
        : { kind: 'pass' },
    );
    expect(io.log.indexOf('done t1-d1')).toBeLessThan(io.log.indexOf('task t1/worker 2'));
    expect(io.state.todos['t1']).toMatchObject({ status: 'done', retries: 0 });
  });
});

describe('findings at the end', () => {
  it('become todos, and everything after them is done again', () => {
    const fixes: StageResult = { kind: 'fixes', todos: [todo('fix-r1-1')], why: 'a leak' };
    const io = new Rim([todo('t1')]).run(only(null, 'codeReview', 1, fixes));
    expect(io.state.todos['fix-r1-1']?.status).toBe('done');
    expect(io.log.filter((line) => line === 'work run/residualCommit')).toHaveLength(2);
    expect(io.ended?.outcome).toBe('completed');
  });

  it('halt the run when the rounds are used up', () => {
    let round = 0;
    const io = new Rim([todo('t1')]).run(({ stage }) => {
      if (stage !== 'codeReview') return { kind: 'pass' };
      round += 1;
      return { kind: 'fixes', todos: [todo(`fix-r${round}-1`)], why: 'still a leak' };
    });
    expect(io.ended).toEqual({ type: 'ended', outcome: 'halted', why: 'still a leak' });
    expect(io.state.fixRounds).toBe(2);
    expect(io.log.at(-2)).toBe('work run/report');
  });
});

describe('the approval of the plan and of its commands', () => {
  const all = (_: string | null, stage: string) => stage !== 'stateBegin';

  it('comes first; refused, nothing is done at all', () => {
    const io = new Rim([todo('t1')], PROGRAM, all);
    expect(io.log).toEqual(['gate run/approvePlan']);
    io.run(() => ({ kind: 'halt', why: 'not approved' }));
    expect(io.log).toEqual(['gate run/approvePlan', 'halted']);
    io.log.length = 0;
    io.reopen({ type: 'INVALIDATE', todos: null });
    expect(io.log).toEqual(['gate run/approvePlan']);
  });

  it('asks about the commands second; refused, nothing is done at all', () => {
    const io = new Rim([todo('t1')], PROGRAM, (_, stage) => stage !== 'stateBegin' && stage !== 'approvePlan');
    expect(io.log).toEqual(['gate run/approveCommands']);
    io.run(() => ({ kind: 'halt', why: 'not approved' }));
    expect(io.log).toEqual(['gate run/approveCommands', 'halted']);
  });
});

describe('invalidating', () => {
  it('redoes a todo and what was built on it, and reopens an ended run', () => {
    const io = new Rim(PLAN).run();
    io.log.length = 0;
    io.reopen({ type: 'INVALIDATE', todos: ['t2'] });
    expect(io.state.todos['t5']?.status).toBe('stale');
    expect(io.state.todos['t3']?.status).toBe('done');
    io.run();
    expect(io.log.filter((line) => line.includes('/worker'))).toEqual(['task t2/worker 2', 'task t5/worker 2']);
    expect(io.ended?.outcome).toBe('completed');
  });

  it('of the whole begins anew what is not done, with all its retries', () => {
    const io = new Rim([todo('t1'), todo('t2', ['t1'])]).run(only('t2', 'worker', 0, { kind: 'halt', why: 'no' }));
    io.reopen({ type: 'INVALIDATE', todos: null });
    io.run();
    expect(io.ended?.outcome).toBe('completed');
    expect(io.log.filter((line) => line.startsWith('task t1/worker'))).toHaveLength(1);
  });
});

describe('an outcome that nobody waits for', () => {
  it('is refused', () => {
    const io = new Rim([todo('t1')]);
    const late = { type: 'OUTCOME', todo: 't1', stage: 'commit', verdict: { kind: 'pass' } } as const;
    expect(() => io.take(late)).toThrow('not at commit');
    expect(() => io.take({ ...late, todo: 't9' })).toThrow('no todo "t9"');
    expect(() => io.take({ ...late, todo: null, stage: 'report' })).toThrow('not in stage report');
  });
});
