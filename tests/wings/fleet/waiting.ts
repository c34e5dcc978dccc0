import type { Pool } from '../../../src/wings/fleet/database.js';
import type { Loop } from '../../../src/wings/fleet/ports.js';
import { openStreams } from '../../../src/wings/fleet/streams.js';
import { buildAttempt } from '../../../src/wings/loop/begin.js';
import { FLEET_SIDE } from '../../../src/wings/loop/fleet-side.js';
import { completeGoal } from '../../../src/wings/loop/goals.js';
import { nameAttempt } from '../../../src/wings/loop/state.js';
import type { Batch } from '../../../src/wings/loop/state-schema.js';
import { LOOP, type Streams } from '../../../src/wings/loop/streams.js';

/** Attempts that wait for workers, without a desk. */

const { codec, empty, refuseOver } = FLEET_SIDE as unknown as Loop;
const BASE = 'a'.repeat(40);

/** Returns a batch that has just begun. */
export const beginBatch = (startedAt: string): Batch => ({
  ...{ runId: 'r', startedAt, endedAt: null, branch: 'main', base: BASE, goals: [], sessions: 0, failures: 0 },
  ...{ toolErrors: 0, pausedUntil: null, costUsd: 0, outcomes: {} },
});

export const openOn = (pool: Pool, project: string): Streams => {
  const caller = { kind: 'cli', via: 'cli' } as const;
  return openStreams({ pool, project, codec, empty, caller, refuseOver }) as unknown as Streams;
};

/** Adds to a project an attempt of each goal, on which nobody is at work. */
export async function beginAttempts(streams: Streams, goals: readonly string[]): Promise<void> {
  const site = { trees: '/trees', context: { clock: { now: () => Date.now() } } as never };
  const begun = { n: 1, runId: 'r', branch: 'main', base: BASE, from: null, tool: 'true' };
  const attempts = goals.map((id) => buildAttempt(site, completeGoal({ id, title: id, status: 'active' }, []), begun));
  await streams.transact(LOOP, (state, at) => ({
    answer: undefined,
    state: {
      ...state,
      batch: beginBatch(at),
      attempts: Object.fromEntries(attempts.map((one) => [nameAttempt(one), one])),
    },
    entry: { type: 'begun', data: {} },
  }));
}
