import { endCommand, inspect } from '../../jobs/detached.js';
import { removeTree } from '../../work/trees.js';
import { findRecords, type Site } from './site.js';
import { LOOP } from './streams.js';

/**
 * Removes what interrupted calls left: trees of attempts that are settled, and trees of a spike, which starts over,
 * with the commands still running in them. The caller must hold the lock of the root.
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
