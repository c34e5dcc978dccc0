import { renderCommand } from '../../../registry/render.js';
import type { TodoState } from '../../../run/engine-rows.js';
import { buildReopenCommands } from '../../../run/reopening.js';
import type { Transaction } from '../../../run/transaction.js';
import { getReopenTarget } from '../../act/execution-summary.js';
import { requireEngine } from '../../act/plan/plan.js';

/** Renders what to do next: how to reopen a halted run, or how to carry on with an aborted one's plan. */
export function renderNextSteps(
  tx: Transaction,
  outcome: 'aborted' | 'completed' | 'halted',
  rows: readonly TodoState[],
): string[] {
  switch (outcome) {
    case 'completed':
      return [];
    case 'halted':
      return renderReopening(tx, rows);
    case 'aborted':
      return [`The plan stands: \`dev-cli init ${tx.state.name} --execute\` carries out what is left of it.`];
  }
}

/** The commands that reopen the run: one for everything that failed, and one for each todo that takes a ruling. */
function renderReopening(tx: Transaction, rows: readonly TodoState[]): string[] {
  const { currentBlock } = tx.state;
  const step = getReopenTarget(requireEngine(tx)) ?? currentBlock;
  if (step === null) return [];
  const failed = rows.filter(({ status }) => status === 'failed').map(({ id }) => id);
  const { resume, ruling } = buildReopenCommands(tx, step);
  const file = String(ruling.input['note']).slice(1);
  const separate = step === currentBlock || failed.length < 2 ? [step] : failed;
  return [
    `Put right what failed, then reopen the run: \`${renderCommand(resume)}\``,
    ...separate.map((id) => {
      const command = renderCommand(buildReopenCommands(tx, id).ruling);
      return `To rule on ${id} for its next attempt, write the ruling to ${file}; then: \`${command}\``;
    }),
  ];
}
