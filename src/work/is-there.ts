import { lstat } from 'node:fs/promises';
import { systemCode } from '../base/errors.js';

/** Whether anything stands at a path; what cannot be looked at counts as there. */
export async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR',
  );
}
