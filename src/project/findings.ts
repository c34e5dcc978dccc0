import { basename, dirname, join } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { requireName } from '../base/name.js';
import { writeDurably } from '../store/durable.js';
import { resolveDirectory } from '../store/inside.js';
import { RUNS } from './layout.js';

/**
 * Keeps what a call has found out and any other can find out again. Where it cannot be kept, it is not: a disk that is full or
 * that nobody may write keeps nobody from an answer.
 * @param root absolute
 * @param path relative to the run's directory
 */
export function keepFinding(root: string, run: string, path: string, text: string): void {
  try {
    const directory = resolveDirectory(root, dirname(`${RUNS}/${requireName(run)}/${path}`));
    writeDurably(join(directory, basename(path)), text, root);
  } catch (error) {
    if (!(error instanceof DevCliError) && getSystemCode(error) === undefined) throw error;
  }
}
