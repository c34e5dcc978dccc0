const MIN_SECRET_BYTES = 32;

/**
 * Reads the configuration. The only place that looks at environment variables.
 * @param {Record<string, string | undefined>} env
 * @returns {{ port: number, bodyLimit: number, authSecret: string, authMode: 'enforce' | 'warn' }}
 */
export function readConfig(env) {
  return {
    port: integer(env, 'PORT', 3000, 65535),
    bodyLimit: integer(env, 'BODY_LIMIT', 10_000, 1_000_000),
    authSecret: secret(env, 'AUTH_SECRET'),
    authMode: oneOf(env, 'AUTH_MODE', ['enforce', 'warn']),
  };
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

/** There is no default, and the value stays out of the message. */
function secret(env, name) {
  const text = env[name] ?? '';
  if (Buffer.byteLength(text) < MIN_SECRET_BYTES)
    throw new Error(`${name} must have at least ${MIN_SECRET_BYTES} bytes`);
  return text;
}

/** The first is the default. */
function oneOf(env, name, known) {
  const text = env[name] || known[0];
  if (!known.includes(text)) throw new Error(`${name} must be ${known.join(' or ')}, not ${JSON.stringify(text)}`);
  return text;
}
