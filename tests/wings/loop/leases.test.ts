import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Taking } from '../../../src/wings/loop/core/leases.js';
import { requireActive } from '../../../src/wings/loop/core/leases.js';
import { type Leases, openLeases } from '../../../src/wings/loop/leases.js';
import { EMPTY_LOOP } from '../../../src/wings/loop/state.js';
import { type Streams as AllStreams, LOOP, openLoop } from '../../../src/wings/loop/streams.js';
import { scratchDirectory } from '../../support/scratch.js';

/** Leases on goals (loop-operations.md, Queue): one suite, over the directory store and over memory. */

/** A clock that is set by hand, and ids that count. */
function createSite() {
  let now = Date.parse('2026-11-27T01:00:00Z');
  let count = 0;
  return {
    clock: { now: () => now },
    ids: { hex: (length: number) => (++count).toString(16).padStart(length, '0') },
    pass: (minutes: number) => (now += minutes * 60_000),
  };
}
type Site = ReturnType<typeof createSite>;

type Streams = Pick<AllStreams, 'read' | 'transact'>;

/** The streams of a loop that is nowhere but here. */
function openMemory({ clock }: Site): Streams {
  let state = EMPTY_LOOP;
  return {
    read: async () => state,
    transact: async (_stream, decide, fence) => {
      const at = new Date(clock.now()).toISOString();
      requireActive(state.leases, fence?.claim ?? null, at);
      const { answer, state: next, entry } = decide(state, at);
      if (next !== undefined && entry !== undefined) state = { ...next, seq: state.seq + 1 };
      return answer;
    },
  };
}

const openDirectory = ({ clock, ids }: Site): Streams =>
  openLoop({ root: scratchDirectory('leases'), clock, ids, caller: { via: 'cli', harness: null } as never });

const offer = (id: string, role = 'implement', why: string | null = null) => ({ id, role, why });
const GOALS = [offer('a'), offer('b', 'test'), offer('c'), offer('gone', 'implement', 'its status is done')];
const ask = (worker: string, more: Partial<Taking> = {}): Taking => ({
  ...{ worker, role: null, key: null, minutes: 30, most: null, goal: null, offers: GOALS },
  ...more,
});

