import { isPlanGate } from '../recipe/declared.js';
import type { GateBlock } from '../recipe/resolved.js';
import type { GateAction, PendingAction } from '../run/action.js';
import { displayPath, PLAN, PLAN_CONTENT } from '../run/paths.js';
import type { Transaction } from '../run/transaction.js';
import { type ActionBase, addToInstruction, buildActionBase, buildFullPart } from './action-parts.js';
import type { BlockType } from './block-type.js';
import { acknowledgeChoice, listOfferedChoices } from './choice.js';
import { renderPlanFacts } from './plan-question.js';
import { fillPath, fillWholeText } from './values/values.js';

/** `wait-for-user`: a person decides, or the agent passes on the user's answer. */
export const GATE: BlockType<GateBlock> = {
  ask(tx, block, { actionId }) {
    const action = buildGate(tx, block, buildActionBase(tx, block, actionId));
    return isPlanGate(block) ? { action, handed: { [PLAN_CONTENT]: tx.files.digest(PLAN_CONTENT) } } : { action };
  },
  refuses: ['data', 'result', 'without'],
  acknowledge: acknowledgeChoice,
};

function buildGate(tx: Transaction, block: GateBlock, shared: ActionBase): PendingAction {
  const artifact = block.artifact === undefined ? null : fillPath(tx, block.artifact, block.id);
  const facts = artifact === PLAN ? renderPlanFacts(tx) : '';
  const choices = listOfferedChoices(tx, block, shared);
  const action: GateAction = {
    ...shared.base,
    ...(block.human ? buildPersonFields(tx.state.name, shared.base.instruction) : {}),
    action: 'wait-for-user',
    message: `${fillWholeText(tx, block.message, block.id)}${facts}`,
    ...(artifact === null
      ? {}
      : { artifact: { path: displayPath(tx.place, tx.state.name, artifact), digest: tx.files.digest(artifact) } }),
    choices: block.human ? choices.map(({ ack: _, ...choice }) => choice) : choices,
    ...buildFullPart(tx, block),
  };
  return action;
}

/**
 * Builds the fields of a gate that only a person can answer (protocol.md, Fields). The gate prints no acknowledgement,
 * because dev-cli would refuse it from an agent.
 * @param instruction what the agent does first; cut if it leaves no room for the text about how the user answers
 */
export function buildPersonFields(
  name: string,
  instruction: string,
): Pick<GateAction, 'human' | 'answer' | 'instruction'> {
  const how = ` Then show the user \`answer\` and wait: they run it in their own terminal or, where hooks listen, answer here. After that: dev-cli next ${name}`;
  return {
    instruction: addToInstruction(instruction, how),
    human: 'required',
    answer: { command: 'approve', input: { name } },
  };
}
