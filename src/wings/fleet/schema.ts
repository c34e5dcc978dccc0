import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { DevCliError } from '../../base/errors.js';
import { fleetUnavailableError, type Pool, queryRows, readCode, toFleetError, withTransaction } from './database.js';

/** The tables of a fleet, and who may do what with them (fleet.md, Upgrades). Each step adds only, so that old and new run side by side. */

/** One step a version, in order. */
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

/** The version that this program knows. */
export const FLEET_SCHEMA_VERSION = STEPS.length;

/** Whoever makes or upgrades holds this lock of the database. */
const LOCK = 7_243_881_206;

/** What `migrate` has done. */
export interface Migrated {
  /** The version before; 0: there was none. */
  from: number;
  /** The roles that have their rights. */
  roles: string[];
  /** What the user may not do: somebody else has to. */
  lacks: string[];
}

/**
 * Makes or upgrades the schema; of two at once one waits. Nothing but `fleet init` does.
 * @param also done under the same lock, behind it
 * @throws DevCliError `FLEET_UNAVAILABLE` where the user lacks a right; `FLEET_VERSION` where the schema is newer
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
    // With its session ends the lock.
    client.release(true);
  }
}

/** Asked for again and again, because an answer that takes long is taken for a connection that is gone. */
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

/** Who may do what: tables of `dev_cli`, and whether the engine's, too. */
const ROLES: Readonly<Record<string, { tables: string; schemas: readonly string[] }>> = {
  dev_cli_desk: { tables: 'SELECT, INSERT, UPDATE, DELETE', schemas: ['dev_cli'] },
  dev_cli_worker: { tables: 'SELECT, INSERT, UPDATE, DELETE', schemas: ['dev_cli', 'dbos'] },
  dev_cli_reader: { tables: 'SELECT', schemas: ['dev_cli'] },
};

/** Makes the roles, where the user may; each is a group that people's own users are put into. */
async function grantAll(pool: Pool): Promise<Omit<Migrated, 'from'>> {
  const roles: string[] = [];
  const lacks: string[] = [];
  const owned = await queryRows<{ nspname: string; mine: boolean; owner: string }>(
    pool,
    `SELECT nspname, pg_has_role(nspowner, 'USAGE') AS mine, pg_get_userbyid(nspowner) AS owner
     FROM pg_namespace WHERE nspname IN ('dev_cli', 'dbos') ORDER BY nspname DESC`,
  );
  for (const { nspname, mine, owner } of owned)
    if (!mine) lacks.push(`grant rights on schema ${nspname} (it is ${owner}’s)`);
  for (const [role, { tables, schemas }] of Object.entries(ROLES)) {
    if (!(await makeRole(pool, role))) {
      lacks.push(`make the role ${role} (CREATEROLE)`);
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

/** Roles are the cluster's: another database may have made them, even in this moment. @returns false where the user may not */
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

/** @throws DevCliError `FLEET_VERSION` where the schema is not the one that this program knows, `FLEET_UNAVAILABLE` */
export async function requireSchema(pool: Pool): Promise<void> {
  const version = await readVersion(pool);
  if (version !== FLEET_SCHEMA_VERSION) throw refuseVersion(version);
}

/** @returns 0 where there is none */
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
  const problem = found === 0 ? 'is not there' : `has version ${found}; this dev-cli knows ${FLEET_SCHEMA_VERSION}`;
  return new DevCliError('FLEET_VERSION', `The schema dev_cli of the fleet’s database ${problem}.`, {
    fix: isNewer ? 'Update dev-cli on this machine.' : [{ command: 'fleet init', input: {} }],
  });
}

/**
 * Lets a project be that of one repository alone: of the one whose desk was the first.
 * @param origin the id of its first commit
 * @param how.registers whether this one is its, if there is none yet: so the desk’s
 * @returns whether it is known of which repository the project is
 * @throws DevCliError `USAGE` where it is of another one; `FLEET_UNAVAILABLE`
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
  throw new DevCliError('USAGE', `The project ${project} of the fleet is another repository.`, {
    details: [
      { target: project, problem: `begins with ${row.origin.slice(0, 12)}, and this one with ${origin.slice(0, 12)}` },
    ],
    fix: 'Give this one another name, `fleet.project` in .ai/config.yaml, or mend `remote_url` in fleet.yaml.',
  });
}
