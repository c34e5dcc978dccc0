import { DevCliError } from '../../base/errors.js';
import { saySize } from '../../blocks/size-claim.js';
import { isLarger, type Size } from '../../documents/size-rules.js';
import type { Job } from '../../jobs/job.js';
import { canInvalidate } from '../../machine/position.js';
import { findClassifier } from '../../recipe/own-commands.js';
import { awaitsGoal } from '../../run/goal.js';
import { getSize } from '../../run/size.js';
import type { Transaction } from '../../run/transaction.js';
import { redoBlocks } from '../control/invalidate.js';
import { reopenPhase } from '../walk/phases.js';
import { buildSmallerError } from './size.js';

/**
 * `init --size` on a run that plans: the size counts as the user's word, and the run is redone from the block that
 * classifies; documents stay (recipes.md, Size).
 * @returns the jobs that it withdrew, which are still running; null when the run has that size
 * @throws DevCliError `SIZE_REFUSED` for less than what is at work, and where no block of the recipe at work classifies
 */
export function growPlanning(tx: Transaction, size: Size): Job[] | null {
  const { state } = tx;
  const { value } = getSize(state);
  const classifier = findClassifier(tx.captured.recipe);
  if (tx.state.size?.said === size || (classifier === null && size === value)) return null;
  if (classifier === null) throw buildFixedSizeError(tx, value);
  if (isLarger(value, size) && isBegun(tx, classifier)) throw buildSmallerError(state.name, size, value);
  const redone =
    size !== value && !awaitsGoal(state) && canInvalidate(tx.captured.recipe.program, tx.state.machine, classifier);
  saySize(tx, size, { block: classifier, redone: redone ? `: redone from ${classifier}` : '' });
  if (!redone) return [];
  reopenPhase(tx);
  return redoBlocks(tx, classifier);
}

/** Whether anything was done at the size that counts so far: the block that classifies, or one behind it. */
function isBegun({ captured, state: { steps } }: Transaction, classifier: string): boolean {
  const ids = captured.recipe.blocks.map(({ id }) => id);
  const [own, ...behind] = ids.slice(ids.indexOf(classifier)).map((id) => steps[id]?.status ?? 'pending');
  return (own !== 'pending' && own !== 'running') || behind.some((status) => status !== 'pending');
}

function buildFixedSizeError({ state, captured }: Transaction, value: Size): DevCliError {
  const { name } = state;
  return new DevCliError(
    'SIZE_REFUSED',
    `"${name}" is at ${captured.recipe.name}, which has no block that finds the size; it stays ${value}.`,
    {
      run: name,
      fix: [
        'Ask the user: init with --force gives the run up and starts again at that size. To go on with it: ',
        { command: 'next', input: { name } },
      ],
    },
  );
}
