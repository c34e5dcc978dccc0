import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Caller } from '../../base/caller.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { RUN_LAYOUT } from '../../project/layout.js';
import { createMemoryStore, createMemoryStoreData, type MemoryStoreData } from '../../store/memory.js';
import type { Codec } from '../../store/store.js';
import { isTemporarilyAway, type Pool, queryRows, withTransaction } from './database.js';
import { LEASES, type LeaseRow, type LoopLease, toLeases, writeLeases } from './lease-rows.js';
import type { LoopChange, LoopStateView, LoopStreams } from './ports.js';

/**
 * Keeps the loop's stream in the database. A transaction loads the stream's last commit into an in-memory store, lets
 * that store commit, and writes the result as rows (fleet.md, A stream in PostgreSQL).
 */

/** Options for opening a project's streams. */
export interface StreamOptions {
  pool: Pool;
  project: string;
  codec: Codec<LoopStateView>;
  /** The state of a stream before its first commit. */
  empty: LoopStateView;
  caller: Caller;
  refuseOver(claim: string): Error;
  /** Aborted when the call is to stop. */
  signal?: AbortSignal;
}

/** The stream's layout as a directory: the paths of documents are relative to it, and an export creates it. */
export const LAYOUT = { ...RUN_LAYOUT, noun: 'loop', home: '.dev', streams: '.dev', isReserved: () => false };

/** The end of a stream, read under its lock. */
interface Head {
  seq: string;
  size: string;
  snapshot: string | null;
  /** The journal lines of the last commit. */
  last: string | null;
  leases: LeaseRow[] | null;
  at: Date;
  /** Identifies the database. It replaces the boot id, since a reboot loses nothing here. */
  cluster: string;
}

/** Opens the streams of a project. */
export function openStreams(options: StreamOptions): Pick<LoopStreams, 'read' | 'transact'> {
  const { pool, project, codec, empty, caller, refuseOver, signal } = options;

  const parse = (text: string): LoopStateView => {
    try {
      return codec.parse(text);
    } catch (error) {
      throw toDamagedError(project, error);
    }
  };

  /** Tries a change once, in one database transaction. @returns the answer to give once it is committed */
  async function change<A>(
    client: PoolClient,
    { stream, decide, claim, tx }: { stream: string; decide: Decide<A>; claim: string | null; tx: string },
  ): Promise<A> {
    const head = await lock(client, project, stream);
    const leases = toLeases(head.leases ?? []);
    if (claim !== null && !isActive(leases[claim], head.at)) throw refuseOver(claim);
    const memory = buildImage(head, stream);
    const clock = { now: () => head.at.getTime() };
    let after = leases;
    const stored = head.snapshot === null ? null : parse(head.snapshot);
    const once = { parse: (text: string) => (text === head.snapshot && stored !== null ? stored : codec.parse(text)) };
    const store = createMemoryStore({ layout: LAYOUT, codec: once, memory, clock });
    const decideHere: Parameters<typeof store.transact<A>>[1] = ({ snapshot, at }) => {
      const { answer, state, entry, documents = [] } = decide({ ...empty, ...snapshot, leases, unsent: [] }, at);
      if (state === undefined || entry === undefined) return { answer };
      after = state.leases;
      const data = state.unsent.length === 0 ? entry.data : { ...entry.data, events: [...state.unsent] };
      const entries = [{ type: entry.type, data, by: caller }];
      return { answer, entries, snapshot: { ...state, leases: {}, unsent: [] }, files: [...documents] };
    };
    const answer = await store
      .transact(stream, decideHere)
      .catch((error) => Promise.reject(toDamagedError(project, error)));
    await write(client, { project, stream, head, memory, tx });
    await writeLeases(client, project, { before: leases, after });
    return answer;
  }

  return {
    async read(stream) {
      const [row] = await retryWhileAway(
        () => queryRows<Pick<Head, 'snapshot' | 'leases'>>(pool, READ, [project, stream]),
        signal,
      );
      const leases = toLeases(row?.leases ?? []);
      return row?.snapshot ? { ...empty, ...parse(row.snapshot), leases } : { ...empty, leases };
    },
    async transact<A>(stream: string, decide: Decide<A>, fence?: { claim: string | null }): Promise<A> {
      const tx = randomUUID();
      const tried: { answer: A }[] = [];
      const work = async (client: PoolClient): Promise<A> => {
        // An earlier try may have lost its connection during the commit; under the lock, the entry's row tells whether
        // it committed.
        const [last] = tried;
        if (last !== undefined && (await isCommitted(client, { project, stream, tx }))) return last.answer;
        const answer = await change(client, { stream, decide, claim: fence?.claim ?? null, tx });
        tried[0] = { answer };
        return answer;
      };
      return retryWhileAway(() => withTransaction(pool, work), signal);
    },
  };
}

type Decide<A> = (state: LoopStateView, at: string) => LoopChange<A>;

/** How long to wait for a database that does not answer, and how long to pause between tries, in milliseconds. */
const PATIENCE = 60_000;
const PAUSE = 200;
/** How long a call keeps trying after it was told to stop, in milliseconds. */
const GRACE = 3_000;

/**
 * Repeats work while the database is away; it may be restarting.
 * @param signal once it is aborted, the work is repeated only for GRACE
 * @throws what `work` throws; DevCliError `INTERRUPTED`
 */
export async function retryWhileAway<A>(work: () => Promise<A>, signal?: AbortSignal): Promise<A> {
  const begun = performance.now();
  let told: number | null = null;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const now = performance.now();
      if (!isTemporarilyAway(error) || now > begun + PATIENCE) throw error;
      if (signal?.aborted) told ??= now;
      if (told !== null && now >= told + GRACE) throw new DevCliError('INTERRUPTED', 'Interrupted.', { cause: error });
      await sleep(PAUSE);
    }
  }
}

