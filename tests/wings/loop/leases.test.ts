import fc from 'fast-check';
import { expect, it } from 'vitest';
import { requireActive } from '../../../src/wings/loop/core/leases.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { EMPTY_LOOP } from '../../../src/wings/loop/state.js';
import type { Streams } from '../../../src/wings/loop/streams.js';
import { ask, IDS } from './streams-suite.js';

/** Random operations on leases; streams-suite.ts tests what each operation promises. */

/** Opens the streams of a loop that exists only in memory. */
function openMemory(now: () => number): Pick<Streams, 'transact'> {
  let state = EMPTY_LOOP;
  return {
    transact: async (_stream, decide, fence) => {
      const at = new Date(now()).toISOString();
      requireActive(state.leases, fence?.claim ?? null, at);
      const { answer, state: next, entry } = decide(state, at);
      if (next !== undefined && entry !== undefined) state = { ...next, seq: state.seq + 1 };
      return answer;
    },
  };
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
      let now = Date.parse('2026-11-27T01:00:00Z');
      const leases = openLeases(
        openMemory(() => now),
        IDS,
      );
      const known: { id: string; worker: string }[] = [];
      for (const { act, worker, goal, minutes } of steps) {
        now += minutes * 60_000;
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
