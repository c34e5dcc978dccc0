import { describe, expect, it } from 'vitest';
import type { Taking } from '../../../src/wings/loop/core/leases.js';
import type { Leases } from '../../../src/wings/loop/leases.js';
import { LOOP, type Streams } from '../../../src/wings/loop/streams.js';

/** Leases over streams of any kind, while time passes as a test wants it to. */
interface Subject {
  leases: Leases;
  streams: Pick<Streams, 'transact'>;
  /** Lets minutes pass. */
  pass(minutes: number): void | Promise<void>;
  /** The types of what was told, without their `queue_`. */
  told(): Promise<string[]>;
}

const offer = (id: string, role = 'implement', why: string | null = null) => ({ id, role, why });
const GOALS = [offer('a'), offer('b', 'test'), offer('c'), offer('gone', 'implement', 'its status is done')];
export const ask = (worker: string, more: Partial<Taking> = {}): Taking => ({
  ...{ worker, role: null, key: null, minutes: 30, most: null, goal: null, offers: GOALS },
  ...more,
});

/** What leases on goals do, whatever they lie in (loop-operations.md, Queue). */
export function leasesSuite(where: string, open: () => Subject | Promise<Subject>): void {
  const code = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (taken) => (taken as { code?: string }).code ?? 'none',
      (error: { details: { reason_code: string }[] }) => error.details[0]?.reason_code,
    );

  describe(`leases over ${where}`, () => {
    it('are given in the order of the offers, one goal to one worker', async () => {
      const { leases, told } = await open();
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
      expect(await told()).toEqual([...Array(3).fill('claim_created'), 'claim_rejected']);
    });

    it('are refused in this order', async () => {
      const { leases } = await open();
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
      const { leases, streams, told, pass } = await open();
      const first = await leases.take(ask('w1', { goal: 'a' }));
      if (first.kind === 'refused') throw new Error('refused');
      await pass(29);
      await leases.renew(first.lease.id, { worker: 'w1', minutes: 30 });
      await pass(29);
      expect(await code(leases.take(ask('w2', { goal: 'a' })))).toBe('goal_already_claimed');
      await pass(1);
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
      expect(await told()).toEqual(
        ['created', 'renewed', 'rejected', 'expired', 'created'].map((one) => `claim_${one}`),
      );
    });

    it('are their worker’s alone, and free a goal when they are released', async () => {
      const { leases, streams } = await open();
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
      const { leases, pass } = await open();
      await leases.take(ask('w1', { goal: 'a', minutes: 1 }));
      await pass(2);
      expect((await leases.list()).leases).toMatchObject([{ status: 'expired' }]);
      await pass(30 * 24 * 60);
      expect((await leases.list()).leases).toEqual([]);
    });
  });
}
