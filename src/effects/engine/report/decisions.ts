import type { RunSummary } from '../../../documents/run-summary.js';
import type { Turn } from '../../turn.js';

/** What was decided at gates, as the report tells it. */
export function decisions({ state }: Turn): RunSummary['decisions'] {
  return Object.entries(state.gates).map(([id, gate]) => ({
    text: `${id}: ${gate.choice}`,
    ...(gate.note === undefined ? {} : { reason: gate.note }),
    by: gate.by === 'human' ? 'user' : 'agent',
    at: gate.at,
  }));
}
