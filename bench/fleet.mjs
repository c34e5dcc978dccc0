// What a fleet costs: transactions of the loop's stream compared with those on a disk, and an attempt compared with one
// machine alone.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { createFleet } from '../tests/support/fleet.mjs';
import { makeDatabase, startServer } from '../tests/support/postgres-server.mjs';
import { ratio } from './measure.mjs';

const ENTRIES = 10_000;
/** Goals that are worked on one after another. */
const GOALS = 8;
/** How long an idle worker is watched to count its transactions, in seconds. */
const IDLE = 20;

export async function fleet({ rounds }) {
  const server = await startServer({ durable: true });
  try {
    const streams = measureStreams(await makeDatabase(server.url, 'streams'), rounds);
    const { alone, shared, idle } = await measureGoals(await makeDatabase(server.url, 'goals'));
    return {
      title: `A fleet, PostgreSQL on the loopback, ${rounds} commits each, ${GOALS} goals`,
      rows: [
        ratio('a commit of the stream, with 1.5 kB, against the directory', 2.5, streams.shared, streams.disk),
        ratio(`the same behind ${ENTRIES} entries, against the first`, 1.3, streams.late, streams.shared),
        ratio('an accepted attempt by one worker, against auto alone', 2.5, shared, alone),
        ['transactions of an idle worker', 8, idle, { unit: '/s' }],
      ],
    };
  } finally {
    await server.stop();
  }
}

function measureStreams(url, rounds) {
  const outfile = join(import.meta.dirname, '../node_modules/.dev-cli/fleet-streams.cjs');
  buildSync({
    ...{ entryPoints: [join(import.meta.dirname, 'fleet-streams.ts')], outfile, bundle: true, platform: 'node' },
    ...{ format: 'cjs', external: ['ajv', 'ajv/*', 'pg', '@dbos-inc/*'], mainFields: ['module', 'main'] },
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'error',
  });
  return JSON.parse(
    execFileSync(process.execPath, [outfile, url, String(rounds), String(ENTRIES)], { encoding: 'utf8' }),
  );
}

/** Measures the same goals alone and in a fleet of one worker; each goal only writes a file. */
async function measureGoals(url) {
  const made = createFleet({ url, lease: 60 });
  const ids = Array.from({ length: GOALS }, (_, at) => `g${at}`);
  const goals = ids.map((id) => `  - { id: ${id}, title: "Goal ${id}", status: active }\n`).join('');
  const sessions = Object.fromEntries(ids.map((id) => [id, [{ write: { [`${id}.txt`]: `${id}\n` } }]]));
  try {
    const lone = made.addProject('alone', { goals, sessions, isAlone: true });
    const { trust } = made.call(lone, 'auto', '--recursive', '--dry-run', '--json').json;
    const timed = (work) => {
      const begun = performance.now();
      work();
      return (performance.now() - begun) / GOALS;
    };
    const alone = timed(() => expectDone(made.call(lone, 'auto', '--recursive', '--trust', trust.digest)));
    const desk = made.addProject('shared', { goals, sessions });
    expectDone(made.call(desk, 'fleet', 'init'));
    const worker = made.start(made.addMachine('one', { slots: 1 }), 'fleet', 'worker');
    await sleep(4_000);
    const shared = timed(() => expectDone(made.call(desk, 'auto', '--recursive', '--fleet')));
    await sleep(10_000);
    const idle = await countTransactions(url);
    worker.kill();
    await worker.ended;
    return { alone, shared, idle };
  } finally {
    await made.end();
  }
}

function expectDone({ exit, stderr }) {
  if (exit !== 0) throw new Error(stderr);
}

async function countTransactions(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const count = async () => {
    await client.query('SELECT pg_stat_clear_snapshot()');
    const asked = 'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()';
    return Number((await client.query(asked)).rows[0].n);
  };
  const before = await count();
  await sleep(IDLE * 1_000);
  const after = await count();
  await client.end();
  return (after - before) / IDLE;
}
