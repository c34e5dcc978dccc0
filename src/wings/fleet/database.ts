import { Socket } from 'node:net';
import type { Pool as PgPool, PoolClient } from 'pg';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';

/** The database that a fleet shares: connections, transactions, and their errors (fleet.md, What a team starts). */

/** A pool of database connections. It does not keep the process alive. */
export interface Pool {
  query: PgPool['query'];
  connect: PgPool['connect'];
  end(): Promise<void>;
}

const MAJOR = '8';
/** The oldest PostgreSQL that has every feature used, as a `server_version_num`. */
const OLDEST = 150_000;
/** Milliseconds after which a suspended process loses the locks of its open transaction. */
const IDLE_IN_TRANSACTION = 5_000;
const CONNECT = 10_000;

/**
 * Opens the database. No error contains its address, which may hold a password.
 * @param url of the form postgresql://…
 * @throws DevCliError `FLEET_UNAVAILABLE`
 */
export async function openDatabase(url: string): Promise<Pool> {
  const { Pool: Connections } = loadDriver();
  let socket: Socket | undefined;
  const stream = (): Socket => {
    socket = new Socket();
    return socket;
  };
  const pool = new Connections({
    stream,
    ...{ connectionString: url, application_name: 'dev-cli', max: 4, allowExitOnIdle: true, idleTimeoutMillis: 5_000 },
    ...{ connectionTimeoutMillis: CONNECT, idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION },
    ...{ query_timeout: 30_000, keepAlive: true },
  });
  // Ignores connections that die while idle: the next query reports the failure or opens a new one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  let version = 0;
  try {
    const asked = "SELECT current_setting('server_version_num')::int AS version";
    const { rows } = await pool.query<{ version: number }>(asked);
    version = rows[0]?.version ?? 0;
    if (version >= OLDEST) return pool;
  } catch (error) {
    await pool.end();
    // If the server asks for a password and none is set, the driver leaves the connection open, and the process would
    // not exit.
    socket?.destroy();
    const told = toFleetError(error);
    throw told instanceof DevCliError ? told : fleetUnavailableError('its address cannot be used');
  }
  await pool.end();
  throw fleetUnavailableError(`it is PostgreSQL ${Math.floor(version / 10_000)}, and 15 or newer is needed`);
}

/**
 * Loads the driver by a plain `require`: the bundler's helpers for importing a foreign package would land in a file
 * that every call loads.
 */
function loadDriver(): typeof import('pg') {
  let found: string;
  try {
    const { version }: { version: string } = require('pg/package.json');
    if (version.split('.')[0] === MAJOR) return require('pg');
    found = `it is ${version}, and ${MAJOR} is needed`;
  } catch {
    found = 'it is not installed';
  }
  throw new DevCliError('FLEET_UNAVAILABLE', `The package pg cannot be used: ${found}.`, {
    details: [{ target: 'pg', problem: found }],
    fix: `Install it: npm i -g @dbos-inc/dbos-sdk@5 pg@${MAJOR}`,
  });
}

/** How many times a transaction is retried after a serialization failure or a deadlock. */
const TRIES = 5;
const APART = /^40(?:001|P01)$/;

/**
 * Runs work in one transaction, and again after a serialization failure or a deadlock; so it must change nothing but
 * the database. It is not retried if the connection breaks, since nobody knows whether the commit succeeded: the caller
 * must check that by the rows.
 * @throws DevCliError `FLEET_UNAVAILABLE`, and what `work` throws
 */
export async function withTransaction<A>(pool: Pool, work: (client: PoolClient) => Promise<A>): Promise<A> {
  for (let left = TRIES; ; left -= 1) {
    const client = await pool.connect().catch((error: unknown) => Promise.reject(toFleetError(error)));
    let broken: boolean = false;
    try {
      await client.query('BEGIN');
      const answer = await work(client);
      await client.query('COMMIT');
      return answer;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        broken = true;
      });
      if (left === 0 || !APART.test(readCode(error))) throw toFleetError(error);
    } finally {
      client.release(broken);
    }
  }
}

/** Runs one query as a transaction of its own. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function queryRows<Row extends object>(
  pool: Pick<Pool, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return (await pool.query<Row>(text, [...values])).rows;
    } catch (error) {
      if (left === 0 || !APART.test(readCode(error))) throw toFleetError(error);
    }
  }
}

/** Returns the error's five-character SQLSTATE or its system code; an empty string if it has neither. */
export const readCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The reason code of failures that may pass soon. */
const AWAY = 'database_away';

/** What errors mean, matched by their code or, if they have none, by a space followed by the message. */
const MEANINGS: readonly [RegExp, string, typeof AWAY?][] = [
  [/^28|^ .*(?:password|SASL|SCRAM)/, 'it refuses the user or the password'],
  [/^3D000/, 'it has no such database'],
  [/^42501/, 'the user lacks a right'],
  [/^(?:3F000|42P01)/, 'its schema dev_cli is incomplete'],
  [/^(?:53100|58030|ENOSPC)/, 'its disk is full'],
  [/^25006/, 'it is read-only'],
  [/^53/, 'it has no connections or memory left', AWAY],
  [/^55000/, 'it accepts no connections', AWAY],
  [/^(?:57P|25P0)/, 'it ended the connection', AWAY],
  [/^(?:08|ECONN|ENOTFOUND|EAI|EHOST|ENET|ETIMEDOUT|EPIPE)/, 'it cannot be reached', AWAY],
  [/^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_TLS|HOSTNAME_)/, 'its certificate is not trusted'],
  [/^ERR_SSL|^ .*(?:SSL|TLS)/, 'it does not speak TLS'],
  [/^ .*(?:[Cc]onnection|timeout|not queryable)/, 'it does not answer', AWAY],
];

/**
 * Converts errors of the database or its driver to a DevCliError; returns other errors unchanged. The cause is dropped:
 * it may contain the address.
 */
export function toFleetError(error: unknown): unknown {
  if (error instanceof DevCliError || !(error instanceof Error)) return error;
  const code = readCode(error);
  const asked = code === '' ? ` ${error.message}` : code;
  const [, meaning, reason] = MEANINGS.find(([pattern]) => pattern.test(asked)) ?? [];
  // A server's message names tables and privileges, and may be shown; one of the driver may contain the address.
  const isServers = 'severity' in error && error.severity !== undefined;
  if (meaning === undefined && !isServers) return error;
  return fleetUnavailableError(meaning ?? 'it refuses the request', { said: isServers ? error.message : null, reason });
}

/** Whether the failure may pass soon. */
export const isTemporarilyAway = (error: unknown): boolean =>
  error instanceof DevCliError && error.details.some(({ reason_code: reason }) => reason === AWAY);

/** Returns the error for an unusable database. @param details.said the server's message, which may be shown */
export function fleetUnavailableError(
  problem: string,
  { said = null, reason }: { said?: string | null; reason?: typeof AWAY | undefined } = {},
): DevCliError {
  const words = said === null ? problem : `${problem}: ${toBoundedLine(said, 300)}`;
  return new DevCliError('FLEET_UNAVAILABLE', `The database of the fleet cannot be used: ${words}.`, {
    details: [{ target: 'database', problem: words, ...(reason && { reason_code: reason }) }],
    fix: 'Make sure that it is running, and that `database` in fleet.yaml names it and a user with the needed rights; then repeat the same call.',
  });
}
