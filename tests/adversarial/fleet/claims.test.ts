import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../../../src/wings/fleet/database.js';
import { migrate } from '../../../src/wings/fleet/schema.js';
import { claimNextAttempt } from '../../../src/wings/loop/carry.js';
import { LOOP } from '../../../src/wings/loop/streams.js';
import { createDatabase } from '../../support/postgres.js';
import { numberFrom } from '../../support/seeded.js';
import { beginAttempts, openOn } from '../../wings/fleet/waiting.js';

/** Workers that want the same goals at once (fleet.md, Leases). */

const ROUNDS = numberFrom('DEV_CLI_TEST_FLEET_CLAIMS', 10);
const WORKERS = Array.from({ length: 16 }, (_, at) => `w${at}`);
const GOALS = ['one', 'two', 'three'];

const url = await createDatabase();
const pools = await Promise.all(WORKERS.map(() => openDatabase(url)));
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

it(`has ${GOALS.length} of ${WORKERS.length} win, each a goal of its own, in ${ROUNDS} rounds`, {
  timeout: 600_000,
}, async () => {
  const [first] = pools;
  if (first === undefined) throw new Error('there are pools');
  await migrate(first, async () => void (await first.query('CREATE SCHEMA dbos')));
  for (let round = 0; round < ROUNDS; round += 1) {
    const project = `r${round}`;
    await beginAttempts(openOn(first, project), GOALS);
    const given = await Promise.all(
      pools.map((pool, at) => {
        const claim = `QCLM_${(round * 16 + at).toString(16).padStart(12, '0')}`;
        const taker = { worker: `w${at}`, claim, minutes: 1, accepts: () => true, isSteady: true };
        return claimNextAttempt(openOn(pool, project), taker);
      }),
    );
    const won = given.filter((one) => one !== null);
    expect(won.map(({ goal }) => goal).sort()).toEqual([...GOALS].sort());
    const { leases, attempts } = await openOn(first, project).read(LOOP);
    const active = Object.values(leases).filter(({ status }) => status === 'active');
    expect(active.map(({ id }) => id).sort()).toEqual(won.map(({ claim }) => claim).sort());
    expect(
      Object.values(attempts)
        .map(({ claim }) => claim)
        .sort(),
    ).toEqual(active.map(({ id }) => id).sort());
  }
});
