import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Pool, queryRows } from '../../../src/wings/fleet/database.js';
import { listDocuments, STREAM_START } from '../../../src/wings/fleet/entries.js';
import { migrate } from '../../../src/wings/fleet/schema.js';
import { takeLease } from '../../../src/wings/loop/core/leases.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { LOOP } from '../../../src/wings/loop/streams.js';
import { startServer } from '../../support/postgres-server.mjs';
import { begin, listTold, nameProject, openProject, replayProject, useDatabase } from './shared.js';

// The connection is cut at any statement of a commit, or the database goes away (fleet.md, A stream in PostgreSQL).
// Each change is made completely or not at all, and never twice.

const shared = useDatabase();

/** When a connection is cut: before a statement is sent, once it is sent, or once it is answered. */
type Moment = 'before' | 'sent' | 'after';

/**
 * Returns a pool whose first connection is cut at the k-th statement. @returns `reached`: whether there was such a
 * statement
 */
function cut(pool: Pool, k: number, moment: Moment): { pool: Pool; reached: () => boolean } {
  let [statements, reached] = [0, false];
  const wrap = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'query' || reached) return value.bind(target);
        return async (...given: unknown[]): Promise<unknown> => {
          statements += 1;
          if (statements < k) return value.apply(target, given);
          reached = true;
          const { stream } = (target as unknown as { connection: { stream: { destroy(): void } } }).connection;
          if (moment === 'before') stream.destroy();
          const answer: unknown = value.apply(target, given);
          if (moment === 'after') await answer;
          stream.destroy();
          await answer;
          throw new Error('Connection terminated unexpectedly');
        };
      },
    });
  const connect = async (): Promise<PoolClient> => wrap(await pool.connect());
  return {
    pool: { query: pool.query.bind(pool) as Pool['query'], connect: connect as Pool['connect'], end: async () => {} },
    reached: () => reached,
  };
}

/** Returns a change of everything that a commit can change: state, document, lease, event. */
function takeAndBegin(id: string) {
  return (state: LoopState, at: string) => {
    const change = begin('a', [{ path: 'attempts/a/1/verdict.json', content: `{"by": "${id}"}\n` }])(state);
    const asked = { worker: id, role: null, key: null, minutes: 30, most: null, goal: id };
    const taken = takeLease(state.leases, { ...asked, offers: [{ id, role: 'implement', why: null }] }, { id, at });
    const unsent = [...state.unsent, ...taken.events];
    return { ...change, state: { ...change.state, leases: taken.leases, unsent } };
  };
}

/** Reads everything stored of a project. */
async function look(project: string) {
  const { pool } = shared;
  const { goals, leases, seq } = await openProject(pool, project).read(LOOP);
  const documents = await listDocuments(pool, project, STREAM_START);
  const told = await listTold(pool, project);
  return { n: goals['a']?.n ?? 0, leases: Object.keys(leases).sort(), seq, documents, told };
}

const one = {
  ...{ n: 1, leases: ['w1'], seq: 1, told: ['claim_created'] },
  documents: [{ path: 'attempts/a/1/verdict.json', content: '{"by": "w1"}\n' }],
};
const two = {
  ...{ n: 2, leases: ['w1', 'w2'], seq: 2, told: ['claim_created', 'claim_created'] },
  documents: [{ path: 'attempts/a/1/verdict.json', content: '{"by": "w2"}\n' }],
};