const isActive = (lease: LoopLease | undefined, at: Date): boolean =>
  lease?.status === 'active' && Date.parse(lease.expiresAt) > at.getTime();

/**
 * Builds an image of a stream that contains only the stream's last commit: appending needs no more, and the snapshot of
 * that commit is always current.
 */
function buildImage({ snapshot, last, cluster }: Head, stream: string): MemoryStoreData {
  const memory = createMemoryStoreData();
  memory.boot = cluster;
  if (snapshot !== null) memory.snapshots.set(stream, snapshot);
  if (last !== null) memory.journals.set(stream, Buffer.from(last));
  return memory;
}

const READ = `
  SELECT s.snapshot, (${LEASES}) AS leases
  FROM (SELECT $1::text AS project) p LEFT JOIN dev_cli.streams s ON s.project = p.project AND s.stream = $2`;

const LOCK = 'SELECT FROM dev_cli.streams WHERE project = $1 AND stream = $2 FOR UPDATE';
const MAKE = 'INSERT INTO dev_cli.streams VALUES ($1, $2, 0, 0, NULL) ON CONFLICT DO NOTHING';
const HEAD = `
  SELECT s.seq, s.size, s.snapshot, e.lines AS last, (${LEASES}) AS leases, clock_timestamp() AS at,
    (SELECT oid::text || '/' || datname FROM pg_database WHERE datname = current_database()) AS cluster
  FROM dev_cli.streams s LEFT JOIN dev_cli.entries e USING (project, stream, seq)
  WHERE s.project = $1 AND s.stream = $2`;

/** Locks a stream's row, and creates it if needed. */
async function lockRow(client: PoolClient, project: string, stream: string): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(LOCK, [project, stream]);
    if (rowCount === 1) return;
    await client.query(MAKE, [project, stream]);
  }
}

/**
 * Locks a stream and reads its end. The read is a statement of its own, so that it sees what the previous lock owner
 * wrote.
 */
async function lock(client: PoolClient, project: string, stream: string): Promise<Head> {
  await lockRow(client, project, stream);
  const { rows } = await client.query<Head>(HEAD, [project, stream]);
  const [head] = rows;
  if (head === undefined) throw new Error('a stream that is locked is there');
  if (head.seq !== '0' && (head.snapshot === null || head.last === null))
    throw damagedError(project, 'a part is missing');
  return head;
}

/** Returns the error for damaged rows of a stream. */
export const damagedError = (project: string, problem: string): DevCliError =>
  new DevCliError(
    'STATE_CORRUPT',
    `The stream of ${project} in the fleet’s database is damaged: ${toBoundedLine(problem, 300)}. Nothing was changed.`,
    {
      details: [{ target: project, problem: toBoundedLine(problem, 300) }],
      fix: 'Ask the database’s administrator to restore it from a backup.',
    },
  );

/** Converts the store's errors about damaged files to errors about the rows they stand for; returns others unchanged. */
export const toDamagedError = (project: string, error: unknown): unknown =>
  error instanceof DevCliError && (error.code === 'STATE_CORRUPT' || error.code === 'JOURNAL_CORRUPT')
    ? damagedError(project, error.details[0]?.problem ?? error.message.replace(/\.$/, ''))
    : error;

/** Whether the transaction of an earlier try was committed. */
async function isCommitted(
  client: PoolClient,
  { project, stream, tx }: { project: string; stream: string; tx: string },
): Promise<boolean> {
  await lockRow(client, project, stream);
  const asked = 'SELECT FROM dev_cli.entries WHERE project = $1 AND stream = $2 AND tx = $3';
  return ((await client.query(asked, [project, stream, tx])).rowCount ?? 0) > 0;
}

/** Writes what a commit changed in the image, in one statement. */
async function write(
  client: PoolClient,
  {
    project,
    stream,
    head,
    memory,
    tx,
  }: { project: string; stream: string; head: Head; memory: MemoryStoreData; tx: string },
): Promise<void> {
  const journal = memory.journals.get(stream) ?? Buffer.alloc(0);
  const lines = journal.subarray(Buffer.byteLength(head.last ?? ''));
  if (lines.length === 0) return;
  const snapshot = memory.snapshots.get(stream) ?? '';
  const { seq } = JSON.parse(snapshot) as { seq: number };
  const directory = `${LAYOUT.streams}/${stream}/`;
  const documents = [...memory.documents].filter(([path]) => path.startsWith(directory));
  const values = [
    ...[project, stream, seq, head.size, lines.toString('utf8'), tx, snapshot, lines.length],
    documents.map(([path]) => path.slice(directory.length)),
    documents.map(([, { content }]) => content),
    ...[[...memory.objects.keys()], [...memory.objects.values()]],
  ];
  await client.query(WRITE, values);
}

const WRITE = `
  WITH e AS (INSERT INTO dev_cli.entries VALUES ($1, $2, $3, $4, $5, $6)),
  d AS (INSERT INTO dev_cli.documents
    SELECT $1, path, $3, content FROM unnest($9::text[], $10::bytea[]) AS t (path, content)
    ON CONFLICT (project, path) DO UPDATE SET seq = excluded.seq, content = excluded.content),
  o AS (INSERT INTO dev_cli.objects
    SELECT $1, sha256, content FROM unnest($11::text[], $12::bytea[]) AS t (sha256, content) ON CONFLICT DO NOTHING)
  UPDATE dev_cli.streams SET seq = $3, size = $4::bigint + $8, snapshot = $7 WHERE project = $1 AND stream = $2`;
