import { Socket } from 'node:net';
import type { Pool as PgPool, PoolClient } from 'pg';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';

/** The database that a fleet shares: connections, transactions, and what goes wrong with them (fleet.md, What a team starts). */

/** What queries go to; it closes itself with the process. */
export interface Pool {
  query: PgPool['query'];
  connect: PgPool['connect'];
  end(): Promise<void>;
}

const MAJOR = '8';
/** The first that has all that is asked for, as `server_version_num` says it. */
const OLDEST = 150_000;
/** A stopped process lets go of what it holds after so many milliseconds. */
const IDLE_IN_TRANSACTION = 5_000;
const CONNECT = 10_000;

/**
 * Opens the database. Its address, which may hold a password, is in no error.
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
  // One that dies while nobody waits for its answer: the next use of it says so, or makes another one.
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
    // The driver leaves one open in which it has no password to say, and the process would wait for the server.
    socket?.destroy();
    const told = toFleetError(error);
    throw told instanceof DevCliError ? told : fleetUnavailableError('its address cannot be used');
  }
  await pool.end();
  throw fleetUnavailableError(`it is PostgreSQL ${Math.floor(version / 10_000)}, and 15 or newer is needed`);
}

/** By a plain `require`: what an import of a foreign package needs besides would lie in a file that every call loads. */
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

/** How often a transaction is tried that could not be had together with another one. */
const TRIES = 5;
const APART = /^40(?:001|P01)$/;

/**
 * Runs work in one transaction, anew where it could not be had together with another one: so it changes nothing but the database. One
 * whose connection goes is not tried again, since nobody saw whether it was committed: that is for whoever can tell by the rows.
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

/** Asks one question, which is a transaction of its own. @throws DevCliError `FLEET_UNAVAILABLE` */
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

/** The code of the database, five signs, or of the system; empty where an error has none. */
export const readCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** That the database may be back in a moment. */
const AWAY = 'database_away';

/** What errors of the driver mean to people, by their codes, or their words where they have none. */
const MEANINGS: readonly [RegExp, string, typeof AWAY?][] = [
  [/^28|^ .*(?:password|SASL|SCRAM)/, 'it refuses the user or the password'],
  [/^3D000/, 'it has no such database'],
  [/^42501/, 'the user lacks a right'],
  [/^(?:3F000|42P01)/, 'its schema dev_cli is not whole'],
  [/^(?:53100|58030|ENOSPC)/, 'its disk is full'],
  [/^25006/, 'it only reads'],
  [/^53/, 'it takes no more', AWAY],
  [/^55000/, 'it lets nobody in', AWAY],
  [/^(?:57P|25P0)/, 'it ended the connection', AWAY],
  [/^(?:08|ECONN|ENOTFOUND|EAI|EHOST|ENET|ETIMEDOUT|EPIPE)/, 'it cannot be reached', AWAY],
  [/^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_TLS|HOSTNAME_)/, 'its certificate is not trusted'],
  [/^ERR_SSL|^ .*(?:SSL|TLS)/, 'it does not speak TLS'],
  [/^ .*(?:[Cc]onnection|timeout|not queryable)/, 'it does not answer', AWAY],
];

/** What the database or its driver says as an error of dev-cli; others stay as they are. The cause is left out: it may have the address. */
export function toFleetError(error: unknown): unknown {
  if (error instanceof DevCliError || !(error instanceof Error)) return error;
  const code = readCode(error);
  const asked = code === '' ? ` ${error.message}` : code;
  const [, meaning, reason] = MEANINGS.find(([pattern]) => pattern.test(asked)) ?? [];
  // What the server says itself names tables and rights; what the driver says may be made of the address.
  const isServers = 'severity' in error && error.severity !== undefined;
  if (meaning === undefined && !isServers) return error;
  return fleetUnavailableError(meaning ?? 'it refuses', { said: isServers ? error.message : null, reason });
}

/** Whether what went wrong may be over in a moment. */
export const isTemporarilyAway = (error: unknown): boolean =>
  error instanceof DevCliError && error.details.some(({ reason_code: reason }) => reason === AWAY);

/** The refusal to go on without what is said. @param words of the server: what it refuses, or which right is lacking */
export function fleetUnavailableError(
  problem: string,
  { said = null, reason }: { said?: string | null; reason?: typeof AWAY | undefined } = {},
): DevCliError {
  const words = said === null ? problem : `${problem}: ${toBoundedLine(said, 300)}`;
  return new DevCliError('FLEET_UNAVAILABLE', `The database of the fleet cannot be used: ${words}.`, {
    details: [{ target: 'database', problem: words, ...(reason && { reason_code: reason }) }],
    fix: 'See that it runs, and that `database` of fleet.yaml leads to it as a user who may; then repeat the same call.',
  });
}