describe.each(['before', 'sent', 'after'] as const)('a connection that is cut %s a statement', (moment) => {
  it('leaves all or nothing of a process that is gone with it, and the next goes on', async () => {
    let k = 1;
    for (; ; k++) {
      const project = nameProject();
      await openProject(shared.pool, project).transact(LOOP, takeAndBegin('w1'));
      const { pool, reached } = cut(shared.pool, k, moment);
      const gone = { ...pool, connect: once(pool.connect) as Pool['connect'] };
      await openProject(gone, project)
        .transact(LOOP, takeAndBegin('w2'))
        .catch(() => {});
      if (!reached()) break;
      // Waits until a transaction that still holds the row releases it.
      const n = await openProject(shared.pool, project).transact(LOOP, ({ goals }) => ({ answer: goals['a']?.n }));
      expect([k, await look(project)]).toEqual([k, n === 1 ? one : two]);
      expect(await openProject(shared.pool, project).transact(LOOP, begin('b'))).toBe(1);
      expect(await replayProject(shared.pool, project)).toMatchObject({ equal: true });
    }
    expect(k).toBeGreaterThan(5);
  });

  it('is made up for by the process that goes on, once', async () => {
    let k = 1;
    for (; ; k++) {
      const project = nameProject();
      await openProject(shared.pool, project).transact(LOOP, takeAndBegin('w1'));
      const { pool, reached } = cut(shared.pool, k, moment);
      expect([k, await openProject(pool, project).transact(LOOP, takeAndBegin('w2'))]).toEqual([k, 2]);
      if (!reached()) break;
      expect([k, await look(project)]).toEqual([k, two]);
    }
    expect(k).toBeGreaterThan(5);
  });
});

/** Runs `work` the first time and throws from then on, like a dead process, which opens no second connection. */
function once<A>(work: () => A): () => A {
  let done = false;
  return () => {
    if (done) throw new Error('the process is gone');
    done = true;
    return work();
  };
}

describe('a server that is stopped hard', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let pools: Pool[];
  beforeAll(async () => {
    server = await startServer();
    pools = await Promise.all([openDatabase(server.url), openDatabase(server.url)]);
    await migrate(pools[0] as Pool, async () => {});
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await server.stop();
  });

  it('is waited for, by whoever is within a change and whoever begins one', async () => {
    const [pool] = pools as [Pool];
    const streams = openProject(pool, 'waits');
    await streams.transact(LOOP, begin('a'));
    await server.kill();
    const changes = [streams.transact(LOOP, begin('a')), streams.read(LOOP)];
    await sleep(300);
    await server.start();
    expect(await changes[0]).toBe(2);
    await changes[1];
    expect(await streams.read(LOOP)).toMatchObject({ seq: 2 });
  });

  it('has each change once, though it is stopped in the middle of many', async () => {
    const goals = Array.from({ length: 60 }, () => 'a');
    const changes = Promise.all(
      goals.map(async (goal, at) => {
        await sleep(at * 10);
        return openProject(pools[at % 2] as Pool, 'many').transact(LOOP, begin(goal));
      }),
    );
    for (let stops = 0; stops < 2; stops++) {
      await sleep(120);
      await server.kill();
      await server.start();
    }
    expect((await changes).toSorted((a, b) => a - b)).toEqual(goals.map((_, at) => at + 1));
    expect(await openProject(pools[0] as Pool, 'many').read(LOOP)).toMatchObject({ seq: goals.length });
    expect(await replayProject(pools[0] as Pool, 'many')).toMatchObject({ equal: true, entries: goals.length });
  });
});

it('rows that somebody has changed are named, and nothing is written over them', async () => {
  const { pool } = shared;
  const streams = openProject(pool, 'torn');
  await streams.transact(LOOP, begin('a'));
  await streams.transact(LOOP, begin('a'));
  for (const damage of [
    `UPDATE dev_cli.streams SET snapshot = '{"seq": 1'`,
    'UPDATE dev_cli.streams SET snapshot = NULL',
    `UPDATE dev_cli.streams SET snapshot = '{"seq": 1}'`,
    'UPDATE dev_cli.entries SET lines = left(lines, 40)',
    'DELETE FROM dev_cli.entries',
  ]) {
    await queryRows(pool, `${damage} WHERE project = 'torn'`);
    await expect(streams.transact(LOOP, begin('a'))).rejects.toMatchObject({
      code: expect.stringMatching(/_CORRUPT$/),
    });
  }
  expect(await queryRows(pool, "SELECT seq FROM dev_cli.streams WHERE project = 'torn'")).toEqual([{ seq: '2' }]);
});

it('a connection that the database ends between two statements ends nothing else', async () => {
  const { pool } = shared;
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await sleep(50);
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);
  expect(await openProject(pool, nameProject()).transact(LOOP, begin('a'))).toBe(1);
});
