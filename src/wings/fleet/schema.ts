import { DevCliError } from '../../base/errors.js';
import { ask, type Pool, toFleetError, withTransaction } from './database.js';

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
     project text NOT NULL, path text NOT NULL, seq bigint NOT NULL, content text, PRIMARY KEY (project, path));
   CREATE INDEX ON dev_cli.documents (project, seq);
   CREATE TABLE dev_cli.objects (
     project text NOT NULL, sha256 text NOT NULL, content bytea NOT NULL, PRIMARY KEY (project, sha256));
   CREATE TABLE dev_cli.leases (
     project text NOT NULL, id text NOT NULL, goal text NOT NULL, worker text NOT NULL, role text NOT NULL, key text,
     status text NOT NULL, created timestamptz NOT NULL, expires timestamptz NOT NULL, closed timestamptz, reason text,
     goal_status text, PRIMARY KEY (project, id));
   CREATE UNIQUE INDEX ON dev_cli.leases (project, goal) WHERE status = 'active';
   CREATE INDEX ON dev_cli.leases (worker) WHERE status = 'active';
   CREATE TABLE dev_cli.workers (
     worker text PRIMARY KEY, process text NOT NULL, host text NOT NULL, version int NOT NULL, cli_version text NOT NULL,
     slots int NOT NULL, projects jsonb NOT NULL, passed jsonb NOT NULL DEFAULT '{}', started timestamptz NOT NULL,
     beat timestamptz NOT NULL);
   CREATE TABLE dev_cli.freight (
     project text NOT NULL, goal text NOT NULL, n int NOT NULL, run text NOT NULL, recipe_hash text NOT NULL,
     root text NOT NULL, journal bytea NOT NULL, PRIMARY KEY (project, goal, n));
   CREATE TABLE dev_cli.freight_objects (
     project text NOT NULL, sha256 text NOT NULL, goal text NOT NULL, n int NOT NULL, content bytea NOT NULL,
     PRIMARY KEY (project, goal, n, sha256))`,
];

/** The version that this program knows. */
export const SCHEMA_VERSION = STEPS.length;

/** Whoever makes or upgrades holds this lock of the database. */
const LOCK = 7_243_881_206;

/**
 * Makes or upgrades the schema; of two at once one waits. Nothing but `fleet init` does.
 * @param also done under the same lock, behind it
 * @returns the version before; 0: there was none
 * @throws DevCliError `FLEET_UNAVAILABLE` where the user lacks a right; `FLEET_VERSION` where the schema is newer
 */
export async function migrate(pool: Pool, also: () => Promise<void>): Promise<{ from: number; roles: string[] }> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const from = await withTransaction(pool, async (inner) => {
      await inner.query('CREATE SCHEMA IF NOT EXISTS dev_cli');
      await inner.query('CREATE TABLE IF NOT EXISTS dev_cli.schema_version (version int NOT NULL)');
      const { rows } = await inner.query<{ version: number }>('SELECT version FROM dev_cli.schema_version');
      const before = rows[0]?.version ?? 0;
      if (before > SCHEMA_VERSION) throw refuseVersion(before);
      for (const step of STEPS.slice(before)) await inner.query(step);
      await inner.query('DELETE FROM dev_cli.schema_version');
      await inner.query('INSERT INTO dev_cli.schema_version VALUES ($1)', [SCHEMA_VERSION]);
      return before;
    });
    await also();
    return { from, roles: await grant(pool) };
  } finally {
    // With its session ends the lock.
    client.release(true);
  }
}

/** Who may do what: tables of `dev_cli`, and whether the engine's, too. */
const ROLES: Readonly<Record<string, { tables: string; isEngine: boolean }>> = {
  dev_cli_desk: { tables: 'SELECT, INSERT, UPDATE, DELETE', isEngine: false },
  dev_cli_worker: { tables: 'SELECT, INSERT, UPDATE, DELETE', isEngine: true },
  dev_cli_reader: { tables: 'SELECT', isEngine: false },
};

/** Makes the roles, where the user may; each is a group that people's own users are put into. @returns those that are there */
async function grant(pool: Pool): Promise<string[]> {
  const there: string[] = [];
  for (const [role, { tables, isEngine }] of Object.entries(ROLES)) {
    const known = await ask(pool, 'SELECT FROM pg_roles WHERE rolname = $1', [role]);
    // A user who may make no role can still have the tables; who gets rights is then for the owner of the database.
    if (known.length === 0 && !(await makeRole(pool, role))) continue;
    for (const schema of isEngine ? ['dev_cli', 'dbos'] : ['dev_cli']) {
      await ask(pool, `GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
      await ask(pool, `GRANT ${tables} ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
      await ask(pool, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`);
      await ask(pool, `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role}`);
    }
    there.push(role);
  }
  return there;
}

/** @returns false where the user may not; roles are the whole server's, and another database may just have made it */
async function makeRole(pool: Pool, role: string): Promise<boolean> {
  try {
    await pool.query(`CREATE ROLE ${role} NOLOGIN`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === '42501') return false;
    if (code !== '42710' && code !== '23505') throw toFleetError(error);
  }
  return true;
}

/** @throws DevCliError `FLEET_VERSION` where the schema is not the one that this program knows, `FLEET_UNAVAILABLE` */
export async function requireSchema(pool: Pool): Promise<void> {
  const there = await ask(pool, "SELECT FROM pg_tables WHERE schemaname = 'dev_cli' AND tablename = 'schema_version'");
  const rows =
    there.length === 0 ? [] : await ask<{ version: number }>(pool, 'SELECT version FROM dev_cli.schema_version');
  const version = rows[0]?.version ?? 0;
  if (version !== SCHEMA_VERSION) throw refuseVersion(version);
}

function refuseVersion(found: number): DevCliError {
  const isNewer = found > SCHEMA_VERSION;
  const problem = found === 0 ? 'is not there' : `has version ${found}; this dev-cli knows ${SCHEMA_VERSION}`;
  return new DevCliError('FLEET_VERSION', `The schema dev_cli of the fleet’s database ${problem}.`, {
    fix: isNewer ? 'Update dev-cli on this machine.' : [{ command: 'fleet init', input: {} }],
  });
}

/**
 * Has a project be that of one repository.
 * @param origin the id of its first commit
 * @throws DevCliError `USAGE` where another repository has the project’s name; `FLEET_UNAVAILABLE`
 */
export async function requireProject(pool: Pool, project: string, origin: string): Promise<void> {
  const find = () => ask<{ origin: string }>(pool, 'SELECT origin FROM dev_cli.projects WHERE project = $1', [project]);
  let [row] = await find();
  // Whoever may only read asks for what is there.
  if (row === undefined) {
    const make = 'INSERT INTO dev_cli.projects (project, origin) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await ask(pool, make, [project, origin]);
    [row] = await find();
  }
  if (row === undefined || row.origin === origin) return;
  throw new DevCliError('USAGE', `The project ${project} of the fleet is another repository.`, {
    details: [
      { target: project, problem: `begins with ${row.origin.slice(0, 12)}, and this one with ${origin.slice(0, 12)}` },
    ],
    fix: 'Give this one another name: `fleet.project` in .ai/config.yaml.',
  });
}
