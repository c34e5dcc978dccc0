import { DevCliError } from '../../base/errors.js';
import { findSuggestion } from '../../base/suggest.js';
import { joinFirst } from '../../base/words.js';
import type { AckInput } from '../../blocks/acknowledgement.js';
import { buildStaleError } from '../../engine/act/results/withdrawn-task.js';
import { listRecipeStates } from '../../run/facts.js';
import { type PendingBlock, staleActionError } from '../../run/pending-action.js';
import type { Transaction } from '../../run/transaction.js';

/**
 * Finds the action that an acknowledgement is for (protocol.md §3): the pending one, or one acknowledged earlier.
 * Refuses any other.
 * @throws DevCliError `STALE_ACTION`, `NOT_REACHED`, `UNKNOWN_BLOCK`, `USAGE`
 */
export function identifyAction(
  tx: Transaction,
  pending: PendingBlock | null,
  input: AckInput,
): { kind: 'pending'; pending: PendingBlock } | { kind: 'duplicate' } {
  if ((input.action === undefined) === (input.step === undefined)) {
    throw new DevCliError('USAGE', 'Name the step with --action or --step.', {
      fix: { command: 'next', input: { name: tx.state.name } },
    });
  }
  return input.action === undefined ? byBlock(tx, pending, input.step ?? '') : byAction(tx, pending, input.action);
}

function byAction(tx: Transaction, pending: PendingBlock | null, actionId: string): ReturnType<typeof identifyAction> {
  if (pending !== null && pending.action.actionId === actionId) return { kind: 'pending', pending };
  // The action may have been acknowledged in an earlier phase.
  const isDuplicate = listRecipeStates(tx.state).some(({ acknowledged }) => Object.hasOwn(acknowledged, actionId));
  if (isDuplicate) return { kind: 'duplicate' };
  throw buildStaleError(tx, actionId, `The action ${JSON.stringify(actionId.slice(0, 40))} is not the pending one.`);
}

function byBlock(tx: Transaction, pending: PendingBlock | null, prefix: string): ReturnType<typeof identifyAction> {
  const other = phaseWith(tx, prefix);
  if (other !== null && !isOfThisPhase(tx, prefix)) {
    if (other.ended) return { kind: 'duplicate' };
    throw notReached(tx, prefix);
  }
  const id = resolveBlockId(tx, prefix);
  if (pending !== null && pending.block.id === id) {
    if (other?.ended !== true) return { kind: 'pending', pending };
    throw staleActionError(
      tx,
      `"${id}" is also a block of the phase "${other.name}", which has ended; name the action instead.`,
    );
  }
  const status = tx.state.steps[id]?.status;
  if (status === 'done' || status === 'skipped' || status === 'failed') return { kind: 'duplicate' };
  throw notReached(tx, id);
}

function notReached(tx: Transaction, id: string): DevCliError {
  return new DevCliError('NOT_REACHED', `"${id}" has not been reached yet.`, {
    fix: { command: 'next', input: { name: tx.state.name } },
  });
}

/** Finds another phase of the workflow that has this block, preferring one that has ended. */
function phaseWith(tx: Transaction, id: string): { name: string; ended: boolean } | null {
  const { workflow } = tx.state;
  const phases = tx.captured.workflow?.phases ?? [];
  if (workflow === null) return null;
  const having = phases.flatMap(({ name, recipe }, index) => {
    const has = index !== workflow.phaseIndex && recipe.blocks.some((block) => block.id === id);
    return has ? [{ name, ended: workflow.phases[index]?.results !== undefined }] : [];
  });
  return having.find(({ ended }) => ended) ?? having[0] ?? null;
}

function isOfThisPhase({ captured }: Transaction, id: string): boolean {
  return captured.recipe.blocks.some((block) => block.id === id);
}

/** Refuses a block of another phase. @throws DevCliError `PHASE_ENDED`, or `NOT_REACHED` if the phase has not ended */
export function refuseOtherPhase(tx: Transaction, id: string): void {
  const other = phaseWith(tx, id);
  if (other === null || isOfThisPhase(tx, id)) return;
  if (!other.ended) throw notReached(tx, id);
  throw new DevCliError(
    'PHASE_ENDED',
    `"${id}" belongs to the phase "${other.name}", which has ended; its steps cannot be redone.`,
    {
      fix: `Steps of the current phase can be redone: ${tx.captured.recipe.blocks.map((block) => block.id).join(', ')}.`,
    },
  );
}

/**
 * Returns the id of the block that `prefix` stands for.
 * @param todos ids of todos, which the error also lists, since the caller may have meant one
 * @throws DevCliError `UNKNOWN_BLOCK` when no block of the current phase, or more than one, begins with `prefix`
 */
export function resolveBlockId(tx: Transaction, prefix: string, todos: readonly string[] = []): string {
  const ids = tx.captured.recipe.blocks.map((block) => block.id);
  if (ids.includes(prefix)) return prefix;
  const fitting = ids.filter((id) => prefix !== '' && id.startsWith(prefix));
  if (fitting.length === 1 && fitting[0] !== undefined) return fitting[0];
  const near = findSuggestion(prefix, [...ids, ...todos]);
  const orTodo = todos.length === 0 ? '' : ', and its plan has no todo with that id';
  throw new DevCliError(
    'UNKNOWN_BLOCK',
    fitting.length > 1
      ? `${JSON.stringify(prefix)} matches several blocks: ${fitting.join(', ')}.`
      : `The recipe ${tx.captured.recipe.name} has no block ${JSON.stringify(prefix.slice(0, 40))}${orTodo}.`,
    {
      fix:
        near !== undefined && fitting.length === 0
          ? `Did you mean "${near}"?`
          : `Blocks: ${ids.join(', ')}.${todos.length === 0 ? '' : ` Todos: ${joinFirst(todos, TODOS_NAMED)}.`}`,
    },
  );
}

/** The most todos that an error names. */
const TODOS_NAMED = 20;
