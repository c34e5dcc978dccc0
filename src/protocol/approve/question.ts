import { presentPlan } from '../../blocks/commands/plan.js';
import { commandList, commandText } from '../../documents/plan-commands.js';
import { commandTexts, gateAt } from '../../engine/act/gates.js';
import { approvesPlan } from '../../recipe/declared.js';
import { choicesOf } from '../../run/acknowledgements.js';
import type { GateAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { blockOf } from '../../run/turn.js';
import type { Head } from '../../store/store.js';
import { withRare } from '../rare.js';
import { capturedOf, openTurn } from '../turns.js';

/**
 * The question of a gate as the person at the terminal reads it: its message, what to read first, every command that the
 * answer lets dev-cli run, whole and quoted, and the choices.
 */
export async function gateQuestion(
  context: Context,
  head: Head<RunState> & { snapshot: RunState },
  action: GateAction,
): Promise<string[]> {
  const { message, artifact } = action;
  const commands = await commandsAsked(context, head, action);
  const uncut = commands.every((command) => message.split('\n').includes(`- ${command}`));
  return [
    message,
    ...(artifact === undefined ? [] : [`Read first: ${artifact.path}`]),
    ...(uncut ? [] : ['', 'Every command, whole:', ...commands.map((command) => `- ${command}`)]),
    '',
    ...(choicesOf(action) ?? []).map(({ id, label }, index) => `  ${index + 1}  ${id}: ${label}`),
  ];
}

function commandsAsked(
  context: Context,
  head: Head<RunState> & { snapshot: RunState },
  { block: id }: GateAction,
): Promise<string[]> {
  return withRare(async (rare) => {
    const turn = openTurn(context, head, head.snapshot, capturedOf(head, rare.recompile), rare);
    const block = blockOf(turn, id);
    if (block.kind === 'engine') return gateAt(turn)?.todo === null ? commandTexts(turn) : [];
    const plan = approvesPlan(block) ? presentPlan(turn.files) : null;
    return plan === null ? [] : commandList(plan).map(commandText);
  });
}
