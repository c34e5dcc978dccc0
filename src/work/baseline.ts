/** The work tree at one moment (storage.md, state.json). */
export interface Baseline {
  /** The commit checked out; null before the first one. */
  head: string | null;
  /**
   * Every path outside `.dev/` that git reported as changed or untracked, relative to the work tree, with its digest
   * (digest.ts; for a nested repository `tree:` and a digest) or, if it was deleted, null.
   */
  dirty: Record<string, string | null>;
  /** The paths in `dirty` that are staged; absent if there are none. */
  staged?: readonly string[];
  /** How many commits the branch is ahead of its upstream; absent without an upstream. */
  ahead?: number;
}

/** The work tree as it is now. */
export interface WorkTreeStatus extends Baseline {
  /** The branch checked out; null if HEAD is detached. */
  branch: string | null;
}

/** Removes the branch name: renaming or leaving a branch does not change the work tree. */
export function toBaseline({ branch: _, ...baseline }: WorkTreeStatus): Baseline {
  return baseline;
}
