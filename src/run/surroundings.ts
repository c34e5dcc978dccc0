import { DevCliError } from '../base/errors.js';
import type { OtherStreams } from '../store/store.js';
import { type Baseline, toBaseline, type WorkTreeStatus } from '../work/baseline.js';
import type { LoggedCommit } from '../work/commit-search.js';
import type { WorkTreeChanges } from '../work/git.js';
import { readChangesNow, readCommitsNow, readPresentNow } from '../work/present.js';
import type { ReadContext } from './context.js';
import { listOtherExecutions, type OtherExecution } from './other-executions.js';
import { SIMULATED_TREE } from './simulation.js';
import type { RunState } from './state.js';

/**
 * The facts from outside the run that a decision about it may look up. Each is read synchronously at its first use,
 * because few decisions need it, and a decision cannot await anything.
 */
export interface OutsideFacts {
  /** Returns the status that the work tree at this absolute path had when first read; null without a repository. */
  tree: (workTree: string) => WorkTreeStatus | null;
  /** Returns the differences between that work tree and a baseline; null if git can no longer tell. */
  changes: (workTree: string, baseline: Baseline) => WorkTreeChanges | null;
  /** Returns the commits in a range, oldest first; null if git can no longer tell. */
  commits: (workTree: string, range: { from: string | null; to: string }) => readonly LoggedCommit[] | null;
  /**
   * Lists other runs' executions in that work tree. From this call until the decision is committed, no other execution
   * can begin, so the list stays true.
   */
  others: (run: string, workTree: string) => readonly OtherExecution[];
}

/** For a transaction that only reads the run and must not look up anything outside of it. */
export const NO_OUTSIDE_FACTS: OutsideFacts = { tree: refuse, changes: refuse, commits: refuse, others: refuse };

/** For a rehearsed run: a clean repository in which nothing changes, and no other runs. */
const SIMULATED: OutsideFacts = {
  tree: () => SIMULATED_TREE,
  changes: () => ({ paths: [], now: toBaseline(SIMULATED_TREE) }),
  commits: () => [],
  others: () => [],
};

function refuse(): never {
  throw new DevCliError('INTERNAL', 'A read-only call asked for something that only a transaction may read.');
}

/** The lock held while an execution starts, so that if two start at the same time, one of them sees the other. */
const EXECUTION_LOCK = 'executions';

/** Creates the surroundings of a decision. `known`: the status of the work tree, if the caller has already read it. */
export function createOutsideFacts(
  context: ReadContext,
  neighbours: OtherStreams<RunState>,
  known?: WorkTreeStatus | null,
): OutsideFacts {
  if (context.simulation !== undefined) return SIMULATED;
  const { signal } = context;
  let tree = known;
  let others: OtherExecution[] | undefined;
  return {
    tree: (workTree) => {
      if (tree === undefined) tree = readPresentNow(workTree, { signal });
      return tree;
    },
    changes: (workTree, baseline) => readChangesNow(workTree, baseline, { signal }),
    commits: (workTree, range) => readCommitsNow(workTree, range, { signal }),
    others: (run, workTree) => {
      if (others === undefined) {
        neighbours.hold(EXECUTION_LOCK);
        others = listOtherExecutions(context, neighbours, run, workTree);
      }
      return others;
    },
  };
}
