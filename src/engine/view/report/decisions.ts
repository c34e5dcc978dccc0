import { approvalsTold } from '../../../blocks/approvals.js';
import { gateDecision } from '../../../blocks/run-summary.js';
import type { RunSummary } from '../../../documents/run-summary.js';
import type { Turn } from '../../../run/turn.js';
import { rulingsOn, WHOLE_RUN } from '../../act/rulings.js';

/** What was decided: while the plan was made, as far as this name remembers, and at the gates of this run. */
export function decisions({ state }: Turn): RunSummary['decisions'] {
  return [...(state.decisions ?? []), ...Object.entries(state.gates).map(([id, gate]) => gateDecision(id, gate))];
}

/** Who approved the plan and its commands, on which digest; or that nobody did. */
export function approvals({ state }: Turn): string[] {
  const { plan, commands } = approvalsTold(state);
  return [`the plan: ${plan}`, `its commands: ${commands}`];
}

/** What was ruled when todos were reopened, whole. */
export function ruled({ state: { engine } }: Turn): RunSummary['decisions'] {
  if (engine === null) return [];
  return [WHOLE_RUN, ...engine.order].flatMap((id) =>
    rulingsOn(engine, id).map(({ text, at }) => ({
      text: `ruling on ${id === WHOLE_RUN ? 'the whole execution' : id}: ${text}`,
      by: 'agent' as const,
      at,
    })),
  );
}
