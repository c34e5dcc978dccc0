import { commandList, commandsShown, commandText } from '../documents/plan-commands.js';
import { approvesPlan } from '../recipe/declared.js';
import type { AskedBlock, GateBlock } from '../recipe/resolved.js';
import type { GateAction, PendingAction } from '../run/action.js';
import { PLAN, PLAN_CONTENT, shownPath } from '../run/paths.js';
import type { Turn } from '../run/turn.js';
import { type Common, commonParts, fullOf, INSTRUCTION_CAP, openSections } from './action-parts.js';
import type { BlockType } from './block-type.js';
import { acknowledgeChoice, offered } from './choice.js';
import { presentPlan } from './commands/plan.js';
import { filledPath, wholeProse } from './values.js';

/** `wait-for-user`: a person decides, or the agent in the person's words. */
export const GATE: BlockType<GateBlock> = {
  ask(turn, block, { actionId }) {
    const action = gateAction(turn, block, commonParts(turn, block, actionId));
    return approvesPlan(block) ? { action, handed: { [PLAN_CONTENT]: turn.files.digest(PLAN_CONTENT) } } : { action };
  },
  refuses: ['data', 'result', 'without'],
  acknowledge: acknowledgeChoice,
};

function gateAction(turn: Turn, block: GateBlock, shared: Common): PendingAction {
  const artifact = block.artifact === undefined ? null : filledPath(turn, block.artifact, block.id);
  const commands = artifact === PLAN ? commandsToCome(turn) : '';
  const choices = offered(turn, block, shared);
  const action: GateAction = {
    ...shared.base,
    ...(block.human ? forPerson(turn.state.name, shared.base.instruction) : {}),
    action: 'wait-for-user',
    message: `${wholeProse(turn, block.message, block.id)}${commands}`,
    ...(artifact === null
      ? {}
      : { artifact: { path: shownPath(turn.place, turn.state.name, artifact), digest: turn.files.digest(artifact) } }),
    choices: block.human ? withoutAcks(choices) : choices,
    ...fullOf(turn, block),
  };
  return action;
}

/**
 * What makes a gate one that only a person answers: no acknowledgement of the agent's would be taken, so none is printed
 * (protocol.md, Fields).
 * @param instruction what the agent does first, cut where it leaves no room for how the user answers
 */
export function forPerson(name: string, instruction: string): Pick<GateAction, 'human' | 'answer' | 'instruction'> {
  const how = ` Then show the user what \`answer\` says and wait: only the user runs it, in a terminal of their own. After that go on with: dev-cli next ${name}`;
  const room = INSTRUCTION_CAP - how.length;
  const first = instruction.length <= room ? instruction : `${instruction.slice(0, room - 1)}…`;
  return { instruction: `${first}${how}`, human: 'required', answer: { command: 'approve', input: { name } } };
}

function withoutAcks(choices: ReturnType<typeof offered>): NonNullable<GateAction['choices']> {
  return choices.map(({ ack: _, ...choice }) => choice);
}

/** A loop that asks the user has reached its bound: the user decides how it goes on (protocol.md §3). */
export function boundGate(turn: Turn, block: AskedBlock, shared: Common): PendingAction {
  const missing = block.kind === 'llm-loop' ? openSections(turn, block) : [];
  const open = missing.length === 0 ? 'It did not pass yet.' : `Still empty: ${missing.join(', ')}.`;
  return {
    ...shared.base,
    instruction: 'The rounds for this step are used up. Tell the user what is still open and let the user choose.',
    action: 'wait-for-user',
    asks: 'user',
    message: `"${block.id}" has used all its rounds. ${open} Go on as it is, take more rounds, or stop?`,
    choices: [
      { id: 'continue', label: 'Go on with what is there', ack: shared.acknowledge({ choice: 'continue' }) },
      { id: 'more', label: 'The same number of rounds once more', ack: shared.acknowledge({ choice: 'more' }) },
      { id: 'stop', label: 'Stop the run here', ack: shared.acknowledge({ choice: 'stop' }) },
    ],
  };
}

/** What execution will run without asking again: the user sees it before approving. */
function commandsToCome(turn: Turn): string {
  const plan = presentPlan(turn.files);
  const commands = plan === null ? [] : commandList(plan);
  if (commands.length === 0) return '';
  return `\n\nExecution will run these commands:\n${commandsShown(commands.map(commandText), `${PLAN} has them all`)}`;
}
