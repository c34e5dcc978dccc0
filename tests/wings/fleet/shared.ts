import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Caller } from '../../../src/base/caller.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { openWingStreams } from '../../../src/project/wing-streams.js';
import type { Replay } from '../../../src/store/store.js';
import { openDatabase, type Pool } from '../../../src/wings/fleet/database.js';
import { listEvents, STREAM_START, writeStreamDirectory } from '../../../src/wings/fleet/entries.js';
import { openNews } from '../../../src/wings/fleet/news.js';
import type { Loop } from '../../../src/wings/fleet/ports.js';
import { migrate } from '../../../src/wings/fleet/schema.js';
import { openStreams } from '../../../src/wings/fleet/streams.js';
import { FLEET_SIDE } from '../../../src/wings/loop/fleet-side.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { LOOP, LOOP_CODEC, type Streams } from '../../../src/wings/loop/streams.js';
import { createDatabase, dropDatabase } from '../../support/postgres.js';
import { scratchDirectory } from '../../support/scratch.js';
import { add, IDS } from '../loop/streams-suite.js';

/** A database shared by the tests of a file: with the fleet's schema, without the engine's. */
export interface Shared {
  url: string;
  pool: Pool;
}

export function useDatabase(): Shared {
  const shared: Partial<Shared> = {};
  beforeAll(async () => {
    shared.url = await createDatabase();
    shared.pool = await openDatabase(shared.url);
    await migrate(shared.pool, async () => {});
  });
  afterAll(async () => {
    await shared.pool?.end();
    if (shared.url !== undefined) await dropDatabase(shared.url);
  });
  return shared as Shared;
}

const caller: Caller = { kind: 'cli', via: 'cli' };

// FLEET_SIDE is declared with the fleet's narrower type of the loop (app/wings.ts), but these tests need the loop's.
const loop: unknown = FLEET_SIDE;
const { codec, empty, refuseOver } = loop as Loop;

/** Opens the loop's streams of a project. */
export function openProject(pool: Pool, project: string): Pick<Streams, 'read' | 'transact'> {
  const streams: unknown = openStreams({ pool, project, codec, empty, caller, refuseOver });
  return streams as Pick<Streams, 'read' | 'transact'>;
}

/** Opens the loop's streams of a project for a root to which news of the stream is delivered. */
export function openDesk(pool: Pool, project: string, root: string): Streams {
  const context = { root, reader: DISK_READER };
  const tellNews = openNews(context, { pool, project, codec, bringKept: async () => {} });
  return { ...openProject(pool, project), tellNews };
}

/** Lists the types of a project's events. */
export async function listTold(pool: Pool, project: string): Promise<string[]> {
  const { events } = await listEvents(pool, { project, codec }, STREAM_START);
  return events.map(({ event_type: type }) => String(type).replace('queue_', ''));
}

/** Replays the loop's stream of a root from its journal (storage.md, Recovery). */
export function replayLoop(root: string): Promise<Replay<LoopState>> {
  return openWingStreams({ root, noun: 'loop', codec: LOOP_CODEC, ids: IDS, clock: { now: () => Date.now() } }).replay(
    LOOP,
  );
}

/** Exports the stream of a project and replays it from its journal. */
export async function replayProject(pool: Pool, project: string): Promise<Replay<LoopState>> {
  const root = scratchDirectory('written-out');
  await writeStreamDirectory(pool, project, join(root, '.dev/loop'));
  return replayLoop(root);
}

/** Returns a recognizable change: it adds one to the number of a goal. */
export function begin(goal: string, documents: { path: string; content: string }[] = []) {
  return (state: LoopState) => ({ ...add(goal)(state), documents });
}

let count = 0;
/** Returns a project name that no other test uses. */
export const nameProject = (): string => `project-${++count}`;
