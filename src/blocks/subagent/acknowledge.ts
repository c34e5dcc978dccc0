import { DevCliError } from '../../base/errors.js';
import { renderCount } from '../../base/words.js';
import type { SubagentBlock } from '../../recipe/resolved.js';
import { warnOfOutcome } from '../../run/outcome-warnings.js';
import type { PendingBlock } from '../../run/pending-action.js';
import { markAcknowledged } from '../../run/pending-action.js';
import { getRound, recordEntry, recordFault, recordStepSummary, type Transaction } from '../../run/transaction.js';
import type { AckInput, Acknowledged } from '../acknowledgement.js';
import { isRoundPassed, runOnComplete, runOwnCommandOrRefuse, warnOfExhaustedRounds } from '../own-command.js';
import { completeAction, refuseOutdated } from '../values/inputs.js';
import { refuseChangedSources } from '../values/sources.js';
import { buildMissingOutputsError, markGivenUpAgents, requireGivenUpAgents } from './missing-outputs.js';
import { type CollectedOutputs, collectOutputs, type PendingDispatch } from './outputs.js';

/**
 * Acknowledges a dispatch, once every promised output is valid or was given up with a reason (protocol.md §3).
 * @throws DevCliError `UNKNOWN_AGENT`, `DATA_MISSING`, `INPUT_CHANGED`; whatever the block's own commands throw
 */
export function acknowledgeAgents(
  tx: Transaction,
  pending: PendingBlock<SubagentBlock>,
  input: AckInput,
): Acknowledged {
  const { block, action } = pending;
  if (action.action !== 'dispatch-subagents') throw new DevCliError('INTERNAL', 'Not a dispatch.');
  const without = input.without === undefined ? [] : requireGivenUpAgents(action, input);
  const refusal = refuseChangedSources(tx, action.actionId);
  if (refusal !== null) return refusal;
  refuseOutdated(tx, pending, without);
  const dispatched = { ...pending, action };
  const delivered = collectOutputs(tx, dispatched, input);
  const { evidence, reported, findings } = delivered;
  if (without.length > 0) markGivenUpAgents(tx, dispatched, findings, without, input.reason ?? '');
  const open = findings.filter((finding) => !without.includes(finding.agent));
  if (open.length === 0) return concludeDispatch(tx, dispatched, delivered);
  if (Object.keys(evidence).length > 0 || reported.length > 0) {
    recordEntry(tx, 'accepted', {
      actionId: action.actionId,
      block: block.id,
      evidence,
      ...(reported.length === 0 ? {} : { selfReported: reported }),
    });
  }
  return { result: { kind: 'refused', error: buildMissingOutputsError(tx, action, open) } };
}

/** Decides how the block continues, once all agents of the action have delivered or were given up. */
function concludeDispatch(tx: Transaction, pending: PendingDispatch, delivered: CollectedOutputs): Acknowledged {
  const { block, action } = pending;
  const states = block.agents.flatMap((agent) => tx.state.agents[agent.id] ?? []);
  const failed = action.agents.filter((row) => tx.state.agents[row.id]?.status === 'failed');
  const done = states.filter((agent) => agent.status === 'done').length;
  markAcknowledged(tx, pending);
  recordStepSummary(tx, block.id, `${done} of ${renderCount(states.length, 'agent')}`);
  if (failed.length > 0 && (block.onError.kind !== 'continue' || done === 0)) {
    const names = failed.map((row) => row.id).join(', ');
    recordEntry(tx, 'failed', { actionId: action.actionId, block: block.id, reason: `without ${names}` });
    recordFault(tx, block.id, 'STEP_FAILED', `not delivered: ${names}`);
    completeAnyway(tx, block);
    return { result: { kind: 'failed' }, event: { type: 'FAIL' } };
  }
  const verdicts = recordVerdicts(tx, pending);
  if (block.onComplete !== undefined) runOwnCommandOrRefuse(tx, block.onComplete, block.id);
  if (block.kind === 'subagent') {
    // The check runs even after a rejection, because its command may store something.
    const passed = isRoundPassed(tx, block);
    if (!passed || Object.values(verdicts).includes('REJECT')) warnNotPassed(tx, block, verdicts);
    return completeDispatch(tx, pending, delivered);
  }
  return isRoundPassed(tx, block)
    ? completeDispatch(tx, pending, delivered)
    : failRound(tx, pending, delivered, verdicts);
}

/**
 * Runs `onComplete` of a failed block with `onError: continue`, so that later readers learn which agents failed
 * (documents.md, draft import). The command's findings become only a warning.
 */
export function completeAnyway(tx: Transaction, block: SubagentBlock): void {
  if (block.onError.kind === 'continue') runOnComplete(tx, block);
}

function completeDispatch(
  tx: Transaction,
  pending: PendingDispatch,
  { evidence, reported }: CollectedOutputs,
): Acknowledged {
  return completeAction(tx, pending, { evidence, ...(reported.length === 0 ? {} : { selfReported: true }) });
}

/** Warns that a block that has no rounds did not pass, and that the run continues. */
function warnNotPassed(tx: Transaction, block: SubagentBlock, verdicts: Record<string, string>): void {
  const line = `${block.id} did not pass: ${renderVerdicts(verdicts)}`;
  warnOfOutcome(tx, block.id, line, `${line}; the run goes on`);
}

function failRound(
  tx: Transaction,
  { block, action }: PendingDispatch,
  { evidence }: CollectedOutputs,
  verdicts: Record<string, string>,
): Acknowledged {
  const n = getRound(tx, block.id);
  const judged = renderVerdicts(verdicts);
  recordFault(tx, block.id, 'ROUND_NOT_PASSED', `round ${n} did not pass (${judged})`);
  for (const row of block.agents) {
    const output = tx.state.agents[row.id]?.output;
    if (output !== undefined && tx.state.agents[row.id]?.status === 'done') tx.because.push(output);
  }
  recordEntry(tx, 'round', { actionId: action.actionId, block: block.id, round: n, saved: [], missing: [], evidence });
  warnOfExhaustedRounds(tx, block, `last: ${judged}`);
  return {
    result: { kind: 'round', round: { n, passed: false, saved: [], missing: [], verdicts } },
    event: { type: 'ROUND', filled: false },
  };
}

/**
 * Records the verdicts of the round and returns them by agent. After a retry, verdicts delivered before it count too: a
 * rejection stays a rejection.
 */
function recordVerdicts(tx: Transaction, { block, action }: PendingDispatch): Record<string, string> {
  const verdicts: Record<string, string> = {};
  const rows = action.cause === 'retry' ? block.agents : action.agents;
  for (const row of rows) {
    const agent = tx.state.agents[row.id];
    if (agent === undefined || agent.status !== 'done' || agent.verdict === undefined) continue;
    verdicts[row.id] = agent.verdict;
    tx.state.reviews.push({
      block: block.id,
      round: getRound(tx, block.id),
      agent: row.id,
      verdict: agent.verdict,
      summary: agent.summary ?? '',
      output: agent.output ?? null,
    });
  }
  return verdicts;
}

/** Renders the verdicts; a round may fail its condition without any verdict. */
function renderVerdicts(verdicts: Record<string, string>): string {
  const line = Object.entries(verdicts).map(([agent, verdict]) => `${agent} ${verdict}`);
  return line.length === 0 ? 'no verdict' : line.join(', ');
}
