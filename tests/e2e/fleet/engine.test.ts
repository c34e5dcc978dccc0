import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { type Engine, type EngineOptions, launchEngine, migrateEngine } from '../../../src/wings/fleet/engine.js';
import { createDatabase } from '../../support/postgres.js';
import { scratchDirectory } from '../../support/scratch.js';

// The engine on a real PostgreSQL (fleet.md, An attempt).

const CARRIED = { project: 'api', attempt: 'g#1', claim: 'c1' };
const isFinal = (error: unknown) => error instanceof DevCliError && error.code === 'CLAIM_REFUSED';

let database: string;
let told: string[];
let engine: Engine | null;

beforeEach(async () => {
  database = await createDatabase();
  told = [];
  engine = null;
  await migrateEngine({ url: database, version: 1, log });
});

afterEach(async () => {
  await engine?.stop();
});

const log = (line: string): void => void told.push(line);

const launch = async (leg: EngineOptions['leg'], more: Partial<EngineOptions> = {}): Promise<Engine> => {
  engine = await launchEngine({
    url: database,
    worker: 'w1',
    version: 1,
    log,
    isFinal,
    backoff: 0.1,
    leg,
    ...more,
  });
  return engine;
};

test('an attempt has legs until one says that it is over', async () => {
  const legs: string[] = [];
  const { start } = await launch(async ({ attempt, claim }) =>
    legs.push(`${attempt} ${claim}`) < 3 ? 'again' : 'over',
  );
  await start(CARRIED);
  expect(legs).toEqual(['g#1 c1', 'g#1 c1', 'g#1 c1']);
  expect(await listRows()).toEqual(['api:g#1:c1@1 SUCCESS w1']);
});

test('a leg that throws is repeated, one that is refused is not, and the last error is the caller’s', async () => {
  let legs = 0;
  const { start } = await launch(
    async ({ claim }) => {
      legs += 1;
      if (claim === 'late') throw new DevCliError('CLAIM_REFUSED', 'Its time is over.');
      if (claim === 'never' || legs < 3) throw new Error(`no ${legs}`);
      return 'over';
    },
    { backoff: 0.01 },
  );
  await start(CARRIED);
  expect(legs).toBe(3);
  await expect(start({ ...CARRIED, claim: 'late' })).rejects.toMatchObject({ code: 'CLAIM_REFUSED' });
  expect(legs).toBe(4);
  await expect(start({ ...CARRIED, claim: 'never' })).rejects.toThrow('no 12');
});

test('a cancelled one ends after the leg at work, without an error', async () => {
  let legs = 0;
  const { start, cancel } = await launch(async () => {
    legs += 1;
    if (legs === 2) await cancel([CARRIED, { ...CARRIED, claim: 'unknown' }]);
    return 'again';
  });
  await start(CARRIED);
  expect(legs).toBe(2);
  expect(await listRows()).toEqual(['api:g#1:c1@1 CANCELLED w1']);
});

test('what a killed worker had is cancelled by another, and its own next process has nothing to do', async () => {
  const kill = await beginWorker('w2');
  await kill();
  const other = await launch(async () => 'over');
  await other.cancel([CARRIED]);
  expect(await listRows()).toEqual(['api:g#1:c1@1 CANCELLED w2']);
  await other.stop();
  const leg = vi.fn(async () => 'over' as const);
  const { start } = await launch(leg, { worker: 'w2' });
  await start(CARRIED);
  expect(leg).not.toHaveBeenCalled();
});

test('what a killed worker had is taken up by its own next process, once, however often it is started', async () => {
  const kill = await beginWorker('w2');
  await kill();
  const leg = vi.fn(async () => 'over' as const);
  const { start } = await launch(leg, { worker: 'w2' });
  await Promise.all([start(CARRIED), start(CARRIED)]);
  expect(leg).toHaveBeenCalledTimes(1);
});

test('what was recovered and is refused ends without a word', async () => {
  const kill = await beginWorker('w2');
  await kill();
  await launch(() => Promise.reject(new DevCliError('CLAIM_REFUSED', 'Its time is over.')), { worker: 'w2' });
  await expect.poll(listRows).toEqual(['api:g#1:c1@1 SUCCESS w2']);
  expect(told).toEqual([]);
});

test('the database goes away in a leg and comes back: the leg counts, and nothing is rejected unheard', async () => {
  const line = await openLine(database);
  let legs = 0;
  const { start } = await launch(
    async () => {
      legs += 1;
      if (legs === 1) line.cut();
      if (legs === 1) setTimeout(() => line.mend(), 3_000);
      return legs < 3 ? 'again' : 'over';
    },
    { url: line.url },
  );
  await start(CARRIED);
  expect(legs).toBe(3);
  expect(told.length).toBeLessThan(20);
  expect(told.join()).not.toContain('postgres:');
  await engine?.stop();
  line.cut();
});

