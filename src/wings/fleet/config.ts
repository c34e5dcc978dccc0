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

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/fleet.js').default };

/** Holds the URL of the database where fleet.yaml does not say otherwise. */
const DATABASE = 'DEV_CLI_DATABASE';

/** A project that this machine works for. */
export interface FleetProject {
  project: string;
  remote_url: string;
  /** Digests of commands that may run here. */
  trust: readonly string[];
}

/** What a machine does in its fleet, with what holds where its file says nothing. */
export interface FleetConfig {
  database: SecretSource;
  slots: number;
  lease_seconds: number;
  /** Null: one is made of the host's name. */
  name: string | null;
  projects: readonly FleetProject[];
}

/** What of a call the machine's file is found by. */
interface Caller {
  env: NodeJS.ProcessEnv;
}

/**
 * Reads what this machine is told of its fleet (fleet.md, Commands). There may be no file.
 * @throws DevCliError `SCHEMA_INVALID` with every finding at its place; `IO`
 */
export function readFleetConfig({ reader, home }: Pick<Context, 'reader' | 'home'>, { env }: Caller): FleetConfig {
  const path = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'dev-cli/fleet.yaml');
  const source = parseYaml(reader.read(path) ?? '{}', path);
  const value = source.value ?? {};
  const report = createProblemLog(source);
  const { broken } = checkValue(SCHEMA, value, report);
  const { projects = [], ...file } = (broken.length === 0 ? value : {}) as FleetConfigFile;
  projects.forEach(({ project }, at) => {
    if (projects.findIndex((other) => other.project === project) < at)
      report.error(['projects', at, 'project'], `${project} stands here twice.`, { fix: 'Put both into one.' });
  });
  const details = listErrors(report);
  if (details.length > 0)
    throw new DevCliError('SCHEMA_INVALID', `${path} cannot be used.`, {
      details,
      fix: 'Mend it at the places named in details, then repeat the same call.',
    });
  return {
    ...{ database: { env: DATABASE }, slots: 2, lease_seconds: 60, name: null },
    ...file,
    projects: projects.map((project) => ({ trust: [], ...project })),
  };
}

/** Variables of the environment that may hold the database's URL or password: nothing that this machine starts sees them. */
export const listSecretVariables = ({ database }: Pick<FleetConfig, 'database'>): string[] => [
  ...new Set([DATABASE, 'PGPASSWORD', ...('env' in database ? [database.env] : [])]),
];

/**
 * Finds the database. What is returned is never shown or kept.
 * @returns its URL
 * @throws DevCliError `FLEET_UNAVAILABLE` where there is none, or it is no URL of a PostgreSQL
 */
export async function resolveDatabaseUrl(
  { database }: Pick<FleetConfig, 'database'>,
  { home }: Pick<Context, 'home'>,
  { env }: Caller,
): Promise<string> {
  const url = await readSecret(database, { env, home, cwd: home });
  const problem = url === '' ? 'there is none' : findUrlProblem(url);
  if (problem === null) return url;
  const where = describeSecret(database);
  throw new DevCliError('FLEET_UNAVAILABLE', `The URL of the fleet’s database cannot be used (${where}): ${problem}.`, {
    details: [{ target: where, problem }],
    fix: 'Set it to postgresql://USER:PASSWORD@HOST/DATABASE, or say in `database` of fleet.yaml where it is.',
  });
}

/** Says what a URL lacks, without a word of it; null where it lacks nothing. The engine needs all three parts. */
function findUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'it is no URL';
  const { protocol, username, hostname: host, pathname } = new URL(text);
  if (!['postgres:', 'postgresql:'].includes(protocol)) return 'it does not begin with postgresql://';
  const parts = { user: username, host, database: pathname.slice(1) };
  const missing = Object.entries(parts).flatMap(([part, value]) => (value === '' ? part : []));
  return missing.length === 0 ? null : `it names no ${missing.join(' and no ')}`;
}

/**
 * Names this machine's worker: as its file says, else by the host, with signs that stay in the user's state directory, so that
 * machines whose hosts have one name differ.
 * @throws DevCliError `IO`
 */
export function nameWorker(
  { name }: Pick<FleetConfig, 'name'>,
  { reader, ids, trustDirectory }: Pick<Context, 'reader' | 'ids' | 'trustDirectory'>,
): string {
  if (name !== null) return name;
  const path = join(dirname(trustDirectory), 'worker');
  let signs = reader.read(path)?.trim() ?? '';
  if (!/^[0-9a-f]{6}$/.test(signs)) {
    signs = ids.hex(6);
    ensureDirectory(dirname(path));
    writeDurably(path, `${signs}\n`);
  }
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return `${host.slice(0, 40) || 'worker'}-${signs}`;
}
