import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { DevCliError } from '../../../src/base/errors.js';
import {
  isTemporarilyAway,
  openDatabase,
  queryRows,
  toFleetError,
  withTransaction,
} from '../../../src/wings/fleet/database.js';
import { useDatabase } from './shared.js';

// The error for a refused database says why in helpful words, and keeps the address secret (fleet.md, What a team
// starts).

const shared = useDatabase();

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const PASSWORD = 'p4ss-w0rd/"ü';

/** Returns the address of the database with some parts changed. */
function change(
  parts: Partial<Record<'username' | 'password' | 'hostname' | 'port' | 'pathname', string>>,
  settings: Record<string, string> = {},
): string {
  const url = Object.assign(new URL(shared.url), parts);
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value);
  return url.href;
}

/** Opens an address that has to be refused. Returns the error. */
async function refuse(url: string): Promise<DevCliError> {
  const before = countSockets();
  const error: unknown = await openDatabase(url).then(
    (pool) => pool.end(),
    (cause: unknown) => cause,
  );
  expect(error).toMatchObject({ code: 'FLEET_UNAVAILABLE' });
  const { password, href } = new URL(url);
  for (const secret of [href, password, decodeURIComponent(password), PASSWORD])
    if (secret !== '') expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  // The refused connection leaves no socket open, which would keep the process alive.
  await expect.poll(countSockets).toBeLessThanOrEqual(before);
  return error as DevCliError;
}

const countSockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

/** Starts a proxy that changes what the server sends. @returns the port */
async function standBetween(change: (said: string) => string): Promise<number> {
  const { hostname, port } = new URL(shared.url);
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => client.write(Buffer.from(change(data.toString('latin1')), 'latin1')));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a database that cannot be used', () => {
  it.each([
    ['a wrong password', { password: PASSWORD }, {}, 'it refuses the user or the password: password authentication'],
    ['no password', { password: '' }, {}, 'it refuses the user or the password.'],
    ['an unknown user', { username: 'unknown' }, {}, 'it refuses the user or the password: password authentication'],
    ['an unknown database', { pathname: '/nowhere' }, {}, 'it has no such database: database "nowhere"'],
    ['an unknown host', { hostname: 'nowhere.invalid' }, {}, 'it cannot be reached.'],
    ['a server without TLS', {}, { sslmode: 'verify-full' }, 'it does not speak TLS.'],
    ['no such certificate', {}, { sslrootcert: '/nowhere/ca.pem' }, 'its address cannot be used.'],
  ])('is told of, without its address: %s', async (_what, parts, settings, problem) => {
    const { message } = await refuse(change(parts, settings));
    expect(message).toContain(`The database of the fleet cannot be used: ${problem}`);
  });

  it('nobody listens where it should be', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const error = await refuse(change({ port: String(port), hostname: '127.0.0.1' }));
    expect([error.message, isTemporarilyAway(error)]).toEqual([
      'The database of the fleet cannot be used: it cannot be reached.',
      true,
    ]);
  });

  it('is one that says nothing', async () => {
    const server = createServer((client) => client.end()).listen(0, '127.0.0.1');
    closing.push(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect((await refuse(change({ port: String(port), hostname: '127.0.0.1' }))).message).toContain(
      'it does not answer',
    );
  });

  it('is older than what is needed', async () => {
    const [row] = await queryRows<{ v: string }>(shared.pool, "SELECT current_setting('server_version_num') AS v");
    const port = await standBetween((said) => said.replaceAll(row?.v ?? '', '140009'));
    const { message } = await refuse(change({ port: String(port), hostname: '127.0.0.1' }));
    expect(message).toContain('it is PostgreSQL 14, and 15 or newer is needed');
  });

  it('has an address that is none', async () => {
    for (const url of [`postgresql://owner:${PASSWORD}@host:port/x`, `owner:${PASSWORD}`]) {
      const error: unknown = await openDatabase(url).catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'FLEET_UNAVAILABLE' });
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(PASSWORD);
    }
  });
});

/** Makes the database raise an error with a given code. */
const raise = (code: string, said: string): Promise<unknown> =>
  queryRows(shared.pool, `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}', MESSAGE = '${said}'; END $$`).catch(
    (error: unknown) => error,
  );

it('says what the server says: a full disk, a right, a table; and which of it may be over in a moment', async () => {
  const told = async (code: string, said: string): Promise<[string, boolean]> => {
    const error = await raise(code, said);
    return [
      (error as DevCliError).message.replace('The database of the fleet cannot be used: ', ''),
      isTemporarilyAway(error),
    ];
  };
  expect(await told('53100', 'could not extend file')).toEqual(['its disk is full: could not extend file.', false]);
  expect(await told('42501', 'permission denied for table streams')).toEqual([
    'the user lacks a right: permission denied for table streams.',
    false,
  ]);
  expect(await told('42P01', 'no relation')).toEqual(['its schema dev_cli is incomplete: no relation.', false]);
  expect(await told('22012', 'division by zero')).toEqual(['it refuses the request: division by zero.', false]);
  expect(await told('25006', 'read-only transaction')).toEqual(['it is read-only: read-only transaction.', false]);
  expect(await told('53300', 'too many clients')).toEqual([
    'it has no connections or memory left: too many clients.',
    true,
  ]);
  expect(await told('57P03', 'starting up')).toEqual(['it ended the connection: starting up.', true]);
  expect(await told('55000', 'not accepting')).toEqual(['it accepts no connections: not accepting.', true]);
});

it('knows a certificate that is not trusted, and leaves what is no matter of the database as it is', () => {
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(toFleetError(error)).toMatchObject({ message: expect.stringContaining('its certificate is not trusted') });
  for (const other of [new TypeError('x is not a function'), 'text', null]) expect(toFleetError(other)).toBe(other);
});

describe('a transaction', () => {
  it('is begun anew where it could not be had together with another, and nothing is left of the first', async () => {
    const { pool } = shared;
    await queryRows(pool, 'CREATE TABLE pairs (id int PRIMARY KEY, n int NOT NULL)');
    await queryRows(pool, 'INSERT INTO pairs VALUES (1, 0), (2, 0)');
    let tries = 0;
    const add = (ids: readonly [number, number]): Promise<void> =>
      withTransaction(pool, async (client) => {
        tries += 1;
        for (const id of ids) {
          await client.query('UPDATE pairs SET n = n + 1 WHERE id = $1', [id]);
          await client.query('SELECT pg_sleep(0.1)');
        }
      });
    await Promise.all([add([1, 2]), add([2, 1])]);
    expect(await queryRows(pool, 'SELECT n FROM pairs')).toEqual([{ n: 2 }, { n: 2 }]);
    expect(tries).toBeGreaterThan(2);
  });

  it('lets go of what it holds when its work fails', async () => {
    const { pool } = shared;
    for (let count = 0; count < 10; count++) {
      const failing = withTransaction(pool, async (client) => {
        await client.query('CREATE TABLE half (id int)');
        throw new Error('not so');
      });
      await expect(failing).rejects.toThrow('not so');
    }
    expect(await queryRows(pool, "SELECT FROM pg_tables WHERE tablename = 'half'")).toEqual([]);
  });
});
