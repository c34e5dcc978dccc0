import type { GitOptions } from '../../work/git-command.js';
import { type BranchMove, findTip, listReferences, moveBranch, moveReference } from '../../work/trees.js';

/** The references of attempts and the branches that get their commits; what stands behind could be a remote (fleet.md, Git). */

/** What a reference is moved from and to; null: it is not there, before or after. */
interface Move {
  from: string | null;
  to: string | null;
}

/** Each moves from what it was found at, at once or not at all. @throws every method: DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED` */
export interface Refs {
  /** The commit that a branch ends with; null where there is none. */
  findTip(branch: string): Promise<string | null>;
  /** References below a prefix, with the commits they name. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** @returns git's reason where it refused */
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
