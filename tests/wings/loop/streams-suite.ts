import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import { buildEvent } from '../../../src/wings/loop/core/events.js';
import type { LeaseRequest } from '../../../src/wings/loop/core/leases.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { LOOP, type Streams } from '../../../src/wings/loop/streams.js';

/**
 * The contract of `Streams` and `Leases`, for any backend (loop-operations.md, Queue; fleet.md, A stream in
 * PostgreSQL).
 */

/** A loop under test, before its first commit. */
export interface Subject {
  streams: Streams;
  /** Advances the clock of leases by some minutes. */
  pass(minutes: number): Promise<void>;
  /** Reads a document, by its path relative to the stream; null if there is none. */
  document(path: string): Promise<string | null>;
}

let count = 0;
/** Sequential ids, unique across all subjects. */
export const IDS = { hex: (length: number): string => (++count).toString(16).padStart(length, '0') };

/** Adds one to the number of a goal, and writes it to a document. */
export const add =
  (goal: string, more: Partial<LoopState> = {}) =>
  (state: LoopState) => {
    const n = (state.goals[goal]?.n ?? 0) + 1;
    return {
      answer: n,
      state: { ...state, ...more, goals: { ...state.goals, [goal]: { n, counted: 0, notes: [] } } },
      entry: { type: 'counted', data: { goal } },
      documents: [{ path: `attempts/${goal}/${n}/verdict.json`, content: `{"n":${n}}\n` }],
    };
  };

/** Does what `add` does for the goal `told`, and adds an event to be delivered. */
export const addAndTell = (key: string) => (state: LoopState) => {
  const event = buildEvent('batch_started', { key, at: '2026-11-27T01:02:03Z', payload: {} });
  return add('told', { unsent: [...state.unsent, event] })(state);
};

const offer = (id: string, role = 'implement', why: string | null = null) => ({ id, role, why });
const GOALS = [offer('a'), offer('b', 'test'), offer('c'), offer('gone', 'implement', 'its status is done')];
/** Builds a worker's request for a goal. */
export const ask = (worker: string, more: Partial<LeaseRequest> = {}): LeaseRequest => ({
  ...{ worker, role: null, key: null, minutes: 30, most: null, goal: null, offers: GOALS },
  ...more,
});

/** Returns the error code that a promise rejects with; null if it resolves. */
export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: { code?: string }) => error.code ?? error,
  );

/** Returns why a lease is refused, whether the refusal is an answer or an error. */
const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (taken) => (taken as { code?: string }).code ?? 'none',
    (error: { details: { reason_code: string }[] }) => error.details[0]?.reason_code,
  );

/** Returns the types of all events not yet delivered, and delivers them. */
async function hear({ streams }: Subject): Promise<string[]> {
  const heard: JsonObject[] = [];
  await streams.tellNews((events) => void heard.push(...events));
  return heard.map(({ event_type: type }) => String(type).replace('queue_', ''));
}

