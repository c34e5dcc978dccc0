// Measures a transaction of the loop's stream in a database and on a disk. bench/fleet.mjs bundles and runs it. Prints
// JSON.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/wings/fleet/database.js';
import type { Loop } from '../src/wings/fleet/ports.js';
import { migrate } from '../src/wings/fleet/schema.js';
import { openStreams } from '../src/wings/fleet/streams.js';
import { FLEET_SIDE } from '../src/wings/loop/fleet-side.js';
import type { LoopState } from '../src/wings/loop/state-schema.js';
import { LOOP, openLoop, type Streams } from '../src/wings/loop/streams.js';

async function measure(): Promise<void> {
  const [url = '', given = '100', length = '10000'] = process.argv.slice(2);
  const rounds = Number(given);
  const CALLER = { kind: 'cli', via: 'cli' } as const;
  const { codec, empty, refuseOver } = FLEET_SIDE as unknown as Loop;
  const pool = await openDatabase(url);
  await migrate(pool, async () => void (await pool.query('CREATE SCHEMA IF NOT EXISTS dbos')));
  const root = mkdtempSync(join(tmpdir(), 'dev-cli-bench-'));
  const ids = { hex: (size: number) => randomBytes(size).toString('hex').slice(0, size) };
  const disk = openLoop({ root, clock: { now: () => Date.now() }, ids, caller: CALLER });
  type Plain = Pick<Streams, 'transact'>;
  const shared = openStreams({ pool, project: 'bench', codec, empty, caller: CALLER, refuseOver }) as unknown as Plain;

  let count = 0;
  const commit = (streams: Plain): Promise<number> =>
    streams.transact(LOOP, (state: LoopState) => {
      count += 1;
      const goals = { ...state.goals, [`g${count % 24}`]: { n: count, counted: 0, notes: [] } };
      const documents = [{ path: `attempts/g/${count}/verdict.json`, content: randomBytes(750).toString('hex') }];
      return { answer: count, state: { ...state, goals }, entry: { type: 'counted', data: {} }, documents };
    });
  const time = async (streams: Plain): Promise<number> => {
    const begun = performance.now();
    await commit(streams);
    return performance.now() - begun;
  };
  const median = (all: number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

  const kinds = (): ['disk' | 'shared', Plain][] => [
    ['disk', disk],
    ['shared', shared],
  ];
  const times = { disk: [] as number[], shared: [] as number[], late: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, streams] of Math.random() < 0.5 ? kinds() : kinds().reverse())
      times[name].push(await time(streams));
  }
  while (count < Number(length)) await commit(shared);
  for (let round = 0; round < rounds; round += 1) times.late.push(await time(shared));
  console.log(JSON.stringify({ disk: median(times.disk), shared: median(times.shared), late: median(times.late) }));
  rmSync(root, { recursive: true });
  await pool.end();
}

void measure();
