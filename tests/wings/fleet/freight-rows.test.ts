import type { PoolClient } from 'pg';
import { expect, it } from 'vitest';
import { type Pool, withTransaction } from '../../../src/wings/fleet/database.js';
import type { Freight } from '../../../src/wings/fleet/freight.js';
import { forgetFreight, loadFreight, storeFreight } from '../../../src/wings/fleet/freight-rows.js';
import type { LoopAttempt } from '../../../src/wings/fleet/ports.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { ask, IDS } from '../loop/streams-suite.js';
import { nameProject, openProject, useDatabase } from './shared.js';

// Freight, which is what a run needs to continue on another machine, stored as rows (fleet.md, An attempt).

const shared = useDatabase();

const pack = (text: string, ...objects: string[]): Freight => ({
  ...{ journal: Buffer.from(text), recipeHash: 'aa', root: '/elsewhere' },
  objects: new Map(objects.map((object) => [object, Buffer.from([0, 255, ...Buffer.from(object)])])),
});

/** Creates a project with an attempt that a worker has claimed. */
async function take(worker: string) {
  const project = nameProject();
  const leases = openLeases(openProject(shared.pool, project), IDS);
  const have = async (by: string): Promise<LoopAttempt> => {
    const taken = await leases.take(ask(by, { goal: 'a' }));
    if (taken.kind !== 'taken') throw new Error('it was not free');
    return { goal: 'a', n: 1, run: 'a-1', claim: taken.lease.id } as LoopAttempt;
  };
  return { project, leases, have, attempt: await have(worker) };
}

it('is loaded as it was left, and grows', async () => {
  const { pool } = shared;
  const { project, attempt } = await take('w1');
  expect(await loadFreight(pool, project, attempt)).toBeNull();
  expect(await storeFreight(pool, project, attempt, pack('one\n', 'x'))).toBe(true);
  expect(await loadFreight(pool, project, attempt)).toEqual(pack('one\n', 'x'));
  expect(await storeFreight(pool, project, attempt, pack('one\ntwo\n', 'x', 'y'))).toBe(true);
  expect(await loadFreight(pool, project, attempt)).toEqual(pack('one\ntwo\n', 'x', 'y'));
  expect(await loadFreight(pool, project, { ...attempt, n: 2 })).toBeNull();
  await forgetFreight(pool, project, attempt);
  expect(await loadFreight(pool, project, attempt)).toBeNull();
});

it('of a late one is refused, and that of whoever took the attempt over stays', async () => {
  const { pool } = shared;
  const { project, leases, have, attempt } = await take('w1');
  await leases.release(attempt.claim ?? '', { worker: 'w1', reason: null, goalStatus: null });
  const next = await have('w2');
  expect(await storeFreight(pool, project, next, pack('next\n'))).toBe(true);
  expect(await storeFreight(pool, project, attempt, pack('late\n'))).toBe(false);
  expect(await loadFreight(pool, project, next)).toEqual(pack('next\n'));
});

it('is left before anybody can take the attempt over', async () => {
  const { pool } = shared;
  const { project, leases, attempt } = await take('w1');
  let released = false;
  let over: Promise<void> | undefined;
  await withTransaction(pool, async (client) => {
    expect(await storeFreight(within(client), project, attempt, pack('held\n'))).toBe(true);
    over = leases.release(attempt.claim ?? '', { worker: 'w1', reason: null, goalStatus: null }).then(() => {
      released = true;
    });
    await client.query('SELECT pg_sleep(0.3)');
    expect(released).toBe(false);
  });
  await over;
  expect(await loadFreight(pool, project, attempt)).toEqual(pack('held\n'));
});

/** Returns a pool whose transactions join one that is already open. */
function within(client: PoolClient): Pool {
  const query = (text: string, ...given: unknown[]): unknown =>
    /^(?:BEGIN|COMMIT)$/.test(text) ? Promise.resolve() : Reflect.apply(client.query, client, [text, ...given]);
  const connect = async () => ({ query, release: () => {} });
  return { query, connect, end: async () => {} } as unknown as Pool;
}
