import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import type { SecretSource } from '../base/schema.js';
import { executeFile } from './processes.js';

/** Reads secrets from the place that a configuration names; the configuration itself never contains them. */

/** Seconds that a command may take to print a secret. */
const SECONDS = 10;
/** Maximum size of a secret in bytes. */
const BYTES = 64 * 1024;

/** Describes a secret's source in words for the user. */
export function describeSecret(source: SecretSource): string {
  if ('env' in source) return `variable ${source.env}`;
  return 'file' in source ? `file ${source.file}` : `command ${source.command[0]}`;
}

/** Reads a secret. @returns it without surrounding whitespace; empty if there is none */
export async function readSecret(
  source: SecretSource,
  { env, home, cwd }: { env: NodeJS.ProcessEnv; home: string; cwd: string },
): Promise<string> {
  const found =
    'env' in source
      ? (env[source.env] ?? '')
      : 'file' in source
        ? readSecretFile(source.file, home)
        : await runSecretCommand(source.command, env, cwd);
  return found.trim();
}

function readSecretFile(path: string, home: string): string {
  try {
    const absolute = path.startsWith('~/') ? join(home, path.slice(2)) : path;
    return statSync(absolute).isFile() ? readFileSync(absolute).subarray(0, BYTES).toString('utf8') : '';
  } catch (error) {
    if (getSystemCode(error) === undefined) throw error;
    return '';
  }
}

async function runSecretCommand(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<string> {
  const options = { cwd, env, signal: undefined, timeoutSeconds: SECONDS, maxBuffer: BYTES };
  const { error, stdout } = await executeFile(program, args, options);
  return error === null ? stdout.toString('utf8') : '';
}
