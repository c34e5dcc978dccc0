import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFile } from '../store/documents.js';
import { ensureDirectory, writeDurably } from '../store/durable.js';
import { isMissing } from '../store/inside.js';
import { withIoErrors } from '../store/io.js';

/**
 * Stores the digests that a person has trusted (protocol.md §4), as empty files in a directory outside every project.
 * There is one file per digest, so that concurrent calls do not overwrite each other.
 */

/**
 * Returns whether `digest` is trusted.
 * @param directory absolute; need not exist
 * @throws DevCliError `IO`
 */
export function isTrusted(directory: string, digest: string): boolean {
  const path = join(directory, fileName(digest));
  return withIoErrors(path, null, () => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
}

/**
 * Returns whether anything may be trusted at all, which is faster to check than computing a digest.
 * @param directory absolute; need not exist
 */
export function isAnyTrusted(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch (error) {
    // `isTrusted` reports any other problem with the directory.
    return !isMissing(error);
  }
}

/**
 * Trusts `digest` from now on.
 * @param directory absolute; created if it does not exist
 * @throws DevCliError `IO`
 */
export function grantTrust(directory: string, digest: string): void {
  const path = join(directory, fileName(digest));
  ensureDirectory(directory);
  writeDurably(path, '');
}

/**
 * Stops trusting `digest`.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function revokeTrust(directory: string, digest: string): void {
  const path = join(directory, fileName(digest));
  withIoErrors(path, null, () => removeFile(path));
}

function fileName(digest: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{15,127}$/.test(digest)) return digest;
  throw new Error(`not a digest: ${digest}`);
}
