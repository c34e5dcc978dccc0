import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../base/json.js';
import { createMemory, createMemoryStore } from '../../store/memory.js';
import type { Codec } from '../../store/store.js';
import { ask, type Pool } from './database.js';
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
export function listDocuments(
  pool: Pool,
  project: string,
  { after }: Seen,
): Promise<{ path: string; content: string }[]> {
  return ask(
    pool,
    'SELECT path, content FROM dev_cli.documents WHERE project = $1 AND seq > $2 AND content IS NOT NULL ORDER BY path',
    [project, after],
  );
}

/**
 * Writes a stream out as a directory that every reader of a stream takes (journal-format.md, Files).
 * @param directory absolute; nothing is there yet
 * @returns how many entries it has
 * @throws DevCliError `FLEET_UNAVAILABLE`, `IO`
 */
export async function writeOut(pool: Pool, project: string, directory: string): Promise<number> {
  const [stream] = await ask<{ seq: string; snapshot: string | null }>(
    pool,
    'SELECT seq, snapshot FROM dev_cli.streams WHERE project = $1 AND stream = $2',
    [project, LOOP],
  );
  const entries = await ask<{ lines: string }>(
    pool,
    'SELECT lines FROM dev_cli.entries WHERE project = $1 AND stream = $2 AND seq <= $3 ORDER BY seq',
    [project, LOOP, stream?.seq ?? 0],
  );
  const objects = await ask<{ sha256: string; content: Buffer }>(
    pool,
    'SELECT sha256, content FROM dev_cli.objects WHERE project = $1',
    [project],
  );
  const files: [string, string | Buffer][] = [
    [LAYOUT.names.journal, entries.map(({ lines }) => lines).join('')],
    [LAYOUT.names.snapshot, stream?.snapshot ?? ''],
    ...(await listDocuments(pool, project, { after: 0 })).map(({ path, content }): [string, string] => [path, content]),
    ...objects.map(({ sha256, content }): [string, Buffer] => [`${LAYOUT.names.objects}/${sha256}`, content]),
  ];
  for (const [path, content] of files) {
    if (path.split('/').includes('..')) continue;
    const target = join(directory, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, content, { mode: 0o600 });
  }
  return Number(stream?.seq ?? 0);
}
