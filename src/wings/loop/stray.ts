import { endCommand, inspect } from '../../jobs/detached.js';
import { removeTree } from '../../work/trees.js';
import { findRecords, type Site } from './site.js';
import { LOOP } from './streams.js';

/**
 * Removes what calls left that were cut off: trees of attempts that were settled by then, and those of a spike, which begins anew, with
 * all that still runs in them. For a call that holds the lock of the root.
 * @throws DevCliError `GIT_FAILED`, `IO`, `COMMAND_FAILED`
 */
export async function removeStray(site: Pick<Site, 'streams' | 'context' | 'trees' | 'top' | 'git'>): Promise<void> {
  const { streams, context, trees, top, git } = site;
  const { attempts, variants } = await streams.read(LOOP);
  for (const variant of variants) {
    const records = findRecords(site, variant);
    const commands = context.reader.list(records).filter((name) => /-\d+$/.test(name));
    for (const name of commands) {
      const { state } = inspect(`${records}/${name}`);
      if (state === 'running' || state === 'launching') await endCommand(`${records}/${name}`);
    }
  }
  const needed = new Set(Object.values(attempts).map(({ tree }) => tree));
  const found = context.reader.list(trees).map((name) => `${trees}/${name}`);
  for (const tree of found) if (!needed.has(tree)) await removeTree(top, tree, git);
}
