/**
 * Reads the configuration. The only place that looks at environment variables.
 * @param {Record<string, string | undefined>} env
 * @returns {{ port: number, bodyLimit: number }}
 */
export function readConfig(env) {
  return { port: integer(env, 'PORT', 3000, 65535), bodyLimit: integer(env, 'BODY_LIMIT', 10_000, 1_000_000) };
}

function integer(env, name, fallback, max) {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new Error(`${name} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}`);
  }
  return value;
}