test('the engine’s schema is dropped in a leg: the caller is told how to make it again', async () => {
  const { start, cancel } = await launch(async ({ claim }) => {
    if (claim === 'c1') await query('drop schema dbos cascade');
    return 'again';
  });
  const refusal = { code: 'FLEET_VERSION', fix: [{ command: 'fleet init' }] };
  await expect(start(CARRIED)).rejects.toMatchObject(refusal);
  await expect(start({ ...CARRIED, claim: 'c2' })).rejects.toMatchObject(refusal);
  await expect(cancel([CARRIED])).rejects.toMatchObject(refusal);
  await engine?.stop();
  await expect(launch(async () => 'over')).rejects.toMatchObject(refusal);
  await migrateEngine({ url: database, version: 1, log });
  await (await launch(async () => 'over')).start(CARRIED);
});

test('a stopped engine leaves what it has to the next one', async () => {
  let end = (): void => {};
  const begun = new Promise<void>((resolve) => {
    void launch(() => {
      resolve();
      return new Promise((ended) => (end = () => ended('over')));
    }).then(({ start }) => start(CARRIED).then(() => told.push('ended')));
  });
  await begun;
  await engine?.stop();
  end();
  await expect.poll(() => told.at(-1)).toBe('ended');
  expect(await listRows()).toEqual(['api:g#1:c1@1 PENDING w1']);
});

test('a wrong URL is told without it', async () => {
  const url = 'postgresql://somebody:secret@127.0.0.1:9/nothing';
  const error = await launch(async () => 'over', { url }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'FLEET_UNAVAILABLE', message: expect.stringContaining('it cannot be reached') });
  expect(JSON.stringify([error, told, String((error as DevCliError).cause)])).not.toMatch(/secret|somebody/);
});

test('an engine with nothing to do leaves the worker room below 8 transactions a second', async () => {
  const line = await openLine(database);
  await launch(async () => 'over', { url: line.url });
  const [before, from] = [line.count(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const rate = (line.count() - before) / ((performance.now() - from) / 1_000);
  expect(rate).toBeLessThan(6);
  await expect.poll(() => line.count()).toBeGreaterThan(before + 5);
  await engine?.stop();
  line.cut();
});

/** A worker that never ends its first leg (one stretch of an attempt); it writes a file once the leg has begun. */
const WORKER = `
  import { writeFileSync } from 'node:fs';
  import { launchEngine } from './engine.js';
  const [url, worker, told] = process.argv.slice(2);
  const leg = async () => {
    writeFileSync(told, 'begun');
    await new Promise(() => {});
  };
  const launched = launchEngine({ url, worker, version: 1, log: () => {}, isFinal: () => false, leg });
  void launched.then(({ start }) => start(${JSON.stringify(CARRIED)}));
`;

/** Starts a worker in a process of its own, at work on `CARRIED`. @returns a function that kills it */
async function beginWorker(worker: string): Promise<() => Promise<void>> {
  const scratch = scratchDirectory('engine-');
  const file = join(scratch, 'told');
  const script = join(scratch, 'worker.cjs');
  const stdin = {
    contents: WORKER,
    resolveDir: join(import.meta.dirname, '../../../src/wings/fleet'),
    loader: 'ts',
  } as const;
  buildSync({ stdin, outfile: script, bundle: true, platform: 'node', format: 'cjs', packages: 'external' });
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(scratch, 'node_modules'));
  const child = spawn(process.execPath, [script, database, worker, file], { stdio: 'inherit' });
  await expect.poll(() => existsSync(file)).toBe(true);
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

/** Opens a proxy to the database that can be cut, and that counts ended transactions. */
async function openLine(url: string): Promise<{ url: string; cut(): void; mend(): void; count(): number }> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let ended = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [near, far].map((one) => one.destroy()));
    }
    near.pipe(far).pipe(near);
    // Counts the server's messages ReadyForQuery with status I (idle): one follows each transaction that has ended.
    far.on('data', (bytes: Buffer) => (ended += bytes.toString('latin1').split('Z\0\0\0\u0005I').length - 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mine = server.address() as AddressInfo;
  const through = new URL(url);
  through.host = `127.0.0.1:${mine.port}`;
  return {
    url: through.href,
    count: () => ended,
    cut: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    mend: () => void server.listen(mine.port, '127.0.0.1'),
  };
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql).finally(() => client.end());
  return rows;
}

async function listRows(): Promise<unknown[]> {
  const rows = await query(
    `select workflow_uuid || ' ' || status || ' ' || executor_id as line from dbos.workflow_status order by 1`,
  );
  return rows.map(({ line }) => line);
}
