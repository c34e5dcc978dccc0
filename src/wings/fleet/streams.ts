import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Caller } from '../../base/caller.js';
import { formatInstant } from '../../base/clock.js';
import { DevCliError } from '../../base/errors.js';
import { isSameJson, type JsonObject } from '../../base/json.js';
import { RUN_LAYOUT } from '../../project/layout.js';
import { createMemory, createMemoryStore, type Memory } from '../../store/memory.js';
import type { Codec } from '../../store/store.js';
import { ask, isAway, type Pool, withTransaction } from './database.js';
import { type Lease, type LeaseRow, readLeases, toLeases, writeLeases } from './lease-rows.js';
import type { Change, LoopState, Streams } from './ports.js';

/** The loop's stream in the database: the store's own commit, over an image of the stream’s end (fleet.md, A stream in PostgreSQL). */

/** What a stream is opened with. */
export interface StreamOptions {
  pool: Pool;
  project: string;
  codec: Codec<LoopState>;
  /** A stream before its first commit. */
  empty: LoopState;
  caller: Caller;
  refuseOver(claim: string): Error;
}

/** Where the stream would lie on a disk: documents are named relative to it, and so it is written out. */
export const LAYOUT = { ...RUN_LAYOUT, noun: 'loop', home: '.dev', streams: '.dev', isReserved: () => false };

/** A stream as it is read under its lock. */
interface Head {
  seq: string;
  size: string;
  snapshot: string | null;
  /** The last commit's lines. */
  last: string | null;
  at: Date;
  /** Of the cluster: what stands for a boot, since nothing here is lost by one. */
  cluster: string;
}

/** Opens the streams of a project. */
export function openStreams(options: StreamOptions): Pick<Streams, 'read' | 'transact'> {
  const { pool, project, codec, empty, caller, refuseOver } = options;
  return {
    async read(stream) {
      const look = () => ask<{ snapshot: string | null; leases: LeaseRow[] | null }>(pool, READ, [project, stream]);
      const [row] = await patiently(look);
      const leases = toLeases(row?.leases ?? []);
      return row?.snapshot ? { ...empty, ...codec.parse(row.snapshot), leases } : { ...empty, leases };
    },
    async transact<A>(
      stream: string,
      decide: (state: LoopState, at: string) => Change<A>,
      fence?: { claim: string | null },
    ) {
      const tx = randomUUID();
      const made: A[] = [];
      const run = () =>
        withTransaction(pool, async (client) => {
          const head = await lock(client, project, stream);
          // The connection went while a try before was committed: behind the lock the rows say what became of it.
          const isMade = made.length > 0 && ((await client.query(MADE, [project, stream, tx])).rowCount ?? 0) > 0;
          if (isMade) return made[0] as A;
          const leases = await readLeases(client, project);
          const claim = fence?.claim ?? null;
          const at = formatInstant(head.at.getTime());
          if (claim !== null && !isActive(leases[claim], head.at)) throw refuseOver(claim);
          const memory = buildImage(head, stream);
          const store = createMemoryStore({ layout: LAYOUT, codec, memory, clock: { now: () => head.at.getTime() } });
          let after = leases;
          const answer = await store.transact(stream, ({ snapshot }) => {
            const before = { ...empty, ...snapshot, leases, unsent: [] };
            const { answer, state, entry, documents = [] } = decide(before, at);
            if (state === undefined || entry === undefined) return { answer };
            after = state.leases;
            const events = state.unsent as JsonObject[];
            const data = events.length === 0 ? entry.data : { ...entry.data, events: [...events] };
            const entries = [{ type: entry.type, data, by: caller }];
            return { answer, entries, snapshot: { ...state, leases: {}, unsent: [] }, files: [...documents] };
          });
          await write(client, { project, stream, head, memory, tx });
          if (!isSameJson(leases, after)) await writeLeases(client, project, { before: leases, after });
          made[0] = answer;
          return answer;
        });
      return patiently(run);
    },
  };
}

const MADE = 'SELECT FROM dev_cli.entries WHERE project = $1 AND stream = $2 AND tx = $3';

/** How long a database that was there is waited for, and how long in between, in milliseconds. */
const PATIENCE = 60_000;
const PAUSE = 500;

/** Does what needs the database once more while that is away: it may have been restarted. @throws what `work` throws */
async function patiently<A>(work: () => Promise<A>): Promise<A> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw error;
      await sleep(PAUSE);
    }
  }
}

