import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import { openWingStreams } from '../../../src/project/wing-streams.js';
import { openBeat } from '../../../src/wings/fleet/beat.js';
import { openDatabase, type Pool } from '../../../src/wings/fleet/database.js';
import { listDocuments, listEvents, writeOut } from '../../../src/wings/fleet/entries.js';
import type { Loop } from '../../../src/wings/fleet/ports.js';
import { migrate } from '../../../src/wings/fleet/schema.js';
import { openStreams } from '../../../src/wings/fleet/streams.js';
import { buildEvent } from '../../../src/wings/loop/core/events.js';
import { FLEET_SIDE } from '../../../src/wings/loop/fleet-side.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { LOOP, openLoop, type Streams } from '../../../src/wings/loop/streams.js';
import { createDatabase } from '../../support/postgres.js';
import { scratchDirectory } from '../../support/scratch.js';

/** The loop's stream in a database is what it is on a disk (fleet.md, A stream in PostgreSQL). */

const CALLER = { kind: 'cli', via: 'cli' } as const;
const { codec, empty, refuseOver } = FLEET_SIDE as unknown as Loop;
let pool: Pool;
let count = 0;
const ids = { hex: (length: number): string => (++count).toString(16).padStart(length, '0') };

beforeAll(async () => {
  pool = await openDatabase(await createDatabase());
  await migrate(pool, async () => void (await pool.query('CREATE SCHEMA dbos')));
});

type Plain = Pick<Streams, 'read' | 'transact'>;

const openShared = (project = `p${++count}`, on: Pool = pool): Plain =>
  openStreams({ pool: on, project, codec, empty, caller: CALLER, refuseOver }) as unknown as Plain;
const openDisk = (): Plain =>
  openLoop({ root: scratchDirectory('streams'), clock: { now: () => Date.now() }, ids, caller: CALLER });

/** Adds one to the number of a goal. */
const add =
  (goal: string, more: Partial<LoopState> = {}) =>
  (state: LoopState) => {
    const n = (state.goals[goal]?.n ?? 0) + 1;
    return {
      answer: n,
      state: { ...state, ...more, goals: { ...state.goals, [goal]: { n, counted: 0, notes: [] } } },
      entry: { type: 'counted', data: { goal } },
      documents: [{ path: `attempts/${goal}/${n}/verdict.json`, content: `{"n":${n}}\n` }],
    };
  };

const offer = { id: 'g', role: 'implement', why: null };
const asked = { worker: 'w', role: null, key: null, minutes: 1, most: null, goal: null, offers: [offer] };
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: { code?: string }) => error.code,
  );

for (const [where, open] of [
  ['a database', openShared],
  ['a directory', openDisk],
] as const) {
  describe(`a stream in ${where}`, () => {
    it('is empty before its first commit, and as it was written behind it', async () => {
      const streams = open();
      expect(await streams.read(LOOP)).toMatchObject({ seq: 0, batch: null, goals: {}, leases: {}, unsent: [] });
      expect(await streams.transact(LOOP, add('a'))).toBe(1);
      expect(await streams.transact(LOOP, add('a'))).toBe(2);
      expect(await streams.read(LOOP)).toMatchObject({ seq: 2, goals: { a: { n: 2 } } });
    });

    it('is left alone by a change that changes nothing, and by one that throws', async () => {
      const streams = open();
      await streams.transact(LOOP, add('a'));
      expect(await streams.transact(LOOP, () => ({ answer: 7 }))).toBe(7);
      const refusal = streams.transact(LOOP, () => {
        throw new Error('no');
      });
      await expect(refusal).rejects.toThrow('no');
      expect(await streams.read(LOOP)).toMatchObject({ seq: 1 });
    });

    it('loses nothing of what many change at once', async () => {
      const streams = open();
      await Promise.all(Array.from({ length: 12 }, () => streams.transact(LOOP, add('a'))));
      expect(await streams.read(LOOP)).toMatchObject({ seq: 12, goals: { a: { n: 12 } } });
    });

    it('has a goal taken once, and lets nobody speak for a claim that is over', async () => {
      const streams = open();
      const leases = openLeases(streams, ids);
      const taken = await leases.take(asked);
      if (taken.kind !== 'taken') throw new Error('it was free');
      expect(await leases.take({ ...asked, worker: 'x' })).toMatchObject({
        kind: 'refused',
        code: 'no_claimable_goals',
      });
      const claim = taken.lease.id;
      expect(await streams.transact(LOOP, add('a'), { claim })).toBe(1);
      await leases.release(claim, { worker: 'w', reason: null, goalStatus: null });
      expect(await codeOf(streams.transact(LOOP, add('a'), { claim }))).toBe('CLAIM_REFUSED');
      expect(await codeOf(streams.transact(LOOP, add('a'), { claim: 'QCLM_000000000000' }))).toBe('CLAIM_REFUSED');
      expect(await leases.take({ ...asked, worker: 'x' })).toMatchObject({ kind: 'taken' });
      expect(await streams.read(LOOP)).toMatchObject({ goals: { a: { n: 1 } } });
    });

    it('gives a goal to one of many', async () => {
      const streams = open();
      const leases = openLeases(streams, ids);
      const workers = Array.from({ length: 8 }, (_, at) => leases.take({ ...asked, worker: `w${at}` }));
      const kinds = (await Promise.all(workers)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'taken')).toHaveLength(1);
    });
  });
}

