import { listCommands, renderCommand } from '../../documents/plan-commands.js';
import { findCurrentGate, renderPlanCommands } from '../../engine/act/gates.js';
import { isPlanGate } from '../../recipe/declared.js';
import type { GateAction } from '../../run/action.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { findChoices } from '../../run/pending-action.js';
import { readPlan } from '../../run/plan-content.js';
import type { RunState } from '../../run/state.js';
import { getBlock, openTransaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';
import type { RunHead } from '../run-view.js';

/**
 * Renders a gate for the person at the terminal: its message, what to read first, every command that the answer lets
 * dev-cli run, uncut, and the choices.
 * @throws DevCliError `STATE_CORRUPT`
 */
export async function renderGateQuestion(context: Context, head: RunHead, action: GateAction): Promise<string[]> {
  const { message, artifact } = action;
  const commands = listCommandsToApprove(context, head, action);
  const uncut = commands.every((command) => message.split('\n').includes(`- ${command}`));
  return [
    message,
    ...(artifact === undefined ? [] : [`Read first: ${artifact.path}`]),
    ...(uncut ? [] : ['', 'Every command, whole:', ...commands.map((command) => `- ${command}`)]),
    '',
    ...(findChoices(action) ?? []).map(({ id, label }, index) => `  ${index + 1}  ${id}: ${label}`),
  ];
}

function listCommandsToApprove(
  context: Context,
  head: StreamState<RunState> & { snapshot: RunState },
  { block: id }: GateAction,
): string[] {
  const tx = openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
  const block = getBlock(tx, id);
  if (block.kind === 'engine') return findCurrentGate(tx)?.todo === null ? renderPlanCommands(tx) : [];
  const plan = isPlanGate(block) ? readPlan(tx.files) : null;
  return plan === null ? [] : listCommands(plan).map(renderCommand);
}
