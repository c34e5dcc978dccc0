import type { SecretSource } from '../../base/schema.js';
import { describeSecret, readSecret } from '../../work/secret.js';
import { type RuntimeConfig, runtimeInvalidError } from './config.js';
import type { ProviderSetting } from './config-schema.js';

/** Finds the provider and the key with which a model is asked (runtime.md, Configuration). */

/** A model, with everything that a request to it needs. */
export interface ChosenModel {
  /** As PROVIDER/MODEL. */
  full: string;
  /** The provider's name for the model. */
  id: string;
  provider: string;
  api: ProviderSetting['api'];
  baseURL: string | undefined;
  /** Where the key comes from, in words for a person. */
  keySource: string;
  key: string | undefined;
}

const BUILT_IN: Readonly<Record<string, ProviderSetting>> = {
  anthropic: { api: 'anthropic', key: { env: 'ANTHROPIC_API_KEY' } },
  openai: { api: 'openai', key: { env: 'OPENAI_API_KEY' } },
  google: { api: 'google', key: { env: 'GEMINI_API_KEY' } },
};
/** Environment variables that set another address for a built-in provider. */
const MOVED: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC_BASE_URL', openai: 'OPENAI_BASE_URL' };

/** Lists the environment variables that hold keys; commands that a model runs never see them. */
export function listKeyVariables(config: Pick<RuntimeConfig, 'providers'>): string[] {
  const keys = [...Object.values(BUILT_IN), ...Object.values(config.providers)].map(({ key }) => key);
  return keys.flatMap((key) => (key !== undefined && 'env' in key ? key.env : []));
}

/**
 * Resolves a model and reads its key.
 * @param full the model as PROVIDER/MODEL; null if no model is named
 * @throws DevCliError `RUNTIME_INVALID` for an unknown model or provider, or a missing key
 */
export async function resolveModel(
  full: string | null,
  config: Pick<RuntimeConfig, 'providers'>,
  { env, home, cwd }: { env: NodeJS.ProcessEnv; home: string; cwd: string },
): Promise<ChosenModel> {
  const fix = 'Name a model with --model PROVIDER/MODEL, in DEV_CLI_MODEL, or in the configuration.';
  if (full === null)
    throw runtimeInvalidError('No model is named.', [{ target: 'model', problem: 'no model is set' }], fix);
  const [provider = '', ...rest] = full.split('/');
  const id = rest.join('/');
  const setting = Object.hasOwn(config.providers, provider) ? config.providers[provider] : BUILT_IN[provider];
  if (id === '' || setting === undefined) {
    const known = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(config.providers)])].join(', ');
    const problem = id === '' ? 'is not of the form PROVIDER/MODEL' : `names no known provider: ${known}`;
    const shown = JSON.stringify(full.slice(0, 100));
    throw runtimeInvalidError(
      `The model ${shown} ${problem}.`,
      [{ target: 'model', problem: `${shown} ${problem}` }],
      fix,
    );
  }
  const moved = setting === BUILT_IN[provider] ? env[MOVED[provider] ?? ''] || undefined : undefined;
  const source = setting.key ?? BUILT_IN[provider]?.key;
  const key = source === undefined ? undefined : await readKey(source, provider, { env, home, cwd });
  const baseURL = setting.baseURL ?? moved;
  return { full, id, provider, api: setting.api, baseURL, keySource: describeSource(source), key };
}

const describeSource = (source: SecretSource | undefined): string =>
  source === undefined ? 'none' : describeSecret(source);

async function readKey(
  source: SecretSource,
  provider: string,
  around: { env: NodeJS.ProcessEnv; home: string; cwd: string },
): Promise<string> {
  const key = await readSecret(source, around);
  if (key !== '' && !/[^\x21-\x7e]/.test(key)) return key;
  const problem = key === '' ? 'it is missing' : 'it contains blanks or characters that a key cannot have';
  const where = describeSource(source);
  throw runtimeInvalidError(
    `The key of ${provider} cannot be used (${where}): ${problem}.`,
    [{ target: `providers.${provider}.key`, problem }],
    'Set the key, or say in the configuration where to read it from.',
  );
}
