import { DevCliError } from '../../base/errors.js';
import { issueAction } from '../../blocks/block-types.js';
import { executeCliBlock } from '../../blocks/cli.js';
import { beginExitCheck } from '../../blocks/exit-check.js';
import { askGoal } from '../../blocks/goal.js';
import { fillPath } from '../../blocks/values/values.js';
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import type { Effect } from '../../machine/events.js';
import { awaitsGoal } from '../../run/facts.js';
import { getRunDirectory } from '../../run/paths.js';
import type { PendingState } from '../../run/state.js';
import { getBlock, type Transaction } from '../../run/transaction.js';
import { advance } from './advance.js';
import { endRun } from './end.js';

type IssueCause<T extends Effect['type']> = Extract<Effect, { type: T }> extends { cause: infer C } ? C : never;

/**
 * Issues the pending action of a forked run again, under the fork's name and with its own files (storage.md, History).
 * A running command is started again, accepted results of a dispatch stay accepted, and in an execution every todo that
 * is not done begins again.
 * @param pending the original run's pending action
 * @param from name of the original run
 */
export function reissueAction(tx: Transaction, pending: PendingState, from: string): void {
  if (awaitsGoal({ pendingAction: pending })) {
    askGoal(tx);
    return;
  }
  if (pending.action !== 'done' && BLOCK_KINDS[getBlock(tx, pending.block).kind].by === 'engine') {
    advance(tx, { type: 'INVALIDATE', block: pending.block });
    return;
  }
  switch (pending.action) {
    case 'done':
      endRun(tx, pending.outcome);
      return;
    case 'running':
      restart(tx, pending.block, pending);
      return;
    case 'dispatch-subagents': {
      const taken = pending.agents.some(({ id }) => tx.state.agents[id]?.status !== 'pending');
      issueAgain(tx, pending, from, taken ? 'retry' : (pending.cause as IssueCause<'issue'>));
      return;
    }
    case 'llm':
    case 'llm-loop':
    case 'llm+cli':
    case 'wait-for-user':
      issueAgain(tx, pending, from, pending.cause as IssueCause<'issue'>);
      return;
    case 'engine-dispatch':
      throw new DevCliError('INTERNAL', `"${pending.block}" hands out tasks but is not an engine block.`);
    default:
      pending satisfies never;
  }
}

/** Starts a command again: a CLI block's command, or the exit check of a loop. */
function restart(tx: Transaction, id: string, { cause, sections }: PendingState): void {
  const block = getBlock(tx, id);
  if (!('exitCommand' in block) || block.exitCommand === undefined) {
    executeCliBlock(tx, { type: 'execute', block: id, cause: cause as IssueCause<'execute'> });
    return;
  }
  const { event } = beginExitCheck(tx, block, block.exitCommand, cause, sections);
  if (event !== undefined) advance(tx, event);
}

function issueAgain(tx: Transaction, action: PendingState, from: string, cause: IssueCause<'issue'>): void {
  if (action.action === 'done') return;
  const { block } = action;
  tx.because.push(...listReasons(tx, block, action, from));
  if (issueAction(tx, { type: 'issue', block, cause })) return;
  throw new DevCliError('INTERNAL', `"${block}" was pending and has nothing to hand out.`);
}

/**
 * Lists the files that the original run had added to the action's `read` beyond those that its block always names. They
 * say why the action was issued again: a ruling, for example.
 */
function listReasons(
  tx: Transaction,
  id: string,
  { read = [], actionId }: { read?: readonly string[]; actionId: string },
  from: string,
) {
  const directory = `${getRunDirectory(from)}/`;
  const block = getBlock(tx, id);
  const usual = 'read' in block ? block.read.map((path) => fillPath(tx, path, id)) : [];
  const own = [...usual, `actions/${actionId}/prompt.md`];
  return read
    .filter((path) => path.includes(directory))
    .map((path) => path.slice(path.indexOf(directory) + directory.length))
    .filter((path) => !own.includes(path));
}
