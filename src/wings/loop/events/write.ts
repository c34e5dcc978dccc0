import { requireInside } from '../../../project/own-places.js';
import type { Context } from '../../../run/context.js';
import { openSharedFiles, type SharedFileChange } from '../../../store/shared-files.js';

/**
 * Writes files derived from the log, each atomically; concurrent calls take turns.
 * @param changes paths relative to the root
 * @throws DevCliError `LOCKED`; `IO`, also if a link leads out of the project
 */
export function writeFolded(
  { root, clock, ids, signal }: Pick<Context, 'root' | 'clock' | 'ids' | 'signal'>,
  changes: readonly SharedFileChange[],
): Promise<void> {
  const paths = changes.map(({ path }) => path);
  for (const path of paths) requireInside(root, path);
  const files = openSharedFiles({ root, clock, ids, signal, purpose: 'what the log gives' });
  return files.change(paths, () => ({ answer: undefined, changes }));
}
