import { DevCliError } from '../../base/errors.js';
import type { SubagentBlock } from '../../recipe/resolved.js';
import { fault, noteStep, record, type Turn } from '../../run/turn.js';
import type { AckInput, Acknowledged, ChangedSources, Pending } from '../acknowledgement.js';
import { refuseOutdated } from '../inputs.js';
import { passes, runOnComplete, runOrRefuse, warnAtBound } from '../own-command.js';
import { completed, settleAction } from '../settle.js';
import { refuseChangedSources } from '../sources.js';
import { roundOf } from '../values.js';
import { checkedWithout, collect, type Delivered, type Dispatched, giveUp } from './deliveries.js';
import { undelivered } from './undelivered.js';

/** Subagents: every promised output is there and holds up, or is given up with a reason (protocol.md §3). */
export function acknowledgeAgents(
  turn: Turn,
  pending: Pending<SubagentBlock>,
  input: AckInput,
  sources: ChangedSources,
): Acknowledged {
  const { block, action } = pending;
  if (action.action !== 'dispatch-subagents') throw new DevCliError('INTERNAL', 'Not a dispatch.');
  const without = checkedWithout(turn, action, input);
  const refusal = refuseChangedSources(turn, action.actionId, sources);
  if (refusal !== null) return refusal;
  refuseOutdated(turn, pending, without);
  const dispatched = { ...pending, action };
  const delivered = collect(turn, dispatched, input);
  const { evidence, reported, findings } = delivered;
  giveUp(turn, dispatched, findings, without, input.reason ?? '');
  const open = findings.filter((finding) => !without.includes(finding.agent));
  if (open.length === 0) return concluded(turn, dispatched, delivered);
  if (Object.keys(evidence).length > 0 || reported.length > 0) {
    record(turn, 'accepted', {
      actionId: action.actionId,
      block: block.id,
      evidence,
      ...(reported.length === 0 ? {} : { selfReported: reported }),
    });
  }
  return { result: { kind: 'refused', error: undelivered(turn, action, open) } };
}

/** All agents of the action have delivered or were given up: what the block does next. */
function concluded(turn: Turn, pending: Dispatched, delivered: Delivered): Acknowledged {
  const { block, action } = pending;
  const states = block.agents.flatMap((agent) => turn.state.agents[agent.id] ?? []);
  const failed = action.agents.filter((row) => turn.state.agents[row.id]?.status === 'failed');
  const noneLeft = !states.some((agent) => agent.status === 'done');
  settleAction(turn, pending);
  noteStep(turn, block.id, `${states.filter((agent) => agent.status === 'done').length} of ${states.length} agents`);
  if (failed.length > 0 && (block.onError.kind !== 'continue' || noneLeft)) {
    const names = failed.map((row) => row.id).join(', ');
    record(turn, 'failed', { actionId: action.actionId, block: block.id, reason: `without ${names}` });
    fault(turn, block.id, 'STEP_FAILED', `not delivered: ${names}`);
    completeAnyway(turn, block);
    return { result: { kind: 'failed' }, event: { type: 'FAIL' } };
  }
  const verdicts = noteVerdicts(turn, pending);
  if (block.onComplete !== undefined) runOrRefuse(turn, block.onComplete, block.id);
  if (block.kind === 'subagent') {
    // Checked in any case: it may store something.
    const passed = passes(turn, block);
    if (!passed || Object.values(verdicts).includes('REJECT')) warnNotPassed(turn, block, verdicts);
    return acknowledged(turn, pending, delivered);
  }
  return passes(turn, block) ? acknowledged(turn, pending, delivered) : notPassed(turn, pending, delivered, verdicts);
}

/**
 * What a block whose failure lets the run go on leaves behind all the same: the agents that failed are named where others
 * read it (documents.md, draft import). It stops nothing any more; what it finds wrong is a warning.
 */
export function completeAnyway(turn: Turn, block: SubagentBlock): void {
  if (block.onError.kind === 'continue') runOnComplete(turn, block);
}

function acknowledged(turn: Turn, pending: Dispatched, { evidence, reported }: Delivered): Acknowledged {
  return completed(turn, pending, { evidence, ...(reported.length === 0 ? {} : { selfReported: true }) });
}

/** A block that is no loop has one round only: what did not pass is told and the run goes on. */
function warnNotPassed(turn: Turn, block: SubagentBlock, verdicts: Record<string, string>): void {
  const line = `${block.id} did not pass: ${verdictLine(verdicts)}`;
  turn.state.warnings.push(line);
  turn.warnings.push(`${line}; the run goes on`);
}

function notPassed(
  turn: Turn,
  { block, action }: Dispatched,
  { evidence }: Delivered,
  verdicts: Record<string, string>,
): Acknowledged {
  const n = roundOf(turn, block.id);
  const judged = verdictLine(verdicts);
  fault(turn, block.id, 'ROUND_NOT_PASSED', `round ${n} did not pass (${judged})`);
  for (const row of block.agents) {
    const output = turn.state.agents[row.id]?.output;
    if (output !== undefined && turn.state.agents[row.id]?.status === 'done') turn.because.push(output);
  }
  record(turn, 'round', { actionId: action.actionId, block: block.id, round: n, saved: [], missing: [], evidence });
  warnAtBound(turn, block, `last: ${judged}`);
  return {
    result: { kind: 'round', round: { n, passed: false, saved: [], missing: [], verdicts } },
    event: { type: 'ROUND', filled: false },
  };
}

/**
 * Notes the verdicts of the round. One that was started again judges together with those that had delivered before it:
 * a rejection stays one.
 */
function noteVerdicts(turn: Turn, { block, action, state }: Dispatched): Record<string, string> {
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
function verdictLine(verdicts: Record<string, string>): string {
  const line = Object.entries(verdicts).map(([agent, verdict]) => `${agent} ${verdict}`);
  return line.length === 0 ? 'no verdict' : line.join(', ');
}