/** Defines the tests. @param make a new subject for each test */
export function streamsSuite(name: string, make: () => Promise<Subject>): void {
  describe(`${name}: a stream`, () => {
    it('is empty before its first commit, and as it was written behind it', async () => {
      const { streams, document } = await make();
      expect(await streams.read(LOOP)).toMatchObject({ seq: 0, batch: null, goals: {}, leases: {}, unsent: [] });
      expect(await streams.transact(LOOP, add('a'))).toBe(1);
      expect(await streams.transact(LOOP, add('a'))).toBe(2);
      expect(await streams.read(LOOP)).toMatchObject({ seq: 2, goals: { a: { n: 2 } } });
      expect(await document('attempts/a/2/verdict.json')).toBe('{"n":2}\n');
      expect(await document('attempts/a/3/verdict.json')).toBe(null);
    });

    it('keeps documents as they are: of any size, of any characters, the last one of a path', async () => {
      const { streams, document } = await make();
      for (const content of ['', 'a\0b\r\n', `${'é€😀'.repeat(3_000)}\n`, 'short'])
        await streams.transact(LOOP, (state) => ({
          ...add('a')(state),
          documents: [{ path: 'attempts/a/1/prompt.md', content }],
        }));
      expect(await document('attempts/a/1/prompt.md')).toBe('short');
      for (const content of ['a\0b\r\n', `${'é€😀'.repeat(3_000)}\n`]) {
        await streams.transact(LOOP, (state) => ({
          ...add('a')(state),
          documents: [{ path: 'attempts/a/1/prompt.md', content }],
        }));
        expect(await document('attempts/a/1/prompt.md')).toBe(content);
      }
    });

    it('is left alone by a change that changes nothing, and by one that throws', async () => {
      const { streams, document } = await make();
      await streams.transact(LOOP, add('a'));
      expect(await streams.transact(LOOP, ({ goals }) => ({ answer: goals['a']?.n }))).toBe(1);
      const refusal = streams.transact(LOOP, () => {
        throw new Error('no');
      });
      await expect(refusal).rejects.toThrow('no');
      expect(await streams.read(LOOP)).toMatchObject({ seq: 1, goals: { a: { n: 1 } } });
      expect(await document('attempts/a/2/verdict.json')).toBe(null);
      expect(await streams.transact(LOOP, add('a'))).toBe(2);
    });

    it('loses nothing of what many change at once', async () => {
      const { streams } = await make();
      const answers = await Promise.all(Array.from({ length: 12 }, () => streams.transact(LOOP, add('a'))));
      expect(answers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
      expect(await streams.read(LOOP)).toMatchObject({ seq: 12, goals: { a: { n: 12 } } });
    });

    it('hands over each event once, in order, also where it could not be taken at first', async () => {
      const subject = await make();
      const { streams } = subject;
      expect(await hear(subject)).toEqual([]);
      for (const key of ['1', '2', '3']) await streams.transact(LOOP, addAndTell(key));
      const full = streams.tellNews(() => {
        throw new Error('the disk is full');
      });
      await expect(full).rejects.toThrow('the disk is full');
      const heard: JsonObject[] = [];
      await streams.tellNews((events) => void heard.push(...events));
      expect(heard.map(({ idempotency_key: key }) => key)).toEqual(['1', '2', '3']);
      expect(await hear(subject)).toEqual([]);
      await streams.transact(LOOP, add('a'));
      expect(await hear(subject)).toEqual([]);
      await streams.transact(LOOP, addAndTell('4'));
      expect(await hear(subject)).toEqual(['batch_started']);
      expect(await streams.read(LOOP)).toMatchObject({ unsent: [], goals: { told: { n: 4 } } });
    });
  });

  describe(`${name}: leases`, () => {
    const open = async () => {
      const subject = await make();
      return { subject, ...subject, leases: openLeases(subject.streams, IDS) };
    };
    const takeOne = async ({ leases }: Awaited<ReturnType<typeof open>>, worker: string, goal: string) => {
      const taken = await leases.take(ask(worker, { goal }));
      if (taken.kind !== 'taken') throw new Error(`${goal} was not to be had`);
      return taken.lease;
    };
    const NO_REASON = { reason: null, goalStatus: null };

    it('are given in the order of the offers, one goal to one worker', async () => {
      const { leases, subject } = await open();
      for (const [worker, goal] of [
        ['w1', 'a'],
        ['w2', 'b'],
        ['w3', 'c'],
      ] as const)
        expect(await leases.take(ask(worker))).toMatchObject({
          kind: 'taken',
          lease: { goal, worker, status: 'active' },
        });
      expect(await reasonOf(leases.take(ask('w4')))).toBe('no_claimable_goals');
      expect(await hear(subject)).toEqual([...Array(3).fill('claim_created'), 'claim_rejected']);
    });

    it('are refused in this order', async () => {
      const { leases } = await open();
      await leases.take(ask('w1', { goal: 'a', key: 'k' }));
      expect(await leases.take(ask('w1', { goal: 'a', key: 'k', most: 1 }))).toMatchObject({ kind: 'reused' });
      expect(await leases.take(ask('w1', { key: 'k', most: 1 }))).toMatchObject({ kind: 'reused' });
      expect(await reasonOf(leases.take(ask('w1', { goal: 'c', key: 'k', most: 1 })))).toBe('idempotency_key_reused');
      expect(await reasonOf(leases.take(ask('w1', { goal: 'gone', most: 1 })))).toBe('max_active_claims');
      expect(await reasonOf(leases.take(ask('w2', { goal: 'gone', role: 'test' })))).toBe('goal_not_claimable');
      expect(await reasonOf(leases.take(ask('w2', { goal: 'nowhere' })))).toBe('goal_not_claimable');
      expect(await reasonOf(leases.take(ask('w2', { goal: 'a', role: 'test' })))).toBe('role_phase_mismatch');
      expect(await reasonOf(leases.take(ask('w2', { goal: 'a', key: 'k' })))).toBe('goal_already_claimed');
      expect(await leases.take(ask('w2', { role: 'test' }))).toMatchObject({ lease: { goal: 'b' } });
      expect(await reasonOf(leases.take(ask('w3', { role: 'test' })))).toBe('role_no_claimable_goals');
    });

    it('hold until their time is over, unless they are renewed; each is a new one', async () => {
      const all = await open();
      const { leases, pass, streams, subject } = all;
      const first = await takeOne(all, 'w1', 'a');
      await pass(29);
      await leases.renew(first.id, { worker: 'w1', minutes: 30 });
      await pass(29);
      expect(await reasonOf(leases.take(ask('w2', { goal: 'a' })))).toBe('goal_already_claimed');
      await pass(1);
      const second = await leases.take(ask('w2', { goal: 'a' }));
      expect(second).toMatchObject({ kind: 'taken', swept: 1, lease: { worker: 'w2' } });
      // The first worker comes back only now, and its lease is no longer valid.
      expect(await reasonOf(leases.renew(first.id, { worker: 'w1', minutes: 30 }))).toBe('claim_not_active');
      expect(await reasonOf(leases.release(first.id, { worker: 'w1', ...NO_REASON }))).toBe('claim_not_active');
      expect(await codeOf(streams.transact(LOOP, add('a'), { claim: first.id }))).toBe('CLAIM_REFUSED');
      expect(await hear(subject)).toEqual(
        ['created', 'renewed', 'rejected', 'expired', 'created'].map((one) => `claim_${one}`),
      );
    });

    it('are their worker’s alone, and free a goal when they are released', async () => {
      const all = await open();
      const { leases } = all;
      const { id } = await takeOne(all, 'w1', 'a');
      const why = { reason: 'it is done', goalStatus: 'done' };
      expect(await reasonOf(leases.release(id, { worker: 'w2', ...why }))).toBe('claim_of_other_worker');
      expect(await reasonOf(leases.renew('QCLM_000000000bad', { worker: 'w1', minutes: 1 }))).toBe('claim_not_active');
      expect(await leases.release(id, { worker: 'w1', ...why })).toMatchObject({ status: 'released', ...why });
      expect((await leases.list()).leases).toMatchObject([{ id, status: 'released', ...why }]);
      expect(await leases.take(ask('w2', { goal: 'a' }))).toMatchObject({ kind: 'taken' });
    });

    it('are a fence: nobody speaks for one that is released, past its time, or was never given', async () => {
      const all = await open();
      const { leases, streams, pass } = all;
      const { id: claim } = await takeOne(all, 'w1', 'a');
      expect(await streams.transact(LOOP, add('x'), { claim })).toBe(1);
      expect(await streams.transact(LOOP, add('x'), { claim: null })).toBe(2);
      await leases.release(claim, { worker: 'w1', ...NO_REASON });
      const { id: late } = await takeOne(all, 'w1', 'b');
      await pass(31);
      for (const over of [claim, late, 'QCLM_000000000bad', '__proto__']) {
        let isAsked = false;
        const refused = streams.transact(
          LOOP,
          (state) => {
            isAsked = true;
            return add('x')(state);
          },
          { claim: over },
        );
        expect([over, await codeOf(refused), isAsked]).toEqual([over, 'CLAIM_REFUSED', false]);
      }
      expect(await streams.read(LOOP)).toMatchObject({ goals: { x: { n: 2 } } });
    });

    it('are kept for 30 days when they are closed', async () => {
      const { leases, pass } = await open();
      await leases.take(ask('w1', { goal: 'a', minutes: 1 }));
      await pass(2);
      expect((await leases.list()).leases).toMatchObject([{ status: 'expired' }]);
      await pass(30 * 24 * 60);
      expect((await leases.list()).leases).toEqual([]);
    });

    it('are given to as many as there are goals, however many ask at once', async () => {
      const { leases, streams } = await open();
      const asking = Array.from({ length: 8 }, (_, at) => leases.take(ask(`w${at}`)));
      const goals = (await Promise.all(asking)).flatMap((taken) => (taken.kind === 'taken' ? taken.lease.goal : []));
      expect(goals.toSorted()).toEqual(['a', 'b', 'c']);
      const held = Object.values((await streams.read(LOOP)).leases).map(({ goal }) => goal);
      expect(held.toSorted()).toEqual(['a', 'b', 'c']);
    });
  });
}