const isActive = (lease: Lease | undefined, at: Date): boolean =>
  lease?.status === 'active' && Date.parse(lease.expiresAt) > at.getTime();

/** A journal that begins with the last commit looks whole to whoever only goes on; with it, the snapshot is always current. */
function buildImage({ snapshot, last, cluster }: Head, stream: string): Memory {
  const memory = createMemory();
  memory.boot = cluster;
  if (snapshot !== null) memory.snapshots.set(stream, snapshot);
  if (last !== null) memory.journals.set(stream, Buffer.from(last));
  return memory;
}

const READ = `
  SELECT s.snapshot,
    (SELECT json_agg(l) FROM dev_cli.leases l WHERE l.project = $1
       AND (l.closed IS NULL OR l.closed > clock_timestamp() - interval '30 days')) AS leases
  FROM (SELECT $1::text AS project) p LEFT JOIN dev_cli.streams s ON s.project = p.project AND s.stream = $2`;

/** Behind the lock a statement of its own: it sees what whoever had the lock before has written. */
async function lock(client: PoolClient, project: string, stream: string): Promise<Head> {
  const take = 'SELECT FROM dev_cli.streams WHERE project = $1 AND stream = $2 FOR UPDATE';
  const { rowCount } = await client.query(take, [project, stream]);
  if (rowCount === 0) {
    const make = 'INSERT INTO dev_cli.streams VALUES ($1, $2, 0, 0, NULL) ON CONFLICT DO NOTHING';
    await client.query(make, [project, stream]);
    await client.query(take, [project, stream]);
  }
  const { rows } = await client.query<Head>(
    `SELECT s.seq, s.size, s.snapshot, e.lines AS last, clock_timestamp() AS at,
       (SELECT oid::text || '/' || datname FROM pg_database WHERE datname = current_database()) AS cluster
     FROM dev_cli.streams s LEFT JOIN dev_cli.entries e USING (project, stream, seq)
     WHERE s.project = $1 AND s.stream = $2`,
    [project, stream],
  );
  const [head] = rows;
  if (head === undefined) throw new Error('a stream that is locked is there');
  if (head.seq !== '0' && (head.snapshot === null || head.last === null)) throw damagedError(project);
  return head;
}

const damagedError = (project: string): DevCliError =>
  new DevCliError(
    'STATE_CORRUPT',
    `Of the stream of ${project} in the fleet’s database, a part is missing. Nothing was changed.`,
    {
      fix: 'Ask who looks after the database: it has to be restored from a backup.',
    },
  );

/** Writes what a commit has left in the image, in one statement. */
async function write(
  client: PoolClient,
  { project, stream, head, memory, tx }: { project: string; stream: string; head: Head; memory: Memory; tx: string },
): Promise<void> {
  const journal = memory.journals.get(stream) ?? Buffer.alloc(0);
  const lines = journal.subarray(Buffer.byteLength(head.last ?? ''));
  if (lines.length === 0) return;
  const snapshot = memory.snapshots.get(stream) ?? '';
  const { seq } = JSON.parse(snapshot) as { seq: number };
  const directory = `${LAYOUT.streams}/${stream}/`;
  const documents = [...memory.documents].filter(([path]) => path.startsWith(directory));
  const values = [
    ...[project, stream, seq, head.size, lines.toString('utf8'), snapshot, lines.length],
    documents.map(([path]) => path.slice(directory.length)),
    documents.map(([, { content }]) => content.toString('utf8')),
    ...[[...memory.objects.keys()], [...memory.objects.values()], tx],
  ];
  await client.query(WRITE, values);
}

const WRITE = `
  WITH e AS (INSERT INTO dev_cli.entries VALUES ($1, $2, $3, $4, $5, $12)),
  d AS (INSERT INTO dev_cli.documents
    SELECT $1, path, $3, content FROM unnest($8::text[], $9::text[]) AS t (path, content)
    ON CONFLICT (project, path) DO UPDATE SET seq = excluded.seq, content = excluded.content),
  o AS (INSERT INTO dev_cli.objects
    SELECT $1, sha256, content FROM unnest($10::text[], $11::bytea[]) AS t (sha256, content) ON CONFLICT DO NOTHING)
  UPDATE dev_cli.streams SET seq = $3, size = size + $7, snapshot = $6 WHERE project = $1 AND stream = $2`;