/** A pool of which a connection goes at the k-th statement. */
function failAt(k: number): Pool {
  let left = k;
  const connect = async () => {
    const client = await pool.connect();
    const query = (...given: unknown[]): unknown => {
      left -= 1;
      if (left === 0) {
        const gone = Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' });
        return (client as unknown as { end(): Promise<void> }).end().then(() => Promise.reject(gone));
      }
      return Reflect.apply(client.query, client, given);
    };
    return new Proxy(client, {
      get: (target, key) => (key === 'query' && left > 0 ? query : Reflect.get(target, key)),
    });
  };
  return { query: pool.query.bind(pool), connect: connect as unknown as Pool['connect'], end: async () => {} };
}

describe('a stream in a database', () => {
  it('written out, is a directory that replays, with documents of all sizes', async () => {
    const project = `out${++count}`;
    const streams = openShared(project);
    for (let n = 1; n <= 40; n += 1) {
      const event = buildEvent('batch_started', { key: `${n}`, at: '2026-11-27T01:02:03Z', payload: {} });
      const documents = [{ path: `attempts/a/${n}/prompt.md`, content: `${'text '.repeat(n * 400)}\n` }];
      await streams.transact(LOOP, (state) => ({
        ...add('a', { unsent: [...state.unsent, event] })(state),
        documents,
      }));
    }
    const root = scratchDirectory('out');
    mkdirSync(join(root, '.dev'));
    const directory = join(root, '.dev/loop');
    expect(await writeOut(pool, project, directory)).toBe(40);
    const clock = { now: () => Date.now() };
    const disk = openWingStreams({ root, noun: 'loop', readable: true, codec: FLEET_SIDE.codec, clock, ids });
    expect(await disk.replay('loop')).toMatchObject({ equal: true, entries: 40 });
    const { snapshot } = await disk.read('loop');
    expect({ ...snapshot, leases: {} }).toEqual({ ...(await streams.read(LOOP)), leases: {} });
    expect(readFileSync(join(directory, 'attempts/a/40/prompt.md'), 'utf8')).toHaveLength(40 * 2_000 + 1);
    const { events, seq } = await listEvents(pool, { project, codec }, { after: 30 });
    expect([seq, events.map((one: JsonObject) => one['idempotency_key'])]).toEqual([
      40,
      Array.from({ length: 10 }, (_, at) => `${at + 31}`),
    ]);
    expect(await listDocuments(pool, project, { after: 39 })).toHaveLength(1);
    rmSync(root, { recursive: true });
  });

  it('is changed whole or not at all, at whichever statement a transaction is cut off', async () => {
    for (let k = 1; k <= 12; k += 1) {
      const project = `cut${k}`;
      const streams = openShared(project);
      await streams.transact(LOOP, add('a'));
      const leases = openLeases(openShared(project, failAt(k)), ids);
      const taken = await leases.take(asked);
      expect([k, taken.kind]).toEqual([k, 'taken']);
      const { seq, leases: there } = await streams.read(LOOP);
      expect([k, seq, Object.keys(there).length]).toEqual([k, 2, 1]);
      expect(await streams.transact(LOOP, add('a'))).toBe(2);
    }
  });

  it('renews leases by a beat without an entry, and frees those of a worker that begins anew', async () => {
    const project = `beat${++count}`;
    const streams = openShared(project);
    const about = { worker: `b${count}`, version: 1, cliVersion: '1', slots: 1, leaseSeconds: 60, projects: [] };
    const beat = await openBeat(pool, about);
    const taken = await openLeases(streams, ids).take({ ...asked, worker: about.worker });
    if (taken.kind !== 'taken') throw new Error('it was free');
    const { seq } = await streams.read(LOOP);
    expect([...(await beat.renew([taken.lease.id]))]).toEqual([taken.lease.id]);
    expect([...(await beat.renew([]))]).toEqual([]);
    expect((await streams.read(LOOP)).seq).toBe(seq);
    await expect(openBeat(pool, about)).rejects.toMatchObject({ code: 'LOCKED' });
    await beat.end();
    const anew = await openBeat(pool, about);
    expect([...(await anew.renew([taken.lease.id]))]).toEqual([]);
    expect((await streams.read(LOOP)).leases[taken.lease.id]).toMatchObject({ status: 'released' });
    await anew.end();
  });

  it('says what is wrong with rows that somebody has changed, and writes nothing', async () => {
    const streams = openShared('torn');
    await streams.transact(LOOP, add('a'));
    await pool.query(`UPDATE dev_cli.streams SET snapshot = '{"seq": 1' WHERE project = 'torn'`);
    expect(await codeOf(streams.read(LOOP))).toBe('STATE_CORRUPT');
    await pool.query(`UPDATE dev_cli.streams SET snapshot = NULL WHERE project = 'torn'`);
    expect(await codeOf(streams.transact(LOOP, add('a')))).toBe('STATE_CORRUPT');
    const [snapshot, lines] = ['{"seq": 1}', 'left(lines, 40)'];
    await pool.query(`UPDATE dev_cli.streams SET snapshot = '${snapshot}' WHERE project = 'torn'`);
    await pool.query(`UPDATE dev_cli.entries SET lines = ${lines} WHERE project = 'torn'`);
    expect(await codeOf(streams.transact(LOOP, add('a')))).toBe('STATE_CORRUPT');
    const { rows } = await pool.query(`SELECT seq FROM dev_cli.streams WHERE project = 'torn'`);
    expect(rows).toEqual([{ seq: '1' }]);
  });
});
