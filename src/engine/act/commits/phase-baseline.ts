// door: engine

import { joinFirst } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { recordWarning, type Transaction } from '../../../run/transaction.js';
import { toBaseline } from '../../../work/baseline.js';
import { listChangedPaths } from '../../../work/paths.js';

/** How many uncommitted paths the warning names. */
const NAMED = 10;

/**
 * Sets the run's baseline to the current work tree when a phase begins, because the phase before it was meant to change
 * the tree. If this phase or a later one is an execution, warns of uncommitted changes, since no commit of the run
 * includes them (recipes.md §4).
 * @param index the index of the phase that begins
 */
export function renewBaseline(tx: Transaction, index: number): void {
  const { baseline, workflow } = tx.state;
  const tree = tx.tree();
  const left = tree === null || baseline === null ? [] : listChangedPaths(tree, baseline);
  const isCarriedOut = tx.captured.workflow?.phases.slice(index).some(({ recipe }) => recipe.engine !== undefined);
  if (left.length > 0 && isCarriedOut === true) {
    const shown = joinFirst(
      left.map((path) => toBoundedLine(path, 200)),
      NAMED,
    );
    const line = `left changes that no commit of this run takes in: ${shown}`;
    recordWarning(tx, `phase ${workflow?.currentPhase ?? ''} ${line}`);
  }
  tx.state.baseline = tree === null ? null : toBaseline(tree);
}
