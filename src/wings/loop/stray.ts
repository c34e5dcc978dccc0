import { basename } from 'node:path';
import { endCommand, inspectJob } from '../../jobs/detached.js';
import { removeTree } from '../../work/trees.js';
import { type AttemptSite, findRecords } from './site.js';
import type { Attempt } from './state-schema.js';
import { LOOP } from './streams.js';

type StraySite = Pick<AttemptSite, 'streams' | 'context' | 'trees' | 'top' | 'git'>;

/**
 * Removes the work trees that interrupted calls left, and ends the commands still running in them. These are the trees
 * of settled attempts, of attempts that continue on another machine of the fleet, and of a spike, which starts over.
 * The caller must hold the lock of the root.
 * @throws DevCliError `GIT_FAILED`, `IO`, `COMMAND_FAILED`
 */
export async function removeStray(site: StraySite): Promise<void> {
  const { streams, context, trees, top, git } = site;
  const { attempts, variants } = await streams.read(LOOP);
  for (const variant of variants) await endCommands(site, variant);
  const needed = new Set(Object.values(attempts).map(({ tree }) => tree));
  const found = context.reader.list(trees).map((name) => `${trees}/${name}`);
  for (const tree of found.filter((one) => !needed.has(one))) {
    const [, goal, n] = /^(.+)-(\d+)$/.exec(basename(tree)) ?? [];
    if (goal !== undefined) await endCommands(site, { goal, n: Number(n) });
    await removeTree(top, tree, git);
  }
}

/** Ends the sessions and tests of an attempt that still run. */
async function endCommands(site: StraySite, attempt: Pick<Attempt, 'goal' | 'n'>): Promise<void> {
  const records = findRecords(site, attempt);
  const commands = site.context.reader.list(records).filter((name) => /-\d+$/.test(name));
  for (const name of commands) {
    const { state } = inspectJob(`${records}/${name}`);
    if (state === 'running' || state === 'launching') await endCommand(`${records}/${name}`);
  }
}
