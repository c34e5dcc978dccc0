import { isAbsolute, join, resolve } from 'node:path';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { CheckedSchema } from '../../documents/schema-faults.js';
import outline from '../../generated/runtime-outline.js';
import { isTrusted } from '../../project/trust.js';
import { computeNotifyDigest } from '../../protocol/trust/digests.js';
import { PREFERENCES_FILE, readProjectSettings } from '../../recipe/settings/project-settings.js';
import type { ProjectSettings } from '../../recipe/settings/project-settings-schema.js';
import type { HookSettings, PermissionRules } from '../../recipe/settings/runtime-schema.js';
import { createProblemLog, listErrors } from '../../recipe/source/report.js';
import { checkValue } from '../../recipe/source/validate.js';
import { parseYaml } from '../../recipe/source/yaml.js';
import type { Context } from '../../run/context.js';
import type { RuntimeConfigFile } from './config-schema.js';

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/runtime.js').default };

/** Flags of a call that configure the runtime; they take precedence over every file. */
export interface RuntimeFlags {
  model?: string;
  mode?: RuntimeConfig['mode'];
  allow?: readonly string[];
  config?: string;
  iterations?: number;
}

/** Configuration of a call, merged from files and flags. */
export interface RuntimeConfig
  extends Required<Pick<RuntimeConfigFile, 'mode' | 'sandbox' | 'network' | 'providers' | 'models' | 'mcpServers'>> {
  /** As PROVIDER/MODEL; null if no model is named. */
  model: string | null;
  effort?: RuntimeConfigFile['effort'];
  /** Settings of agents, by role. Those of `default` are for every role that is not listed. */
  roles: NonNullable<ProjectSettings['agents']>;
  rules: Required<PermissionRules>;
  hooks: Required<HookSettings>;
  iterations: number;
  /** Seconds without a byte, and without a whole part of an answer, after which a request is aborted. */
  timeouts: { byte: number; part: number };
  /** Settings of the project that were ignored, and why; the answer shows these lines. */
  warnings: string[];
}

/** Maximum requests per turn unless configured otherwise. */
const ITERATIONS = 50;
const TIMEOUTS = { byte: 90, part: 300 };

/**
 * Merges the user's file, the project's preferences, the environment and the flags (runtime.md, Configuration). The
 * project's `allow` and `hooks` count only once a person has trusted its preferences on this machine.
 * @param cwd absolute; the base directory for `--config`
 * @throws DevCliError `RUNTIME_INVALID` with every finding at its place; `PREFERENCES_INVALID`, `IO`
 */
export function readRuntimeConfig(
  context: Pick<Context, 'root' | 'reader' | 'trustDirectory' | 'home'>,
  flags: RuntimeFlags,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): RuntimeConfig {
  const own = readOwn(context, flags.config, { cwd, env });
  const { roles, ...ours } = readProjects(context);
  const iterations = own.iterations ?? ITERATIONS;
  return {
    model: flags.model ?? (env['DEV_CLI_MODEL'] || undefined) ?? own.model ?? null,
    ...omitUndefined({ effort: own.effort }),
    mode: flags.mode ?? own.mode ?? 'workspace-write',
    sandbox: own.sandbox ?? 'auto',
    network: own.network ?? false,
    providers: own.providers ?? {},
    models: own.models ?? {},
    mcpServers: own.mcpServers ?? {},
    roles: flags.model === undefined ? roles : {},
    rules: joinRules(own.permissions, ours.rules, { allow: [...(flags.allow ?? [])] }),
    hooks: {
      PreToolUse: [...(own.hooks?.PreToolUse ?? []), ...(ours.hooks.PreToolUse ?? [])],
      PostToolUse: [...(own.hooks?.PostToolUse ?? []), ...(ours.hooks.PostToolUse ?? [])],
    },
    // A project may lower the user's limit, but never raise it.
    iterations: flags.iterations ?? Math.min(iterations, ours.iterations ?? iterations),
    timeouts: { ...TIMEOUTS, ...own.timeouts },
    warnings: ours.warnings,
  };
}

const joinRules = (...all: (PermissionRules | undefined)[]): Required<PermissionRules> => ({
  deny: all.flatMap((one) => one?.deny ?? []),
  ask: all.flatMap((one) => one?.ask ?? []),
  allow: all.flatMap((one) => one?.allow ?? []),
});

/**
 * Reads the project's preferences. `allow` and `hooks`, which permit something, count only once a person on this
 * machine has trusted the file. All other settings always count.
 */
function readProjects({ reader, root, trustDirectory }: Pick<Context, 'root' | 'reader' | 'trustDirectory'>): Pick<
  RuntimeConfig,
  'roles' | 'warnings'
> & {
  rules: PermissionRules;
  hooks: HookSettings;
  iterations: number | undefined;
} {
  const text = reader.read(join(root, PREFERENCES_FILE));
  const { runtime = {}, agents: roles = {} } = readProjectSettings(text, ['runtime', 'agents']);
  const { permissions: { allow, ...rules } = {}, hooks = {}, iterations } = runtime;
  const widens = allow !== undefined || Object.keys(hooks).length > 0;
  if (widens && isTrusted(trustDirectory, computeNotifyDigest(root, text ?? '')))
    return { roles, rules: { ...rules, ...omitUndefined({ allow }) }, hooks, iterations, warnings: [] };
  const warning = `${PREFERENCES_FILE} allows calls or has hooks; they are ignored until a person here runs \`dev-cli trust preferences\`.`;
  return { roles, rules, hooks: {}, iterations, warnings: widens ? [warning] : [] };
}

/** Reads the user's file, or the one that `--config` names instead. */
function readOwn(
  { reader, home }: Pick<Context, 'reader' | 'home'>,
  given: string | undefined,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): RuntimeConfigFile {
  const directory = env['XDG_CONFIG_HOME'] || join(home, '.config');
  const path = given === undefined ? join(directory, 'dev-cli/runtime.yaml') : resolve(cwd, given);
  const text = isAbsolute(path) ? reader.read(path) : null;
  if (text === null && given === undefined) return {};
  if (text === null)
    throw runtimeInvalidError(`${path} does not exist.`, [{ target: path, problem: 'there is no such file' }]);
  const source = parseYaml(text, path);
  const report = createProblemLog(source);
  checkValue(SCHEMA, source.value ?? {}, report);
  const details = listErrors(report);
  if (details.length === 0) return (source.value ?? {}) as RuntimeConfigFile;
  throw runtimeInvalidError(`${path} cannot be used.`, details, 'Fix what `details` lists.');
}

type Details = NonNullable<NonNullable<ConstructorParameters<typeof DevCliError>[2]>['details']>;

/** Builds the error for a runtime that cannot start; no request has been sent yet. @param details every fault found */
export function runtimeInvalidError(
  message: string,
  details: Details,
  fix = 'Name a different one, then repeat the same call.',
): DevCliError {
  return new DevCliError('RUNTIME_INVALID', message, { details, fix });
}
