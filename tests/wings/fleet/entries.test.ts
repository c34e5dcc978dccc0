import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { queryRows } from '../../../src/wings/fleet/database.js';
import {
  listDocuments,
  listEvents,
  STREAM_START,
  type StreamPosition,
  writeStreamDirectory,
} from '../../../src/wings/fleet/entries.js';
import { buildEvent } from '../../../src/wings/loop/core/events.js';
import { LOOP, LOOP_CODEC, openLoop } from '../../../src/wings/loop/streams.js';
import { scratchDirectory } from '../../support/scratch.js';
import { IDS } from '../loop/streams-suite.js';
import { begin, nameProject, openProject, replayLoop, replayProject, useDatabase } from './shared.js';

// Reading what a stream has besides its state: events, documents, the whole journal (fleet.md, A stream in PostgreSQL).

const shared = useDatabase();

const at = '2026-11-27T01:02:03Z';

/** Makes commits with an event and a document each; the last document is too large for the journal. */
async function fill(project: string, commits: number): Promise<void> {
  for (let n = 1; n <= commits; n += 1) {
    const event = buildEvent('batch_started', { key: `${n}`, at, payload: {} });
    const documents = [{ path: `attempts/a/${n}/prompt.md`, content: `${'text '.repeat(n * 400)}\n` }];
    await openProject(shared.pool, project).transact(LOOP, (state) => {
      const change = begin('a', documents)(state);
      return { ...change, state: { ...change.state, unsent: [...state.unsent, event] } };
    });
  }
}

/** Returns the position of a root that has read up to an entry. */
async function findSeen(project: string, seq: number): Promise<StreamPosition> {
  const asked = 'SELECT seq::int, substring(lines FROM \'"crc":"(\\w+)"}\\s*$\') AS crc FROM dev_cli.entries';
  const [row] = await queryRows<StreamPosition>(shared.pool, `${asked} WHERE project = $1 AND seq = $2`, [
    project,
    seq,
  ]);
  return row ?? STREAM_START;
}

it('what came since is told once, in its order, from anywhere', async () => {
  const { pool } = shared;
  const project = nameProject();
  await fill(project, 12);
  for (const after of [0, 1, 11, 12]) {
    const seen = await findSeen(project, after);
    const told = await listEvents(pool, { project, codec: LOOP_CODEC as never }, seen);
    const keys = Array.from({ length: 12 - after }, (_, n) => `${n + 1 + after}`);
    expect(told).toMatchObject({ from: seen, seen: await findSeen(project, 12) });
    expect(told.events.map((one) => one['idempotency_key'])).toEqual(keys);
    expect((await listDocuments(pool, project, seen)).map(({ path }) => path).toSorted()).toEqual(
      keys.map((n) => `attempts/a/${n}/prompt.md`).toSorted(),
    );
  }
});

it('a line that somebody has changed is told of', async () => {
  const { pool } = shared;
  const project = nameProject();
  await fill(project, 3);
  await queryRows(
    pool,
    "UPDATE dev_cli.entries SET lines = replace(lines, 'batch_', 'other_') WHERE project = $1 AND seq = 2",
    [project],
  );
  const told = listEvents(pool, { project, codec: LOOP_CODEC as never }, STREAM_START);
  await expect(told).rejects.toMatchObject({ code: 'STATE_CORRUPT' });
});

it('written out, a stream is a directory that replays, that is read as it was, and that the loop of one machine goes on with', async () => {
  const { pool } = shared;
  const project = nameProject();
  await fill(project, 40);
  const root = scratchDirectory('out');
  mkdirSync(join(root, '.dev'));
  expect(await writeStreamDirectory(pool, project, join(root, '.dev/loop'))).toBe(40);
  expect(await replayLoop(root)).toMatchObject({ equal: true, entries: 40, documents: 40 });
  const { rows } = await pool.query<{ lines: string }>(
    "SELECT string_agg(lines, '' ORDER BY seq) AS lines FROM dev_cli.entries WHERE project = $1",
    [project],
  );
  expect(readFileSync(join(root, '.dev/loop/events.jsonl'), 'utf8')).toBe(rows[0]?.lines);
  const alone = openLoop({ root, ids: IDS, clock: { now: () => Date.now() }, caller: { kind: 'cli', via: 'cli' } });
  expect(await alone.read(LOOP)).toEqual(await openProject(pool, project).read(LOOP));
  expect(await alone.transact(LOOP, begin('a'))).toBe(41);
  expect(await replayLoop(root)).toMatchObject({ equal: true, entries: 41 });
});

it('written out while others change it, a stream is as it was at one moment', async () => {
  const { pool } = shared;
  const project = nameProject();
  const streams = openProject(pool, project);
  let done = false;
  const changing = (async () => {
    for (let n = 1; !done; n++)
      await streams.transact(LOOP, begin('a', [{ path: `attempts/a/${n}/verdict.json`, content: `${n}` }]));
  })();
  try {
    for (let look = 0; look < 10; look++) {
      const root = scratchDirectory('out');
      await writeStreamDirectory(pool, project, join(root, '.dev/loop'));
      expect(await replayLoop(root)).toMatchObject({ equal: true, notes: [] });
    }
  } finally {
    done = true;
    await changing;
  }
});

it('written out, a stream is equal to what was done, whatever was done', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  const large = text.map((one) => `${one}${'large\n'.repeat(12_000)}`);
  const change = fc.record({
    goal: fc.constantFrom('a', 'b', 'ü'),
    document: fc.option(
      fc.record({ n: fc.integer({ min: 1, max: 3 }), content: fc.oneof({ weight: 5, arbitrary: text }, large) }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const { pool } = shared;
      const project = nameProject();
      const expected = new Map<string, string>();
      for (const { goal, document: one } of changes) {
        const documents = one ? [{ path: `attempts/a/${one.n}/verdict.json`, content: one.content }] : [];
        for (const { path, content } of documents) expected.set(path, content);
        await openProject(pool, project).transact(LOOP, begin(goal, documents));
      }
      const there = await listDocuments(pool, project, STREAM_START);
      expect(new Map(there.map(({ path, content }) => [path, content]))).toEqual(expected);
      expect(await replayProject(pool, project)).toMatchObject({ equal: true, entries: changes.length });
    }),
    { numRuns: 20 },
  );
});
