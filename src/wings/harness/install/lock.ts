import { dirname, join } from 'node:path';
import type { Context } from '../../../run/context.js';
import { makeDirectories } from '../../../store/durable.js';
import { toIoError, withIoErrors } from '../../../store/io.js';
import { lock, removeOrphans } from '../../../store/lock.js';
import { identifyProcess } from '../../../store/process.js';

/** Milliseconds that a call waits for another one, which writes some fifty files. */
const WAIT = 10_000;

/** Beside the manifest, as long as a call writes. */
const LOCK_FILE = 'install.lock';

/** Whether these names in the directory of the manifest are of a lock, or of one that is being taken. */
export const areOfLock = (names: readonly string[]): boolean => names.every((name) => name.startsWith(LOCK_FILE));

/**
 * Does what only one `install` or `uninstall` at a time may do.
 * @param manifest absolute path of the manifest
 * @param work is given the directories that the lock had to make, deepest first
 * @throws DevCliError `LOCKED` while another call is at work; `IO`
 */
export async function whileLocked<T>(
  { clock, ids }: Pick<Context, 'clock' | 'ids'>,
  manifest: string,
  work: (made: readonly string[]) => T,
): Promise<T> {
  const directory = dirname(manifest);
  let made: string[] = [];
  const taker = { identity: identifyProcess(), clock, ids, purpose: 'install' };
  const prepare = () => {
    const now = makeDirectories(directory);
    if (now.length > 0) made = now;
  };
  const path = join(directory, LOCK_FILE);
  const held = await lock(path, taker, { waitMs: WAIT, root: null }, prepare).catch((error) => {
    throw toIoError(error, directory, null);
  });
  try {
    withIoErrors(path, null, () => removeOrphans(path, taker.identity));
    return work(made);
  } finally {
    held.release();
  }
}
