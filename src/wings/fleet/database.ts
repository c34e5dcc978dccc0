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
  const pool = new Connections({
    ...{ connectionString: url, application_name: 'dev-cli', max: 4, allowExitOnIdle: true, idleTimeoutMillis: 5_000 },
    ...{ connectionTimeoutMillis: CONNECT, idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION },
    ...{ query_timeout: 30_000, keepAlive: true },
  });
  // A connection that dies while nobody uses it, or between two statements: the next use says so, or makes another one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const { rows } = await pool
    .query<{ version: number }>("SELECT current_setting('server_version_num')::int AS version")
    .catch((error: unknown) => fail(pool, error));
  const version = rows[0]?.version ?? 0;
  if (version >= OLDEST) return pool;
  await pool.end();
  throw unavailable(`it is PostgreSQL ${Math.floor(version / 10_000)}, and 15 or newer is needed`);
}

async function fail(pool: PgPool, error: unknown): Promise<never> {
  await pool.end();
  throw toFleetError(error);
}

/** By a plain `require`: what an import of a foreign package needs besides would lie in a file that every call loads. */
function loadDriver(): typeof import('pg') {
  try {
    return require('pg');
  } catch (cause) {
    throw new DevCliError(
      'FLEET_UNAVAILABLE',
      'The package pg, which speaks to the database of the fleet, is not here.',
      {
        fix: `Install it: npm i -g @dbos-inc/dbos-sdk@5 pg@${MAJOR}`,
        cause,
      },
    );
  }
}

/** How often a transaction is tried that two wanted at once. */
const TRIES = 5;

/**
 * Runs work in one transaction. It is begun anew where it could not be had together with another one, so it changes nothing but the
 * database. One whose end nobody saw is not: whoever asked looks at the row what became of it.
 * @throws DevCliError `FLEET_UNAVAILABLE`, and what `work` throws
 */
export async function withTransaction<A>(pool: Pool, work: (client: PoolClient) => Promise<A>): Promise<A> {
  for (let left = TRIES; ; left -= 1) {
    const client = await pool.connect().catch((error: unknown) => Promise.reject(toFleetError(error)));
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const answer = await work(client);
      await client.query('COMMIT');
      return answer;
    } catch (error) {
      await client.query('ROLLBACK').catch((cause: unknown) => {
        broken = cause instanceof Error ? cause : new Error('the connection is gone');
      });
      if (left > 0 && /^40(?:001|P01)$/.test(readCode(error))) continue;
      throw toFleetError(error);
    } finally {
      client.release(broken);
    }
  }
}

/** Asks one question. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function ask<Row extends object>(
  pool: Pick<Pool, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  try {
    return (await pool.query<Row>(text, [...values])).rows;
  } catch (error) {
    throw toFleetError(error);
  }
}

const readCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** What the codes of the database and of the system mean to people. */
const MEANINGS: readonly [RegExp, string][] = [
  [/^28/, 'it refuses the user or the password'],
  [/^3D000/, 'it has no such database'],
  [/^42501/, 'the user lacks a right'],
  [/^(?:3F000|42P01)/, 'its schema dev_cli is not there'],
  [/^(?:53100|58030)/, 'its disk is full'],
  [/^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_TLS)/, 'its certificate is not trusted'],
];

/** What passes by itself: it is restarted, or the way to it is cut. */
const AWAY: readonly [RegExp, string][] = [
  [/^53300/, 'it takes no more connections'],
  [/^57P/, 'it is being started or stopped'],
  [/^(?:08|ECONN|ENOTFOUND|EAI|EHOST|ENETUNREACH|ETIMEDOUT|EPIPE)/, 'it cannot be reached'],
  // What the driver says without a code.
  [/^$/, 'it does not answer'],
];

/** Whether the database may be there again a moment later. */
export const isAway = (error: unknown): boolean =>
  error instanceof DevCliError &&
  error.code === 'FLEET_UNAVAILABLE' &&
  AWAY.some(([, meaning]) => error.details.some(({ problem }) => problem.startsWith(meaning)));

/** What the database says as an error of dev-cli; others stay as they are. The cause is left out: it may have the address. */
export function toFleetError(error: unknown): unknown {
  if (error instanceof DevCliError || !(error instanceof Error)) return error;
  const code = readCode(error);
  if (code === '' && !/connection|timeout|SSL|terminated|password/i.test(error.message)) return error;
  const [, meaning] = [...MEANINGS, ...AWAY].find(([pattern]) => pattern.test(code)) ?? [];
  const isTold = code === '42501' || code === '' || meaning === undefined;
  return unavailable(meaning ?? 'it refuses what is asked', isTold ? error.message : null);
}

function unavailable(problem: string, said: string | null = null): DevCliError {
  const words = said === null ? '' : `: ${toBoundedLine(said.replace(/:\/\/[^\s/]*@/g, '://'), 300)}`;
  return new DevCliError('FLEET_UNAVAILABLE', `The database of the fleet cannot be used: ${problem}${words}.`, {
    details: [{ target: 'database', problem: `${problem}${words}` }],
    fix: 'See that it runs, and that `database` of fleet.yaml leads to it as a user who may; then repeat the same call.',
  });
}
