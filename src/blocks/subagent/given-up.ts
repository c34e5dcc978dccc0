// door: refusal

import { DevCliError } from '../../base/errors.js';
import type { DispatchAction } from '../../run/action.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import type { AckInput } from '../acknowledgement.js';
import type { OutputProblem, PendingDispatch } from './outputs.js';

/** Agents that `--without` gives up. */

/**
 * Returns the ids of the agents that `--without` gives up.
 * @throws DevCliError `UNKNOWN_AGENT`, `DATA_MISSING` without a reason
 */
export function requireGivenUpAgents(action: DispatchAction, input: AckInput): string[] {
  const without = input.without ?? [];
  const ids = action.agents.map((agent) => agent.id);
  const unknown = without.filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    const names = unknown.map((id) => JSON.stringify(id.slice(0, 40))).join(', ');
    throw new DevCliError('UNKNOWN_AGENT', `This action has no agent ${names}.`, {
      fix: `Its agents: ${ids.join(', ')}.`,
    });
  }
  if (without.length > 0 && (input.reason ?? '').trim() === '') {
    throw new DevCliError('DATA_MISSING', 'Going on without an agent needs a reason.', {
      fix: 'Give it with --reason TEXT; later readers see it.',
    });
  }
  return without;
}

/** Marks the agents given up by `--without` as failed; one that has delivered after all stays accepted. */
export function giveUp(
  tx: Transaction,
  { action, block }: PendingDispatch,
  findings: OutputProblem[],
  without: string[],
  reason: string,
): void {
  const given = without.filter((id) => findings.some((finding) => finding.agent === id));
  for (const id of without) {
    if (!given.includes(id) && tx.state.agents[id]?.status === 'done') {
      tx.warnings.push(`${id} has delivered; its output is taken`);
    }
  }
  if (given.length === 0) return;
  for (const id of given) {
    const agent = tx.state.agents[id];
    if (agent !== undefined) tx.state.agents[id] = { ...agent, status: 'failed', reason, at: tx.at };
  }
  recordEntry(tx, 'given-up', { actionId: action.actionId, block: block.id, agents: given, reason });
}
