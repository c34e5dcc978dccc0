import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { DevCliError } from '../../base/errors.js';
import { fleetUnavailableError, type Pool, queryRows, readCode, toFleetError, withTransaction } from './database.js';

/**
 * The tables of a fleet and the privileges on them (fleet.md, Upgrades). Each step only adds, so that old and new
 * versions run side by side.
 */

/** One step per version, in order. */
const STEPS: readonly string[] = [
  `CREATE TABLE dev_cli.projects (
     project text PRIMARY KEY, origin text NOT NULL, desk text, desk_until timestamptz);
   CREATE TABLE dev_cli.streams (
     project text NOT NULL, stream text NOT NULL, seq bigint NOT NULL, size bigint NOT NULL, snapshot text,
     PRIMARY KEY (project, stream));
   CREATE TABLE dev_cli.entries (
     project text NOT NULL, stream text NOT NULL, seq bigint NOT NULL, at_byte bigint NOT NULL, lines text NOT NULL,
     tx uuid NOT NULL, PRIMARY KEY (project, stream, seq));
   CREATE TABLE dev_cli.documents (
     project text NOT NULL, path text NOT NULL, seq bigint NOT NULL, content bytea NOT NULL, PRIMARY KEY (project, path));
   CREATE INDEX ON dev_cli.documents (project, seq);
   CREATE TABLE dev_cli.objects (
     project text NOT NULL, sha256 text NOT NULL, content bytea NOT NULL, PRIMARY KEY (project, sha256));
   CREATE TABLE dev_cli.leases (
     project text NOT NULL, id text NOT NULL, goal text NOT NULL, worker text NOT NULL, role text NOT NULL, key text,
     status text NOT NULL, created timestamptz NOT NULL, expires timestamptz NOT NULL, closed timestamptz, reason text,
     goal_status text, PRIMARY KEY (project, id));
   CREATE UNIQUE INDEX ON dev_cli.leases (project, goal) WHERE status = 'active';
   CREATE INDEX ON dev_cli.leases (project, closed);
   CREATE INDEX ON dev_cli.leases (worker) WHERE status = 'active';
   CREATE TABLE dev_cli.workers (
     worker text PRIMARY KEY, process text NOT NULL, host text NOT NULL, version int NOT NULL, cli_version text NOT NULL,
     slots int NOT NULL, projects json NOT NULL, passed json NOT NULL DEFAULT '{}', started timestamptz NOT NULL,
     beat timestamptz NOT NULL);
   CREATE TABLE dev_cli.freight (
     project text NOT NULL, goal text NOT NULL, n int NOT NULL, run text NOT NULL, recipe_hash text NOT NULL,
     root text NOT NULL, journal bytea NOT NULL, PRIMARY KEY (project, goal, n));
   CREATE TABLE dev_cli.freight_objects (
     project text NOT NULL, sha256 text NOT NULL, goal text NOT NULL, n int NOT NULL, content bytea NOT NULL,
     PRIMARY KEY (project, goal, n, sha256))`,
];

/** The schema version of this program. */
export const FLEET_SCHEMA_VERSION = STEPS.length;

/** The advisory lock that a migration holds. */
const LOCK = 7_243_881_206;

/** What `migrate` returns. */
export interface Migrated {
  /** The version before; 0 if there was no schema. */
  from: number;
  /** The roles to which all their privileges have been granted. */
  roles: string[];
  /** What this database user lacks the privilege to do, so that another user has to do it. */
  lacks: string[];
}

/**
 * Creates or upgrades the schema; a concurrent migration waits. Only `fleet init` calls it.
 * @param also runs once the schema is in place, under the same lock
 * @throws DevCliError `FLEET_UNAVAILABLE` if the user lacks a privilege; `FLEET_VERSION` if the schema is newer
 */
export async function migrate(pool: Pool, also: () => Promise<void>): Promise<Migrated> {
  const client = await pool.connect().catch((error: unknown) => Promise.reject(toFleetError(error)));
  try {
    await waitForLock(client);
    const from = await readVersion(pool);
    if (from > FLEET_SCHEMA_VERSION) throw refuseVersion(from);
    if (from < FLEET_SCHEMA_VERSION) await upgrade(pool, from);
    await also();
    return { from, ...(await grantAll(pool)) };
  } finally {
    // Closing the database session releases the lock.
    client.release(true);
  }
}

/** Polls for the lock: a query that blocks for long would be taken for a lost connection. */
async function waitForLock(client: PoolClient): Promise<void> {
  for (;;) {
    const [row] = await queryRows<{ held: boolean }>(client, 'SELECT pg_try_advisory_lock($1) AS held', [LOCK]);
    if (row?.held === true) return;
    await sleep(200);
  }
}

async function upgrade(pool: Pool, from: number): Promise<void> {
  const [may] = await queryRows<{ name: string; creates: boolean; owns: boolean | null }>(
    pool,
    `SELECT current_database() AS name, has_database_privilege(current_database(), 'CREATE') AS creates,
       (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'dev_cli') AS owns`,
  );
  if (may?.owns === null && !may.creates)
    throw fleetUnavailableError(`the user lacks the right CREATE on database ${may.name}`);
  if (may?.owns === false) throw fleetUnavailableError('the user is not the owner of schema dev_cli');
  await withTransaction(pool, async (client) => {
    if (may?.owns === null) await client.query('CREATE SCHEMA dev_cli');
    await client.query('CREATE TABLE IF NOT EXISTS dev_cli.schema_version (version int NOT NULL)');
    for (const step of STEPS.slice(from)) await client.query(step);
    await client.query('DELETE FROM dev_cli.schema_version');
    await client.query('INSERT INTO dev_cli.schema_version VALUES ($1)', [FLEET_SCHEMA_VERSION]);
  });
}