for (const [where, openStreams] of [
  ['memory', openMemory],
  ['a directory', openDirectory],
] as const) {
  describe(`leases over ${where}`, () => {
    const open = (): { site: Site; streams: Streams; leases: Leases } => {
      const site = createSite();
      const streams = openStreams(site);
      return { site, streams, leases: openLeases(streams, site.ids) };
    };
    const told = async (streams: Streams) =>
      (await streams.read(LOOP)).unsent.map(({ event_type: type }) => String(type).replace('queue_', ''));
    const code = async (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        (taken) => (taken as { code?: string }).code ?? 'none',
        (error: { details: { reason_code: string }[] }) => error.details[0]?.reason_code,
      );

    it('are given in the order of the offers, one goal to one worker', async () => {
      const { leases, streams } = open();
      for (const [worker, goal] of [
        ['w1', 'a'],
        ['w2', 'b'],
        ['w3', 'c'],
      ] as const)
        expect(await leases.take(ask(worker))).toMatchObject({
          kind: 'taken',
          lease: { goal, worker, status: 'active' },
        });
      expect(await code(leases.take(ask('w4')))).toBe('no_claimable_goals');
      expect(await told(streams)).toEqual([...Array(3).fill('claim_created'), 'claim_rejected']);
    });

    it('are refused in this order', async () => {
      const { leases } = open();
      await leases.take(ask('w1', { goal: 'a', key: 'k' }));
      expect(await leases.take(ask('w1', { goal: 'a', key: 'k', most: 1 }))).toMatchObject({ kind: 'reused' });
      expect(await leases.take(ask('w1', { key: 'k', most: 1 }))).toMatchObject({ kind: 'reused' });
      expect(await code(leases.take(ask('w1', { goal: 'c', key: 'k', most: 1 })))).toBe('idempotency_key_reused');
      expect(await code(leases.take(ask('w1', { goal: 'gone', most: 1 })))).toBe('max_active_claims');
      expect(await code(leases.take(ask('w2', { goal: 'gone', role: 'test' })))).toBe('goal_not_claimable');
      expect(await code(leases.take(ask('w2', { goal: 'nowhere' })))).toBe('goal_not_claimable');
      expect(await code(leases.take(ask('w2', { goal: 'a', role: 'test' })))).toBe('role_phase_mismatch');
      expect(await code(leases.take(ask('w2', { goal: 'a', key: 'k' })))).toBe('goal_already_claimed');
      expect(await leases.take(ask('w2', { role: 'test' }))).toMatchObject({ lease: { goal: 'b' } });
      expect(await code(leases.take(ask('w3', { role: 'test' })))).toBe('role_no_claimable_goals');
    });

    it('hold until their time is over, unless they are renewed; each is a new one', async () => {
      const { leases, site, streams } = open();
      const first = await leases.take(ask('w1', { goal: 'a' }));
      if (first.kind === 'refused') throw new Error('refused');
      site.pass(29);
      await leases.renew(first.lease.id, { worker: 'w1', minutes: 30 });
      site.pass(29);
      expect(await code(leases.take(ask('w2', { goal: 'a' })))).toBe('goal_already_claimed');
      site.pass(1);
      const second = await leases.take(ask('w2', { goal: 'a' }));
      expect(second).toMatchObject({ kind: 'taken', swept: 1, lease: { worker: 'w2' } });
      // The first worker wakes up late.
      const late = { worker: 'w1', reason: null, goalStatus: null };
      expect(await code(leases.renew(first.lease.id, { worker: 'w1', minutes: 30 }))).toBe('claim_not_active');
      expect(await code(leases.release(first.lease.id, late))).toBe('claim_not_active');
      const claim = { claim: first.lease.id };
      await expect(streams.transact(LOOP, () => ({ answer: 1 }), claim)).rejects.toMatchObject({
        code: 'CLAIM_REFUSED',
      });
      expect(await told(streams)).toEqual(
        ['created', 'renewed', 'rejected', 'expired', 'created'].map((one) => `claim_${one}`),
      );
    });

    it('are their worker’s alone, and free a goal when they are released', async () => {
      const { leases, streams } = open();
      const taken = await leases.take(ask('w1', { goal: 'a' }));
      if (taken.kind === 'refused') throw new Error('refused');
      const why = { reason: 'it is done', goalStatus: 'done' };
      expect(await code(leases.release(taken.lease.id, { worker: 'w2', ...why }))).toBe('claim_of_other_worker');
      expect(await code(leases.renew('QCLM_000000000bad', { worker: 'w1', minutes: 1 }))).toBe('claim_not_active');
      expect(await streams.transact(LOOP, () => ({ answer: 1 }), { claim: taken.lease.id })).toBe(1);
      expect(await leases.release(taken.lease.id, { worker: 'w1', ...why })).toMatchObject({
        status: 'released',
        ...why,
      });
      expect(await leases.take(ask('w2', { goal: 'a' }))).toMatchObject({ kind: 'taken' });
    });

    it('are kept for 30 days when they are closed', async () => {
      const { leases, site } = open();
      await leases.take(ask('w1', { goal: 'a', minutes: 1 }));
      site.pass(2);
      expect((await leases.list()).leases).toMatchObject([{ status: 'expired' }]);
      site.pass(30 * 24 * 60);
      expect((await leases.list()).leases).toEqual([]);
    });
  });
}

it('never have two holders of a goal, whatever is done in whatever order, while the clock may jump', async () => {
  const step = fc.record({
    act: fc.constantFrom('take', 'renew', 'release'),
    worker: fc.constantFrom('w1', 'w2', 'w3'),
    goal: fc.constantFrom('a', 'b', null),
    minutes: fc.integer({ min: -20, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const site = createSite();
      const streams = openMemory(site);
      const leases = openLeases(streams, site.ids);
      const known: { id: string; worker: string }[] = [];
      for (const { act, worker, goal, minutes } of steps) {
        site.pass(minutes);
        const last = known.at(-1)?.id ?? 'QCLM_000000000bad';
        if (act === 'take') {
          const taken = await leases.take(ask(worker, { goal }));
          if (taken.kind === 'taken') known.push({ id: taken.lease.id, worker });
        } else if (act === 'renew') await leases.renew(last, { worker, minutes: 30 }).catch(() => {});
        else await leases.release(last, { worker, reason: null, goalStatus: null }).catch(() => {});
        const held = (await leases.list()).leases.filter(({ status }) => status === 'active').map((one) => one.goal);
        expect(new Set(held).size).toBe(held.length);
      }
    }),
  );
});
