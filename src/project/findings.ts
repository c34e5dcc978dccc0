import { basename, dirname, join } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { writeDurably } from '../store/durable.js';
import { resolveDirectory } from '../store/inside.js';

/**
 * Keeps what a call has found out and any other can find out again, outside of every commit. Where it cannot be kept, it is not:
 * a disk that is full or that nobody may write keeps nobody from an answer.
 * @param root absolute
 * @param path relative to the root
 * @returns whether it is kept
 */
export function keepFinding(root: string, path: string, text: string): boolean {
  try {
    writeDurably(join(resolveDirectory(root, dirname(path)), basename(path)), text, root);
    return true;
  } catch (error) {
    if (!(error instanceof DevCliError) && getSystemCode(error) === undefined) throw error;
    return false;
  }
}
