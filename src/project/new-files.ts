import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { ensureDirectory, syncDirectory } from '../store/durable.js';
import { withIoErrors } from '../store/io.js';

/**
 * Writes a file where nothing is: whole or not at all, and never over what came there meanwhile.
 * @param path absolute; its directory is made
 * @param root for messages: paths inside it are shown relative to it
 * @returns false where something is there already
 * @throws DevCliError `IO`
 */
export function createFile(path: string, content: string, root: string): boolean {
  ensureDirectory(dirname(path), root);
  return withIoErrors(path, root, () => {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, content, { flush: true });
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (getSystemCode(error) === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
    syncDirectory(dirname(path));
    return true;
  });
}
