import { dirname, join } from 'node:path';
import type { Context } from '../../../run/context.js';
import { makeDirectories } from '../../../store/durable.js';
import { toIoError, withIoErrors } from '../../../store/io.js';
import { lock, removeOrphans } from '../../../store/lock.js';
import { identifyProcess } from '../../../store/process.js';

/** Milliseconds that a call waits for another one, which writes about fifty files. */
const WAIT = 10_000;

/** The lock file, which lies next to the manifest while a call writes. */
const LOCK_FILE = 'install.lock';

/** Returns whether all these names in the manifest's directory belong to the lock, or to one being acquired. */
export const areLockFiles = (names: readonly string[]): boolean => names.every((name) => name.startsWith(LOCK_FILE));

/**
 * Runs `work` while no other `install` or `uninstall` can write.
 * @param manifest absolute path of the manifest
 * @param work gets the directories that were created for the lock, deepest first
 * @throws DevCliError `LOCKED` if another call is still writing after ten seconds; `IO`
 */
export async function withInstallLock<T>(
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
