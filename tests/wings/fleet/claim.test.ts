import { beforeAll, expect, it } from 'vitest';
import { openBeat } from '../../../src/wings/fleet/beat.js';
import { openDatabase, type Pool } from '../../../src/wings/fleet/database.js';
import { migrate } from '../../../src/wings/fleet/schema.js';
import { claimNextAttempt } from '../../../src/wings/loop/carry.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { LOOP } from '../../../src/wings/loop/streams.js';
import { createDatabase } from '../../support/postgres.js';
import { beginAttempts, beginBatch, openOn } from './waiting.js';

/** Which attempt a worker gets, and which it keeps (fleet.md, Leases). */

let pool: Pool;
let count = 0;
const ids = { hex: (length: number): string => (++count).toString(16).padStart(length, '0') };

beforeAll(async () => {
  pool = await openDatabase(await createDatabase());
  await migrate(pool, async () => void (await pool.query('CREATE SCHEMA dbos')));
});

/** Opens a project with attempts that wait for workers. */
async function open(goals: readonly string[]) {
  const project = `p${++count}`;
  const streams = openOn(pool, project);
  await beginAttempts(streams, goals);
  return { project, streams, leases: openLeases(streams, ids) };
}

const taker = (worker: string, more: object = {}) => ({
  ...{ worker, claim: `QCLM_${ids.hex(12)}`, minutes: 1, accepts: () => true, isSteady: false },
  ...more,
});

/** Expires the lease of a worker. */
const expire = (project: string, worker: string) =>
  pool.query(
    "UPDATE dev_cli.leases SET expires = clock_timestamp() - interval '1 s' WHERE project = $1 AND worker = $2",
    [project, worker],
  );

const introduce = (worker: string) =>
  openBeat(pool, { worker, version: 1, cliVersion: '1', slots: 1, leaseSeconds: 60, projects: [] });

it('passes by a goal that somebody from outside has, and gives the next one', async () => {
  const { streams, leases } = await open(['one', 'two']);
  const offers = [{ id: 'one', role: 'implement', why: null }];
  await leases.take({ worker: 'outsider', role: null, key: null, minutes: 60, most: null, goal: 'one', offers });
  expect((await claimNextAttempt(streams, taker('w1')))?.goal).toBe('two');
  expect(await claimNextAttempt(streams, taker('w2'))).toBeNull();
});

it('does not give again in the same batch what was given back for the limit of sessions', async () => {
  const { streams, leases } = await open(['one']);
  const first = taker('w1');
  expect((await claimNextAttempt(streams, first))?.goal).toBe('one');
  await leases.release(first.claim, { worker: 'w1', reason: 'limits.sessions', goalStatus: null });
  expect(await claimNextAttempt(streams, taker('w1'))).toBeNull();
  expect(await claimNextAttempt(streams, taker('w2', { isSteady: true }))).toBeNull();
  await streams.transact(LOOP, (state, at) => ({
    answer: undefined,
    state: { ...state, batch: beginBatch(at) },
    entry: { type: 'begun', data: {} },
  }));
  expect((await claimNextAttempt(streams, taker('w2')))?.goal).toBe('one');
});

it('has a worker keep what was closed while the database was away, until somebody has taken it', async () => {
  const { project, streams, leases } = await open(['one', 'two']);
  const [a, b] = [taker(`a${count}`), taker(`b${count}`)];
  const beats = { a: await introduce(a.worker), b: await introduce(b.worker) };
  expect((await claimNextAttempt(streams, a))?.goal).toBe('one');
  await expire(project, a.worker);
  // Worker b is back first, but its heartbeat is not steady yet, so it leaves a's expired lease alone.
  expect((await claimNextAttempt(streams, b))?.goal).toBe('two');
  expect((await streams.read(LOOP)).leases[a.claim]?.status).toBe('active');
  expect([...(await beats.a.renew([a.claim]))]).toEqual([a.claim]);
  expect((await streams.read(LOOP)).leases[a.claim]).toMatchObject({ status: 'active', closedAt: null });
  await expire(project, a.worker);
  await leases.list();
  await leases.release(b.claim, { worker: b.worker, reason: null, goalStatus: 'done' });
  const late = taker(`c${count}`, { isSteady: true });
  expect((await claimNextAttempt(streams, late))?.goal).toBe('one');
  expect([...(await beats.a.renew([a.claim]))]).toEqual([]);
  await leases.release(late.claim, { worker: late.worker, reason: null, goalStatus: null });
  expect([...(await beats.a.renew([a.claim]))]).toEqual([]);
  expect((await streams.read(LOOP)).leases[a.claim]?.status).toBe('expired');
});

it('renews nothing for a process that has lost its name', async () => {
  const { project, streams } = await open(['one']);
  const first = taker(`n${count}`);
  const beat = await introduce(first.worker);
  expect((await claimNextAttempt(streams, first))?.goal).toBe('one');
  await pool.query("UPDATE dev_cli.workers SET process = 'another' WHERE worker = $1", [first.worker]);
  await expire(project, first.worker);
  await expect(beat.renew([first.claim])).rejects.toMatchObject({ code: 'LOCKED' });
  expect(Date.parse((await streams.read(LOOP)).leases[first.claim]?.expiresAt ?? '')).toBeLessThan(Date.now());
});
