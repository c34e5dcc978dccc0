import { describeApprovals } from '../../../blocks/approvals.js';
import { describeGateDecision } from '../../../blocks/run-summary.js';
import type { RunSummary } from '../../../documents/run-summary.js';
import type { Transaction } from '../../../run/transaction.js';
import { listRulings, WHOLE_RUN } from '../../act/rulings.js';

/** What was decided: while the plan was made, as far as this name remembers, and at the gates of this run. */
export function listDecisions({ state }: Transaction): RunSummary['decisions'] {
  return [
    ...(state.decisions ?? []),
    ...Object.entries(state.gates).map(([id, gate]) => describeGateDecision(id, gate)),
  ];
}

/** Who approved the plan and its commands, on which digest; or that nobody did. */
export function renderApprovals({ state }: Transaction): string[] {
  const { plan, commands } = describeApprovals(state);
  return [`the plan: ${plan}`, `its commands: ${commands}`];
}

/** What was ruled when todos were reopened, whole. */
export function listRulingDecisions({ state: { engine } }: Transaction): RunSummary['decisions'] {
  if (engine === null) return [];
  return [WHOLE_RUN, ...engine.order].flatMap((id) =>
    listRulings(engine, id).map(({ text, at }) => ({
      text: `ruling on ${id === WHOLE_RUN ? 'the whole execution' : id}: ${text}`,
      by: 'agent' as const,
      at,
    })),
  );
}
