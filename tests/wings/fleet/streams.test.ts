import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { describe, expect, it } from 'vitest';
import { type Pool, queryRows } from '../../../src/wings/fleet/database.js';
import { writeStreamDirectory } from '../../../src/wings/fleet/entries.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { LOOP } from '../../../src/wings/loop/streams.js';
import { scratchDirectory } from '../../support/scratch.js';
import { add, addAndTell, codeOf, streamsSuite } from '../loop/streams-suite.js';
import { nameProject, openDesk, openProject, replayLoop, useDatabase } from './shared.js';

/** The loop's stream behaves the same in a database and on a disk (fleet.md, A stream in PostgreSQL). */

const shared = useDatabase();

streamsSuite('a database', async () => {
  const { pool } = shared;
  const project = nameProject();
  return {
    streams: openDesk(pool, project, scratchDirectory('desk')),
    async pass(minutes) {
      const shift = ['created', 'expires', 'closed'].map((one) => `${one} = ${one} - make_interval(mins => $2)`);
      await queryRows(pool, `UPDATE dev_cli.leases SET ${shift.join()} WHERE project = $1`, [project, minutes]);
    },
    async document(path) {
      const directory = join(scratchDirectory('out'), 'loop');
      await writeStreamDirectory(pool, project, directory);
      const file = join(directory, path);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
  };
});

it('after 300 commits, written out, replays equal and is read the same', async () => {
  const project = nameProject();
  const streams = openProject(shared.pool, project);
  for (let n = 1; n <= 300; n += 1) {
    const content = n % 3 === 0 ? `${n} ${'a long prompt '.repeat(n * 70)}` : `${n}: short`;
    const path = `attempts/g${n % 7}/${n % 5}/prompt.md`;
    await streams.transact(LOOP, (state) => ({ ...addAndTell(`${n}`)(state), documents: [{ path, content }] }));
  }
  const root = scratchDirectory('out');
  expect(await writeStreamDirectory(shared.pool, project, join(root, '.dev/loop'))).toBe(300);
  const { equal, differences, notes, entries, snapshot, objects } = await replayLoop(root);
  expect({ equal, differences, notes, entries }).toEqual({ equal: true, differences: [], notes: [], entries: 300 });
  expect(objects).toBeGreaterThan(50);
  expect(snapshot).toEqual(await streams.read(LOOP));
  const [sizes] = await queryRows<{ bytes: number; size: number; placed: boolean }>(
    shared.pool,
    `SELECT sum(octet_length(lines))::int AS bytes, (SELECT size::int FROM dev_cli.streams WHERE project = $1),
       bool_and(at_byte = (SELECT coalesce(sum(octet_length(lines)), 0) FROM dev_cli.entries b
         WHERE b.project = $1 AND b.seq < a.seq)) AS placed
     FROM dev_cli.entries a WHERE project = $1`,
    [project],
  );
  expect(sizes).toEqual({ bytes: sizes?.size, size: sizes?.size, placed: true });
});

const GONE = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** What is done when a statement should run; calling `run` does run it. */
type Fault = (client: PoolClient, run: () => Promise<unknown>, text: unknown) => Promise<unknown>;

/** Returns a pool whose k-th statement within transactions suffers a fault. */
function failAt(k: number, fault: Fault): Pool & { left(): number } {
  const { pool } = shared;
  let left = k;
  const connect = async () => {
    const client = await pool.connect();
    const query = (...given: unknown[]): unknown => {
      const run = (): Promise<unknown> => Reflect.apply(client.query, client, given);
      left -= 1;
      return left === 0 ? fault(client, run, given[0]) : run();
    };
    return new Proxy(client, { get: (target, key) => (key === 'query' ? query : Reflect.get(target, key)) });
  };
  return { query: pool.query.bind(pool), connect: connect as Pool['connect'], end: async () => {}, left: () => left };
}

/** A change of entry, snapshot, document and lease. */
const changeAll = (state: LoopState, at: string) => {
  const n = (state.goals['g']?.n ?? 0) + 1;
  const id = `QCLM_${n}`;
  const lease = { id, goal: `g${n}`, worker: 'w', role: 'auto', key: null, status: 'active' as const };
  const times = { createdAt: at, expiresAt: at, closedAt: null, reason: null, goalStatus: null };
  return add('g', { leases: { ...state.leases, [id]: { ...lease, ...times } } })(state);
};

describe('a transaction', () => {
  it.each([
    [
      'a full disk',
      Object.assign(new Error('No space left on device'), { code: '53100', severity: 'ERROR' }),
      'FLEET_UNAVAILABLE',
    ],
    ['an error of its own', new TypeError('undefined is no function'), expect.any(TypeError)],
  ])('is not made at all, where %s meets any statement', async (_what, error, code) => {
    let k = 1;
    for (; ; k += 1) {
      const project = nameProject();
      const streams = openProject(shared.pool, project);
      await streams.transact(LOOP, changeAll);
      const faulty = failAt(k, () => Promise.reject(error));
      const found = await codeOf(openProject(faulty, project).transact(LOOP, changeAll));
      if (faulty.left() > 0) break;
      const { seq, leases } = await streams.read(LOOP);
      expect([k, found, seq, Object.keys(leases)]).toEqual([k, code, 1, ['QCLM_1']]);
      expect(await streams.transact(LOOP, changeAll)).toBe(2);
    }
    expect(k).toBeGreaterThan(5);
  });

  it('is made once, where an administrator ends its connection at any statement', async () => {
    let k = 1;
    for (; ; k += 1) {
      const project = nameProject();
      const faulty = failAt(k, async (client, run) => {
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await queryRows(shared.pool, 'SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
        return run();
      });
      expect([k, await openProject(faulty, project).transact(LOOP, changeAll)]).toEqual([k, 1]);
      if (faulty.left() > 0) break;
      expect(await openProject(shared.pool, project).transact(LOOP, changeAll)).toBe(2);
    }
    expect(k).toBeGreaterThan(7);
  });

  it('is made once, where the connection goes and the database has yet to commit', async () => {
    const project = nameProject();
    const streams = openProject(shared.pool, project);
    await streams.transact(LOOP, changeAll);
    const counting = failAt(1_000, (_client, run) => run());
    await openProject(counting, project).transact(LOOP, changeAll);
    let commit = async (): Promise<unknown> => null;
    const faulty = failAt(1_000 - counting.left(), (client, _run, text) => {
      expect(text).toBe('COMMIT');
      // The transaction stays open: nothing is rolled back, and the connection is not returned.
      const { release } = client;
      const query = client.query.bind(client);
      Object.assign(client, { query: () => Promise.reject(GONE), release: () => {} });
      commit = () => query('COMMIT').finally(() => release.call(client, true));
      return Promise.reject(GONE);
    });
    const made = openProject(faulty, project).transact(LOOP, changeAll);
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await queryRows(shared.pool, waiting)).length).toBe(1);
    await commit();
    expect(await made).toBe(3);
    expect(await streams.read(LOOP)).toMatchObject({ seq: 3, goals: { g: { n: 3 } } });
  });

  it('is made once, where its process was stopped in its midst for longer than the database waits', async () => {
    const project = nameProject();
    let asked = 0;
    const faulty = failAt(2, async (client, run) => {
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 100');
      return run();
    });
    const made = openProject(faulty, project).transact(LOOP, (state, at) => {
      asked += 1;
      // Blocks this whole process, as if it were stopped.
      if (asked === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
      return changeAll(state, at);
    });
    expect([await made, asked]).toEqual([1, 2]);
    expect(await openProject(shared.pool, project).read(LOOP)).toMatchObject({ seq: 1 });
  });
});
