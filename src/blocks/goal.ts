// door: seldom

import { DevCliError } from '../base/errors.js';
import type { Invocation } from '../base/invocation.js';
import { LIMITS } from '../base/limits.js';
import type { LlmAction } from '../run/action.js';
import { ASKS_GOAL } from '../run/facts.js';
import { displayPath } from '../run/paths.js';
import { type PendingBlock, recordAcknowledged, setPendingAction } from '../run/pending-action.js';
import type { Transaction } from '../run/transaction.js';
import type { AckInput } from './acknowledgement.js';
import { renderProgress } from './action-parts.js';
import { beginDraft } from './run-draft.js';

/** The first action of a run that was begun without the goal that its recipe uses (protocol.md §5). */

const INSTRUCTION =
  'Write what the user wants from this run to `data.write`, word for word: everything they have said about it, in their order; add nothing of your own and do not summarize. Ask them only if they have not said it yet. Every agent of the run reads it as the request.';

/** Asks the agent for the goal instead of starting the recipe's first block, which begins once the goal is given. */
export function askGoal(tx: Transaction): void {
  const { state, place, captured } = tx;
  const block = captured.recipe.blocks[0]?.id ?? '';
  state.currentBlock = block;
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const write = displayPath(place, state.name, `actions/${actionId}/goal.md`);
  const action: LlmAction = {
    run: state.name,
    block,
    actionId,
    action: 'llm',
    instruction: INSTRUCTION,
    progress: renderProgress(tx, block),
    data: { write, form: 'markdown' },
    ack: { command: 'step complete', input: { name: state.name, action: actionId, data: `@${write}` } },
  };
  setPendingAction(tx, action, {}, ASKS_GOAL);
}

/**
 * Reads the goal from the acknowledgement of the action that asked for it.
 * @throws DevCliError `DATA_MISSING` if the goal is missing or blank; `DATA_MALFORMED` if it is too long;
 * `DATA_UNEXPECTED` for `step fail`
 */
export function readAcknowledgedGoal(
  { action }: PendingBlock,
  { data, fail }: Pick<AckInput, 'data' | 'fail'>,
): string {
  if (fail === true) {
    throw new DevCliError('DATA_UNEXPECTED', 'Nothing in this run has started yet, so nothing in it can fail.', {
      fix: [
        'Ask the user what they want. If they want nothing, end the run, with the reason for WHY: ',
        abortOf(action.run),
      ],
    });
  }
  const goal = data?.text.trim() ?? '';
  if (goal.length > LIMITS.freeText) {
    throw new DevCliError('DATA_MALFORMED', `The request has ${goal.length} characters; at most ${LIMITS.freeText}.`, {
      fix: 'Shorten it with the user: move long parts into a file of the project, and name that file in the request.',
    });
  }
  if (goal !== '') return goal;
  throw new DevCliError('DATA_MISSING', 'This action needs the user’s request, but none was handed in.', {
    fix: 'Write it, word for word, to the file that `data.write` names, then repeat the acknowledgement.',
  });
}

/** Builds the command that hands in the goal although another run has the same goal. */
export function buildNewGoalCommand({ action }: PendingBlock): Invocation {
  const { write = '' } = ('data' in action ? action.data : undefined) ?? {};
  return { command: 'init', input: { name: action.run, goal: `@${write}`, new: true } };
}

/** Sets the run's goal, and begins the draft if a recipe uses one. The caller then starts the recipe. */
export function setRunGoal(tx: Transaction, pending: PendingBlock, goal: string): void {
  tx.state.goal = goal;
  recordAcknowledged(tx, pending, { goal });
  const recipes = tx.captured.workflow?.phases.map(({ recipe }) => recipe) ?? [tx.captured.recipe];
  if (recipes.some(({ usesDraft }) => usesDraft)) beginDraft(tx);
}

function abortOf(name: string): Invocation {
  return { command: 'abort', input: { name, reason: 'WHY' } };
}
