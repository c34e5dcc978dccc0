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

/** What this machine is told of its fleet, and where the database is (fleet.md, Commands). */

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/fleet.js').default };

/** Has the URL of the database where fleet.yaml does not say otherwise. */
const DATABASE = 'DEV_CLI_DATABASE';
const PASSWORD = 'PGPASSWORD';
/** What `auto` is called among those who have leases. Persons have names with a colon, which no machine can have. */
const LOOPS = 'auto';

/** A project that this machine works for. */
export interface MachineProject {
  project: string;
  remote_url: string;
  /** Digests of commands that may run here. */
  trust: readonly string[];
}

/** What a machine does in its fleet, with what holds where its file says nothing. */
export interface FleetMachineConfig {
  /** What its worker is called. */
  name: string;
  slots: number;
  leaseSeconds: number;
  projects: readonly MachineProject[];
  /** Absolute: where clones lie. A worker's own: machines of one layout are told apart by it (fleet.md, An attempt). */
  clones: string;
}

/**
 * Reads what this machine does in its fleet; without a file, nothing for nobody.
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

/** The path of this machine's fleet.yaml. */
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
    report.error(['name'], `${LOOPS} is the name of the loop itself.`, { fix: 'Give this machine another one.' });
  const names = file.projects?.map(({ project }) => project) ?? [];
  names.forEach((name, at) => {
    if (names.indexOf(name) < at)
      report.error(['projects', at, 'project'], `${name} stands here twice.`, { fix: 'Put both into one.' });
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
 * Names a machine by its host, with signs that stay in the user's state directory: machines whose hosts have one name differ.
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

/** What was taken out of the environment of a call, which may ask more than once. */
const taken = new WeakMap<NodeJS.ProcessEnv, NodeJS.ProcessEnv>();

/**
 * Finds the database. What may hold its URL or its password is taken out of the call's environment: no program that the call starts from
 * now on inherits it.
 * @returns its URL, which is never shown or kept
 * @throws DevCliError `FLEET_UNAVAILABLE` where there is none, or it is none of a PostgreSQL; `SCHEMA_INVALID`, `IO`
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
  // Only where it is this database's: the tests of a project may need one of their own.
  if (url.password === '') url.password = encodeURIComponent(takeOut(env, [PASSWORD])[PASSWORD] ?? '');
  // The driver does just that, and warns of it with each call.
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

/** Says what is wrong with a URL, without a word of it; null where nothing is. The engine needs all its parts. */
function findProblem(text: string): string | null {
  if (text === '') return 'there is none';
  if (!URL.canParse(text)) return 'it is no URL';
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
