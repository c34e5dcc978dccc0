import type { GitOptions } from '../../work/git-command.js';
import { fetchReferences, listRemoteReferences, pushReference } from '../../work/remote.js';
import { findCommitOf, moveReference } from '../../work/trees.js';
import type { LoopRefs } from './ports.js';

/**
 * The references of the remote that all machines share: what is read is fetched, what is moved is pushed by compare-and-swap, with
 * nothing else (fleet.md, Git). The clone here has them, too.
 * @param top absolute: any work tree of the clone
 * @param requireHold lets nothing late count: called when the old value is known, so that whoever took over is met by it
 */
export function openRemoteRefs(
  top: string,
  remote: string,
  git: GitOptions,
  requireHold: () => Promise<void> = async () => {},
): LoopRefs {
  const list: LoopRefs['list'] = (prefix) => listRemoteReferences(top, remote, [prefix, `${prefix}/*`], git);
  return {
    list,
    async findTip(branch) {
      const name = `refs/heads/${branch}`;
      const tip = (await list(name)).get(name) ?? null;
      if (tip !== null && (await findCommitOf(top, tip, git)) === null) await fetchReferences(top, remote, [tip], git);
      return tip;
    },
    async move(name, { from, to }) {
      // A try before may have come as far as the remote; only what is not there yet has to be so still.
      const old = from === null ? null : ((await list(name)).get(name) ?? null);
      await requireHold();
      const pushed = await pushReference(top, remote, name, { from: old, to }, git);
      if (pushed.kind !== 'moved')
        return pushed.kind === 'behind' ? `${name} was moved by somebody else` : pushed.reason;
      return moveReference(top, name, { from: await findCommitOf(top, name, git), to }, git);
    },
    moveBranch: (branch, move) => pushReference(top, remote, `refs/heads/${branch}`, move, git),
  };
}
