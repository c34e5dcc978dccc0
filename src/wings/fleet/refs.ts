import type { GitOptions } from '../../work/git-command.js';
import { fetchReferences, listRemoteReferences, pushReference } from '../../work/remote.js';
import { findCommitOf, moveReference } from '../../work/trees.js';
import type { LoopRefs } from './ports.js';

/**
 * Opens the references of the shared remote: reading fetches them, and each move pushes one reference by
 * compare-and-swap (fleet.md, Git). After a push, the reference in the local clone is set to the same commit.
 * @param top absolute: any work tree of the clone
 * @param requireHold throws if the caller's lease is over; called after the old value is read, so that a move by the
 * next owner makes the push fail
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
      // An earlier try may have moved the reference on the remote but not here, so the old value is read from the
      // remote.
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
