import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { startServer } from '../../support/postgres-server.mjs';
import { CHECKOUT } from '../../support/project.mjs';

// The server for tests of a fleet: a real PostgreSQL that starts when asked for and ends with the process that asked.

async function askFor<Row extends object>(url: string, question: string): Promise<Row | undefined> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(question)).rows[0];
  } finally {
    await client.end();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const WHERE = "SELECT current_setting('data_directory') AS data, pg_backend_pid() AS pid";

it('has what was committed when it is started again behind a hard stop, and nothing is left behind its end', async () => {
  const server = await startServer();
  const { data = '' } = (await askFor<{ data: string }>(server.url, WHERE)) ?? {};
  await askFor(server.url, 'CREATE TABLE kept AS SELECT 7 AS n');
  await server.kill();
  await expect(askFor(server.url, WHERE)).rejects.toThrow();
  await server.start();
  expect(await askFor(server.url, 'SELECT n FROM kept')).toEqual({ n: 7 });
  await server.stop();
  expect(existsSync(data)).toBe(false);
});

it('is gone with a process that was killed', async () => {
  const module = join(CHECKOUT, 'tests/support/postgres-server.mjs');
  const line = `const { startServer } = await import(${JSON.stringify(module)}); console.log((await startServer()).url); setInterval(() => {}, 1e6)`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', line], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  const { data = '', pid = 0 } = (await askFor<{ data: string; pid: number }>(String(url).trim(), WHERE)) ?? {};
  expect(existsSync(data)).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(data)).toBe(false);
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect(askFor(String(url).trim(), WHERE)).rejects.toThrow();
});
