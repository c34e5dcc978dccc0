import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFile } from '../store/documents.js';
import { ensureDirectory, writeDurably } from '../store/durable.js';
import { isMissing } from '../store/inside.js';
import { withIoErrors } from '../store/io.js';

/**
 * Digests that a person has trusted (protocol.md §4): a directory outside every project with one empty file per digest,
 * so that two calls at once lose nothing.
 */

/**
 * Whether `digest` was trusted.
 * @param directory absolute; need not exist
 * @throws DevCliError `IO`
 */
export function isTrusted(directory: string, digest: string): boolean {
  const path = join(directory, fileName(digest));
  return withIoErrors(path, null, () => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
}

/**
 * Whether anything may be trusted there: to look takes less time than to compute a digest.
 * @param directory absolute; need not exist
 */
export function isAnyTrusted(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch (error) {
    // What else is wrong with it, `isTrusted` says.
    return !isMissing(error);
  }
}

/**
 * Trusts `digest` from now on.
 * @param directory absolute; made when it is not there
 * @throws DevCliError `IO`
 */
export function trust(directory: string, digest: string): void {
  const path = join(directory, fileName(digest));
  ensureDirectory(directory);
  writeDurably(path, '');
}

/**
 * Trusts `digest` no longer.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function forget(directory: string, digest: string): void {
  const path = join(directory, fileName(digest));
  withIoErrors(path, null, () => removeFile(path));
}

function fileName(digest: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{15,127}$/.test(digest)) return digest;
  throw new Error(`not a digest: ${digest}`);
}
