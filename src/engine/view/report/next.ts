import { renderCommand } from '../../../registry/render.js';
import type { TodoState } from '../../../run/engine-rows.js';
import { reopening } from '../../../run/reopening.js';
import type { Turn } from '../../../run/turn.js';
import { reopensAt } from '../../act/done.js';
import { engineOf } from '../../act/plan.js';

/** What the report says that comes next. */
export function nextSteps(
  turn: Turn,
  outcome: 'aborted' | 'completed' | 'halted',
  rows: readonly TodoState[],
): string[] {
  switch (outcome) {
    case 'completed':
      return [];
    case 'halted':
      return reopened(turn, rows);
    case 'aborted':
      return [`The plan stands: \`dev-cli init ${turn.state.name} --execute\` carries out what is left of it.`];
  }
}

/** The commands that reopen the run, as they stand: for all that failed, and for each todo with a ruling on it. */
function reopened(turn: Turn, rows: readonly TodoState[]): string[] {
  const { currentBlock } = turn.state;
  const step = reopensAt(engineOf(turn)) ?? currentBlock;
  if (step === null) return [];
  const failed = rows.filter(({ status }) => status === 'failed').map(({ id }) => id);
  const { resume, ruling } = reopening(turn, step);
  const file = String(ruling.input['note']).slice(1);
  const separate = step === currentBlock || failed.length < 2 ? [step] : failed;
  return [
    `Put right what failed, then reopen the run: \`${renderCommand(resume)}\``,
    ...separate.map((id) => {
      const command = renderCommand(reopening(turn, id).ruling);
      return `To rule on ${id} for its next attempt, write the ruling to ${file}; then: \`${command}\``;
    }),
  ];
}
