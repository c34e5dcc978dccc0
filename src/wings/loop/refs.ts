import type { GitOptions } from '../../work/git-command.js';
import { type BranchMove, findTip, listReferences, moveBranch, moveReference } from '../../work/trees.js';

/** The references of attempts, and the branches that their commits go to; local or on a remote (fleet.md, Git). */

/** The old and the new commit of a reference; null if it does not exist before or after. */
interface Move {
  from: string | null;
  to: string | null;
}

/** References that move by compare-and-swap. @throws every method: DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED` */
export interface Refs {
  /** Returns the tip of a branch; null if there is no such branch. */
  findTip(branch: string): Promise<string | null>;
  /** Lists the references below a prefix, with their commits. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Moves a reference. @returns git's reason if it refused; null if it moved */
  move(name: string, move: Move): Promise<string | null>;
  moveBranch(branch: string, move: { from: string; to: string }): Promise<BranchMove>;
}

/** Opens the references of this repository. @param top absolute: any work tree of it */
export function openRefs(top: string, git: GitOptions): Refs {
  return {
    findTip: (branch) => findTip(top, branch, git),
    list: (prefix) => listReferences(top, prefix, git),
    move: (name, move) => moveReference(top, name, move, git),
    moveBranch: (branch, move) => moveBranch(top, branch, move, git),
  };
}
