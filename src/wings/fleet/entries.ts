import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PoolClient } from 'pg';
import { MAX_DOCUMENT } from '../../base/files.js';
import type { JsonObject } from '../../base/json.js';
import { withIoErrors } from '../../store/io.js';
import { createMemoryStore, createMemoryStoreData } from '../../store/memory.js';
import type { Codec } from '../../store/store.js';
import { type Pool, queryRows, withTransaction } from './database.js';
import { LOOP, type LoopStateView } from './ports.js';
import { damagedError, LAYOUT, toDamagedError } from './streams.js';

/**
 * Reads parts of a stream other than its state: its new events and documents, and the whole stream, written as a
 * directory (fleet.md, A stream in PostgreSQL).
 */

/** The last entry read of a stream. In a database restored from a backup, that entry may be missing or another one. */
export interface StreamPosition {
  seq: number;
  /** Checksum of the entry’s line; empty before the first entry. */
  crc: string;
}

export const STREAM_START: StreamPosition = { seq: 0, crc: '' };

/**
 * Returns the events of the entries after `seen`, in order.
 * @returns `from`, the entry after which the events begin: `seen`, or `STREAM_START` if the database no longer has that
 * entry because it was restored from a backup; and the last entry read as the new `seen`
 * @throws DevCliError `FLEET_UNAVAILABLE`, `STATE_CORRUPT`
 */
export async function listEvents(
  pool: Pool,
  of: { project: string; codec: Codec<LoopStateView> },
  seen: StreamPosition,
): Promise<{ events: JsonObject[]; from: StreamPosition; seen: StreamPosition }> {
  const { project, codec } = of;
  const rows = await queryRows<{ seq: string; lines: string }>(
    pool,
    'SELECT seq, lines FROM dev_cli.entries WHERE project = $1 AND stream = $2 AND seq >= $3 ORDER BY seq',
    [project, LOOP, seen.seq],
  );
  const known = seen.seq === 0 ? undefined : rows.shift();
  if (seen.seq > 0 && known?.lines.slice(-11, -3) !== seen.crc) return listEvents(pool, of, STREAM_START);
  const last = rows.at(-1);
  if (last === undefined) return { events: [], from: seen, seen };
  const events: JsonObject[] = [];
  const memory = createMemoryStoreData();
  memory.journals.set(LOOP, Buffer.from(rows.map(({ lines }) => lines).join('')));
  const store = createMemoryStore({ layout: LAYOUT, codec, memory, clock: { now: () => 0 } });
  const { behind } = await store
    .scan(LOOP, { offset: 0, seq: seen.seq }, ({ data }) => {
      if (Array.isArray(data['events'])) events.push(...(data['events'] as JsonObject[]));
      return true;
    })
    .catch((error: unknown) => Promise.reject(toDamagedError(project, error)));
  if (behind.seq !== Number(last.seq)) throw damagedError(project, `entry ${behind.seq + 1} is damaged`);
  return { events, from: seen, seen: { seq: behind.seq, crc: last.lines.slice(-11, -3) } };
}

/**
 * Returns the documents written by commits after an entry, except any larger than a commit may write.
 * @throws DevCliError `FLEET_UNAVAILABLE`
 */
export async function listDocuments(
  pool: Pool,
  project: string,
  { seq }: Pick<StreamPosition, 'seq'>,
): Promise<{ path: string; content: string }[]> {
  const rows = await queryRows<{ path: string; content: Buffer }>(
    pool,
    `SELECT path, content FROM dev_cli.documents
     WHERE project = $1 AND seq > $2 AND octet_length(content) <= ${MAX_DOCUMENT} ORDER BY path`,
    [project, seq],
  );
  return rows.map(({ path, content }) => ({ path, content: content.toString('utf8') }));
}

/**
 * The paths that a row may name beside the journal: documents below one directory, and contents by digest. Any other
 * path could lead out of the directory.
 */
const BESIDE = /^(?:attempts(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,127})+|objects\/[0-9a-f]{64})$/;

/**
 * Writes a stream, as of one moment, to a directory that every reader of a stream accepts (journal-format.md, Files).
 * @param directory absolute; must not exist
 * @returns how many entries it has
 * @throws DevCliError `FLEET_UNAVAILABLE`, `IO`; `STATE_CORRUPT`, with nothing written, if a row has a path that is not
 * allowed
 */
export async function writeStreamDirectory(pool: Pool, project: string, directory: string): Promise<number> {
  const { seq, files } = await withTransaction(pool, (client) => readFiles(client, project));
  for (const [path, content] of files) {
    const target = join(directory, path);
    withIoErrors(target, directory, () => {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      writeFileSync(target, content, { mode: 0o600 });
    });
  }
  return seq;
}

async function readFiles(client: PoolClient, project: string): Promise<{ seq: number; files: [string, Buffer][] }> {
  await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const { rows } = await client.query<{ seq: string; snapshot: string | null; journal: string }>(
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
  const stray = contents.rows.find(({ path }) => !BESIDE.test(path));
  if (stray !== undefined) throw damagedError(project, `no document may have the path ${stray.path.slice(0, 80)}`);
  return {
    seq: Number(stream.seq),
    files: [
      [journal, Buffer.from(stream.journal)],
      [snapshot, Buffer.from(stream.snapshot ?? '')],
      ...contents.rows.map(({ path, content }): [string, Buffer] => [path, content]),
    ],
  };
}
