import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemCode } from '../../base/errors.js';
import { executeFile } from '../../work/processes.js';
import { type RuntimeConfig, refuse } from './config.js';
import type { KeySource, ProviderSetting } from './config-schema.js';

/** Where a model is asked, and with which key (runtime.md, Configuration). */

/** A model that can be asked. */
export interface ChosenModel {
  /** As PROVIDER/MODEL. */
  full: string;
  /** As the provider calls it. */
  id: string;
  provider: string;
  api: ProviderSetting['api'];
  baseURL: string | undefined;
  /** Where its key comes from, for people. */
  keySource: string;
  key: string | undefined;
}

const BUILT_IN: Readonly<Record<string, ProviderSetting>> = {
  anthropic: { api: 'anthropic', key: { env: 'ANTHROPIC_API_KEY' } },
  openai: { api: 'openai', key: { env: 'OPENAI_API_KEY' } },
  google: { api: 'google', key: { env: 'GEMINI_API_KEY' } },
};
/** Variables that move a provider that is built in. */
const MOVED: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC_BASE_URL', openai: 'OPENAI_BASE_URL' };
/** Seconds that a command may take to print a key. */
const KEY_SECONDS = 10;
/** Most bytes of a key. */
const KEY_BYTES = 64 * 1024;

/** Variables of the environment that hold keys: no command of a model sees them. */
export function listKeyVariables(config: Pick<RuntimeConfig, 'providers'>): string[] {
  const keys = [...Object.values(BUILT_IN), ...Object.values(config.providers)].map(({ key }) => key);
  return keys.flatMap((key) => (key !== undefined && 'env' in key ? key.env : []));
}

/**
 * Resolves a model and reads its key.
 * @param full as PROVIDER/MODEL; null where nothing names one
 * @throws DevCliError `RUNTIME_INVALID` for a model or provider that is none, or a key that is not there
 */
export async function chooseModel(
  full: string | null,
  config: Pick<RuntimeConfig, 'providers'>,
  { env, home, cwd }: { env: NodeJS.ProcessEnv; home: string; cwd: string },
): Promise<ChosenModel> {
  const fix = 'Name a model with --model PROVIDER/MODEL, in DEV_CLI_MODEL, or in the configuration.';
  if (full === null) throw refuse('No model is named.', [{ target: 'model', problem: 'nothing names one' }], fix);
  const [provider = '', ...rest] = full.split('/');
  const id = rest.join('/');
  const setting = Object.hasOwn(config.providers, provider) ? config.providers[provider] : BUILT_IN[provider];
  if (id === '' || setting === undefined) {
    const known = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(config.providers)])].join(', ');
    const problem = id === '' ? 'is not of the form PROVIDER/MODEL' : `names no known provider: ${known}`;
    const shown = JSON.stringify(full.slice(0, 100));
    throw refuse(`The model ${shown} ${problem}.`, [{ target: 'model', problem: `${shown} ${problem}` }], fix);
  }
  const moved = setting === BUILT_IN[provider] ? env[MOVED[provider] ?? ''] || undefined : undefined;
  const source = setting.key ?? BUILT_IN[provider]?.key;
  const key = source === undefined ? undefined : await readKey(source, provider, { env, home, cwd });
  const baseURL = setting.baseURL ?? moved;
  return { full, id, provider, api: setting.api, baseURL, keySource: describeSource(source), key };
}

function describeSource(source: KeySource | undefined): string {
  if (source === undefined) return 'none';
  if ('env' in source) return `variable ${source.env}`;
  return 'file' in source ? `file ${source.file}` : `command ${source.command[0]}`;
}

async function readKey(
  source: KeySource,
  provider: string,
  { env, home, cwd }: { env: NodeJS.ProcessEnv; home: string; cwd: string },
): Promise<string> {
  const found =
    'env' in source
      ? (env[source.env] ?? '')
      : 'file' in source
        ? readKeyFile(source.file, home)
        : await runKeyCommand(source.command, env, cwd);
  const key = found.trim();
  if (key !== '' && !/[^\x21-\x7e]/.test(key)) return key;
  const problem = key === '' ? 'there is none' : 'it has blanks or signs that no key has';
  const where = describeSource(source);
  throw refuse(
    `The key of ${provider} cannot be used (${where}): ${problem}.`,
    [{ target: `providers.${provider}.key`, problem }],
    'Set it, or say in the configuration where it is.',
  );
}

function readKeyFile(path: string, home: string): string {
  try {
    const absolute = path.startsWith('~/') ? join(home, path.slice(2)) : path;
    return statSync(absolute).isFile() ? readFileSync(absolute).subarray(0, KEY_BYTES).toString('utf8') : '';
  } catch (error) {
    if (getSystemCode(error) === undefined) throw error;
    return '';
  }
}

async function runKeyCommand(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<string> {
  const options = { cwd, env, signal: undefined, timeoutSeconds: KEY_SECONDS, maxBuffer: KEY_BYTES };
  const { error, stdout } = await executeFile(program, args, options);
  return error === null ? stdout.toString('utf8') : '';
}
