import { foreignLine } from '../documents/foreign.js';
import { offeredChoices } from '../machine/transition.js';
import type { AskedBlock, GateBlock, LlmBlock, ResolvedChoice } from '../recipe/resolved.js';
import type { GateAction, PendingAction } from '../run/action.js';
import { presentPlan } from './commands/plan.js';
import { type Common, fullOf, openSections } from './issue-common.js';
import { PLAN, shownPath } from './paths.js';
import type { Turn } from './turn.js';
import { filledPath, prose } from './values.js';

/** Commands listed at most in a gate's message. */
const COMMANDS_SHOWN = 12;

/** The pending action of a `wait-for-user` block. */
export function gateAction(turn: Turn, block: GateBlock, shared: Common): PendingAction {
  const artifact = block.artifact === undefined ? null : filledPath(turn, block.artifact, block.id);
  const commands = artifact === PLAN ? commandsToCome(turn) : '';
  const action: GateAction = {
    ...shared.base,
    action: 'wait-for-user',
    message: `${prose(turn, block.message, block.id)}${commands}`,
    ...(block.human ? { human: 'required' as const } : {}),
    ...(artifact === null
      ? {}
      : { artifact: { path: shownPath(turn.place, turn.state.name, artifact), digest: turn.files.digest(artifact) } }),
    choices: offered(turn, block, shared),
    ...fullOf(turn, block),
  };
  return action;
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

/** The choices of a block that are offered now; one that leads back disappears at its bound (recipes.md §2). */
export function offered(turn: Turn, block: GateBlock | LlmBlock, shared: Common) {
  const program = turn.captured.recipe.program.blocks.find((candidate) => candidate.id === block.id);
  const counters = turn.state.machine.counters[block.id];
  const ids = program === undefined || counters === undefined ? [] : offeredChoices(program, counters);
  return block.choices
    .filter((choice) => ids.includes(choice.id))
    .map((choice) => ({
      id: choice.id,
      label: prose(turn, choice.label, block.id),
      ack: acknowledgementOf(turn, choice, shared),
      ...(choice.reasonRequired ? { reason: 'required' as const } : {}),
    }));
}

function acknowledgementOf(turn: Turn, choice: ResolvedChoice, shared: Common) {
  const note = shownPath(turn.place, turn.state.name, `actions/${shared.actionId}/note.md`);
  return shared.acknowledge({ choice: choice.id, ...(choice.reasonRequired ? { note: `@${note}` } : {}) });
}

/** What execution will run without asking again: the user sees it before approving. */
function commandsToCome(turn: Turn): string {
  const plan = presentPlan(turn.files);
  if (plan === null) return '';
  const commands = new Set<string>();
  for (const todo of plan.todos) {
    for (const item of todo.acceptance) if (item.kind === 'command') commands.add(foreignLine(item.run.join(' '), 100));
  }
  if (commands.size === 0) return '';
  const shown = [...commands].slice(0, COMMANDS_SHOWN);
  const more = commands.size > shown.length ? `\n- and ${commands.size - shown.length} more, in the plan` : '';
  return `\n\nExecution will run these commands:\n${shown.map((command) => `- ${command}`).join('\n')}${more}`;
}
