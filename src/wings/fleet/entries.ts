import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PoolClient } from 'pg';
import type { JsonObject } from '../../base/json.js';
import { createMemory, createMemoryStore } from '../../store/memory.js';
import type { Codec } from '../../store/store.js';
import { ask, type Pool, withTransaction } from './database.js';
import { LOOP, type LoopState } from './ports.js';
import { LAYOUT } from './streams.js';

/** What is read of a stream besides its state: what came since, and all of it, as a directory (fleet.md, A stream in PostgreSQL). */

/** What a root has seen of a stream. */
interface Seen {
  /** The number of the last entry; 0: nothing. */
  after: number;
}

/** The events of the entries behind one, in their order, and the number of the last entry. @throws DevCliError `FLEET_UNAVAILABLE`, `JOURNAL_CORRUPT` */
export async function listEvents(
  pool: Pool,
  { project, codec }: { project: string; codec: Codec<LoopState> },
  { after }: Seen,
): Promise<{ events: JsonObject[]; seq: number }> {
  const rows = await ask<{ seq: string; lines: string }>(
    pool,
    'SELECT seq, lines FROM dev_cli.entries WHERE project = $1 AND stream = $2 AND seq > $3 ORDER BY seq',
    [project, LOOP, after],
  );
  const events: JsonObject[] = [];
  const memory = createMemory();
  memory.journals.set(LOOP, Buffer.from(rows.map(({ lines }) => lines).join('')));
  const store = createMemoryStore({ layout: LAYOUT, codec, memory, clock: { now: () => 0 } });
  const first = JSON.parse(rows[0]?.lines.split('\n', 1)[0] ?? '{"seq":1}') as { seq: number };
  await store.scan(LOOP, { offset: 0, seq: first.seq - 1 }, ({ data }) => {
    if (Array.isArray(data['events'])) events.push(...(data['events'] as JsonObject[]));
    return true;
  });
  return { events, seq: Number(rows.at(-1)?.seq ?? after) };
}

/** The documents that commits behind one have written. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function listDocuments(
  pool: Pool,
  project: string,
  { after }: Seen,
): Promise<{ path: string; content: string }[]> {
  const rows = await ask<{ path: string; content: Buffer }>(
    pool,
    'SELECT path, content FROM dev_cli.documents WHERE project = $1 AND seq > $2 ORDER BY path',
    [project, after],
  );
  return rows.map(({ path, content }) => ({ path, content: content.toString('utf8') }));
}

/**
 * Writes a stream out as a directory that every reader of a stream takes (journal-format.md, Files), as it was at one moment.
 * @param directory absolute; nothing is there yet
 * @returns how many entries it has
 * @throws DevCliError `FLEET_UNAVAILABLE`, `IO`
 */
export async function writeOut(pool: Pool, project: string, directory: string): Promise<number> {
  const { seq, files } = await withTransaction(pool, (client) => readFiles(client, project));
  for (const [path, content] of files) {
    if (path.split('/').includes('..')) continue;
    const target = join(directory, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, content, { mode: 0o600 });
  }
  return seq;
}

async function readFiles(client: PoolClient, project: string): Promise<{ seq: number; files: [string, Buffer][] }> {
  await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const { rows } = await client.query<{ seq: string; snapshot: string; journal: string }>(
    `SELECT s.seq, s.snapshot, string_agg(e.lines, '' ORDER BY e.seq) AS journal
     FROM dev_cli.streams s JOIN dev_cli.entries e USING (project, stream)
     WHERE s.project = $1 AND s.stream = $2 GROUP BY s.seq, s.snapshot`,
    [project, LOOP],
  );
  const [stream] = rows;
  if (stream === undefined) return { seq: 0, files: [] };
  const { journal, snapshot, objects } = LAYOUT.names;
  const contents = await client.query<{ path: string; content: Buffer }>(
    `SELECT path, content FROM dev_cli.documents WHERE project = $1
     UNION ALL SELECT $2 || sha256, content FROM dev_cli.objects WHERE project = $1`,
    [project, `${objects}/`],
  );
  return {
    seq: Number(stream.seq),
    files: [
      [journal, Buffer.from(stream.journal)],
      [snapshot, Buffer.from(stream.snapshot)],
      ...contents.rows.map(({ path, content }): [string, Buffer] => [path, content]),
    ],
  };
}