/** The privileges of each role: what it may do with tables, and the schemas in which it may. */
const ROLES: Readonly<Record<string, { tables: string; schemas: readonly string[] }>> = {
  dev_cli_desk: { tables: 'SELECT, INSERT, UPDATE, DELETE', schemas: ['dev_cli'] },
  dev_cli_worker: { tables: 'SELECT, INSERT, UPDATE, DELETE', schemas: ['dev_cli', 'dbos'] },
  dev_cli_reader: { tables: 'SELECT', schemas: ['dev_cli'] },
};

/**
 * Creates the roles, if this user may, and grants them their privileges. Each role is a group for people's own database
 * users.
 */
async function grantAll(pool: Pool): Promise<Omit<Migrated, 'from'>> {
  const roles: string[] = [];
  const lacks: string[] = [];
  const owned = await queryRows<{ nspname: string; mine: boolean; owner: string }>(
    pool,
    `SELECT nspname, pg_has_role(nspowner, 'USAGE') AS mine, pg_get_userbyid(nspowner) AS owner
     FROM pg_namespace WHERE nspname IN ('dev_cli', 'dbos') ORDER BY nspname DESC`,
  );
  for (const { nspname, mine, owner } of owned)
    if (!mine) lacks.push(`grant rights on schema ${nspname} (owned by ${owner})`);
  for (const [role, { tables, schemas }] of Object.entries(ROLES)) {
    if (!(await makeRole(pool, role))) {
      lacks.push(`create the role ${role} (CREATEROLE)`);
      continue;
    }
    const there = owned.filter(({ nspname }) => schemas.includes(nspname));
    for (const { nspname } of there.filter(({ mine }) => mine)) {
      await queryRows(pool, `GRANT USAGE ON SCHEMA ${nspname} TO ${role}`);
      await queryRows(pool, `GRANT ${tables} ON ALL TABLES IN SCHEMA ${nspname} TO ${role}`);
      await queryRows(pool, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${nspname} TO ${role}`);
    }
    if (there.every(({ mine }) => mine)) roles.push(role);
  }
  return { roles, lacks };
}

/**
 * Creates a role unless it exists. Roles belong to the cluster, so another database may create one at the same moment.
 * @returns false if the user may not
 */
async function makeRole(pool: Pool, role: string): Promise<boolean> {
  const known = await queryRows(pool, 'SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (known.length > 0) return true;
  try {
    await pool.query(`CREATE ROLE ${role} NOLOGIN`);
  } catch (error) {
    const code = readCode(error);
    if (code === '42501') return false;
    if (code !== '42710' && code !== '23505') throw toFleetError(error);
  }
  return true;
}

/** Checks the schema's version. @throws DevCliError `FLEET_VERSION` if it is not this program's, `FLEET_UNAVAILABLE` */
export async function requireSchema(pool: Pool): Promise<void> {
  const version = await readVersion(pool);
  if (version !== FLEET_SCHEMA_VERSION) throw refuseVersion(version);
}

/** Reads the schema's version. @returns 0 if there is no schema */
async function readVersion(pool: Pool): Promise<number> {
  const there = await queryRows(
    pool,
    "SELECT FROM pg_tables WHERE schemaname = 'dev_cli' AND tablename = 'schema_version'",
  );
  if (there.length === 0) return 0;
  const [row] = await queryRows<{ version: number }>(pool, 'SELECT version FROM dev_cli.schema_version');
  return row?.version ?? 0;
}

function refuseVersion(found: number): DevCliError {
  const isNewer = found > FLEET_SCHEMA_VERSION;
  const problem = found === 0 ? 'does not exist' : `has version ${found}; this dev-cli knows ${FLEET_SCHEMA_VERSION}`;
  return new DevCliError('FLEET_VERSION', `The schema dev_cli of the fleet’s database ${problem}.`, {
    fix: isNewer ? 'Update dev-cli on this machine.' : [{ command: 'fleet init', input: {} }],
  });
}

/**
 * Checks that a project belongs to this repository. A project belongs to the repository whose desk came first.
 * @param origin the id of its first commit
 * @param how.registers whether to register this repository if the project has none; only the desk does
 * @returns whether the project has a repository
 * @throws DevCliError `USAGE` if it belongs to another one; `FLEET_UNAVAILABLE`
 */
export async function requireSameRepository(
  pool: Pool,
  project: string,
  origin: string,
  { registers }: { registers: boolean },
): Promise<boolean> {
  const make = 'INSERT INTO dev_cli.projects (project, origin) VALUES ($1, $2) ON CONFLICT DO NOTHING';
  if (registers) await queryRows(pool, make, [project, origin]);
  const asked = 'SELECT origin FROM dev_cli.projects WHERE project = $1';
  const [row] = await queryRows<{ origin: string }>(pool, asked, [project]);
  if (row === undefined || row.origin === origin) return row !== undefined;
  throw new DevCliError('USAGE', `The project ${project} of the fleet belongs to another repository.`, {
    details: [
      {
        target: project,
        problem: `its first commit is ${row.origin.slice(0, 12)}, and ${origin.slice(0, 12)} in this repository`,
      },
    ],
    fix: 'Give this project another name, `fleet.project` in .ai/config.yaml, or correct `remote_url` in fleet.yaml.',
  });
}
