import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import type { SecretSource } from '../../base/schema.js';
import type { CheckedSchema } from '../../documents/schema-faults.js';
import outline from '../../generated/fleet-outline.js';
import { createProblemLog, listErrors } from '../../recipe/source/report.js';
import { checkValue } from '../../recipe/source/validate.js';
import { parseYaml } from '../../recipe/source/yaml.js';
import type { Context } from '../../run/context.js';
import { ensureDirectory, writeDurably } from '../../store/durable.js';
import { describeSecret, readSecret } from '../../work/secret.js';
import type { FleetConfigFile } from './config-schema.js';

/** This machine's configuration of the fleet, and the URL of the database (fleet.md, Commands). */

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/fleet.js').default };

/** The environment variable with the database's URL, unless fleet.yaml names another source. */
const DATABASE = 'DEV_CLI_DATABASE';
const PASSWORD = 'PGPASSWORD';
/** The name of `auto` as the owner of leases. Names of persons contain a colon, which no machine's name can. */
const LOOPS = 'auto';

/** A project that this machine serves. */
export interface MachineProject {
  project: string;
  remote_url: string;
  /** Digests of the commands that may run here. */
  trust: readonly string[];
}

/** A machine's fleet.yaml, completed by defaults. */
export interface FleetMachineConfig {
  /** The name of the machine's worker. */
  name: string;
  slots: number;
  leaseSeconds: number;
  projects: readonly MachineProject[];
  /**
   * Absolute directory of the clones. Its path contains the worker's name, so that it differs even between machines
   * whose directories are otherwise the same (fleet.md, An attempt).
   */
  clones: string;
}

/**
 * Reads this machine's fleet.yaml. Without the file, the machine serves no project.
 * @throws DevCliError `SCHEMA_INVALID` with every finding at its place; `IO`
 */
export function readMachineConfig(
  context: Pick<Context, 'reader' | 'home' | 'ids' | 'trustDirectory'>,
  env: NodeJS.ProcessEnv,
): FleetMachineConfig {
  const { projects = [], slots = 2, lease_seconds: leaseSeconds = 60, ...file } = readFile(context, env);
  const { name = nameMachine(context) } = file;
  return {
    ...{ slots, leaseSeconds, name, clones: join(findState(context), 'fleet', name) },
    projects: projects.map((project) => ({ trust: [], ...project })),
  };
}

/** Returns the path of this machine's fleet.yaml. */
export const locateConfig = ({ home }: Pick<Context, 'home'>, env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'dev-cli/fleet.yaml');

function readFile({ reader, home }: Pick<Context, 'reader' | 'home'>, env: NodeJS.ProcessEnv): FleetConfigFile {
  const path = locateConfig({ home }, env);
  const source = parseYaml(reader.read(path) ?? '{}', path);
  const value = source.value ?? {};
  const report = createProblemLog(source);
  const { broken } = checkValue(SCHEMA, value, report);
  const file = (broken.length === 0 ? value : {}) as FleetConfigFile;
  if (file.name === LOOPS)
    report.error(['name'], `The name ${LOOPS} is reserved for the loop itself.`, {
      fix: 'Give this machine another name.',
    });
  const names = file.projects?.map(({ project }) => project) ?? [];
  names.forEach((name, at) => {
    if (names.indexOf(name) < at)
      report.error(['projects', at, 'project'], `${name} is listed twice.`, { fix: 'Merge the two entries.' });
  });
  const details = listErrors(report);
  if (details.length === 0) return file;
  throw new DevCliError('SCHEMA_INVALID', `${path} cannot be used.`, {
    details,
    fix: 'Correct it at the places named in details, then repeat the same call.',
  });
}

const findState = ({ trustDirectory }: Pick<Context, 'trustDirectory'>): string => dirname(trustDirectory);

/**
 * Names this machine by its host name and six hex digits, kept in the user's state directory, so that machines with the
 * same host name differ.
 * @throws DevCliError `IO`
 */
export function nameMachine(context: Pick<Context, 'reader' | 'ids' | 'trustDirectory'>): string {
  const path = join(findState(context), 'worker');
  let signs = context.reader.read(path)?.trim() ?? '';
  if (!/^[0-9a-f]{6}$/.test(signs)) {
    signs = context.ids.hex(6);
    ensureDirectory(findState(context));
    writeDurably(path, `${signs}\n`);
  }
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return `${host.slice(0, 40) || 'worker'}-${signs}`;
}

/** The variables removed from each call's environment, kept because a call may need them more than once. */
const taken = new WeakMap<NodeJS.ProcessEnv, NodeJS.ProcessEnv>();

/**
 * Finds the database's URL. Removes the variables that may hold the URL or its password from the call's environment, so
 * that programs started later do not inherit them.
 * @returns the URL, which must never be shown or stored
 * @throws DevCliError `FLEET_UNAVAILABLE` if there is none, or it is not a PostgreSQL URL; `SCHEMA_INVALID`, `IO`
 */
export async function resolveDatabaseUrl(
  context: Pick<Context, 'reader' | 'home'>,
  { env }: { env: NodeJS.ProcessEnv },
): Promise<string> {
  const { database = { env: DATABASE } } = readFile(context, env);
  const secrets = takeOut(env, [DATABASE, ...('env' in database ? [database.env] : [])]);
  const around = { env: 'env' in database ? secrets : env, home: context.home, cwd: context.home };
  const text = await readSecret(database, around);
  const problem = findProblem(text);
  if (problem !== null) throw refuse(database, problem);
  const url = new URL(text);
  // Removed only if this URL needs it: a project's tests may use a PGPASSWORD of their own.
  if (url.password === '') url.password = encodeURIComponent(takeOut(env, [PASSWORD])[PASSWORD] ?? '');
  // The driver treats these modes as verify-full anyway, and warns of it at each call.
  const { searchParams } = url;
  const isStrict = /^(?:prefer|require|verify-ca)$/.test(searchParams.get('sslmode') ?? '');
  if (isStrict && !searchParams.has('uselibpqcompat')) searchParams.set('sslmode', 'verify-full');
  return url.href;
}

function takeOut(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const secrets = taken.get(env) ?? {};
  for (const name of names) {
    if (env[name] !== undefined) secrets[name] = env[name];
    delete env[name];
  }
  taken.set(env, secrets);
  return secrets;
}

/** Returns what is wrong with a URL, without quoting it, or null. The engine needs a user, a host and a database. */
function findProblem(text: string): string | null {
  if (text === '') return 'it is missing';
  if (!URL.canParse(text)) return 'it is not a URL';
  const { protocol, username, hostname: host, pathname } = new URL(text);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return 'it does not begin with postgresql://';
  const parts = { user: username, host, database: pathname.slice(1) };
  const missing = Object.entries(parts).flatMap(([part, value]) => (value === '' ? part : []));
  return missing.length === 0 ? null : `it names no ${missing.join(' and no ')}`;
}

function refuse(database: SecretSource, problem: string): DevCliError {
  const where = describeSecret(database);
  return new DevCliError(
    'FLEET_UNAVAILABLE',
    `The URL of the fleet’s database cannot be used (${where}): ${problem}.`,
    {
      details: [{ target: where, problem }],
      fix: 'Set it to postgresql://USER:PASSWORD@HOST/DATABASE, or say in `database` of fleet.yaml where it is.',
    },
  );
}
