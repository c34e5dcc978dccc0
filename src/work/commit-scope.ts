import type { HeadRule } from './commit-head.js';
import type { Baseline } from './git.js';

/** What a commit of a run may hold, and where it may go (engine.md, commit). */
export interface CommitScope {
  /** `<runId>/<todo>`, or `<runId>/residual`. */
  key: string;
  /** The work tree when the work began; what has not changed since is nobody's work. */
  since: Baseline;
  /** The work tree when the run began: what was changed then is the user's and is left alone. */
  before: Baseline;
  /** Globs of what belongs to it, relative to the work tree; null: everything. */
  files: readonly string[] | null;
  /** Single paths that belong to it as well. */
  charged: readonly string[];
  /** What the results list, and what they say is somebody else's; without it, all that belongs to it was changed by it. */
  listed?: Listed;
  /** Where the commit may go; without it, wherever HEAD is. */
  head?: HeadRule;
}

/** Paths relative to the work tree, as results name them; a directory stands for what is below. */
interface Listed {
  filesChanged: readonly string[];
  notMine: readonly string[];
}
