import { roundOf } from '../blocks/values.js';
import type { Turn } from '../run/turn.js';
import type { Dispatched } from './deliveries.js';

/**
 * Notes the verdicts of the round. One that was started again judges together with those that had delivered before it:
 * a rejection stays one.
 */
export function noteVerdicts(turn: Turn, { block, action, state }: Dispatched): Record<string, string> {
  const verdicts: Record<string, string> = {};
  const rows = state.cause === 'retry' ? block.agents : action.agents;
  for (const row of rows) {
    const agent = turn.state.agents[row.id];
    if (agent === undefined || agent.status !== 'done' || agent.verdict === undefined) continue;
    verdicts[row.id] = agent.verdict;
    turn.state.reviewRounds.push({
      block: block.id,
      round: roundOf(turn, block.id),
      agent: row.id,
      verdict: agent.verdict,
      summary: agent.summary ?? '',
      output: agent.output ?? null,
    });
  }
  return verdicts;
}

/** The verdicts in words; a round may have failed its condition without any. */
export function verdictLine(verdicts: Record<string, string>): string {
  const line = Object.entries(verdicts).map(([agent, verdict]) => `${agent} ${verdict}`);
  return line.length === 0 ? 'no verdict' : line.join(', ');
}
