import fc from 'fast-check';
import { expect, it } from 'vitest';
import { requireActive } from '../../../src/wings/loop/core/leases.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { EMPTY_LOOP } from '../../../src/wings/loop/state.js';
import { type Streams as AllStreams, LOOP, openLoop } from '../../../src/wings/loop/streams.js';
import { scratchDirectory } from '../../support/scratch.js';
import { ask, leasesSuite } from './leases-suite.js';

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

for (const [where, openStreams] of [
  ['memory', openMemory],
  ['a directory', openDirectory],
] as const)
  leasesSuite(where, () => {
    const { clock, ids, pass } = createSite();
    const streams = openStreams({ clock, ids, pass });
    return {
      leases: openLeases(streams, ids),
      streams,
      pass: (minutes) => void pass(minutes),
      told: async () =>
        (await streams.read(LOOP)).unsent.map(({ event_type: type }) => String(type).replace('queue_', '')),
    };
  });

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
