// door: refusal

import { DevCliError } from '../../base/errors.js';
import type { DispatchAction } from '../../run/action.js';
import { displayPath } from '../../run/paths.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import type { AckInput } from '../acknowledgement.js';
import { getResultFile } from '../reported.js';
import type { OutputProblem, PendingDispatch } from './outputs.js';

/**
 * Builds the refusal of an incomplete dispatch. It asks only for outputs that are missing or invalid; the others stay
 * accepted (protocol.md, Errors).
 */
export function buildMissingOutputsError(tx: Transaction, action: DispatchAction, open: OutputProblem[]): DevCliError {
  const { state, place } = tx;
  const shown = (file: string) => displayPath(place, state.name, file);
  const names = open.map((finding) => finding.agent);
  const total = action.agents.length;
  const good = total - open.length;
  const kept =
    good === 0
      ? ''
      : ` The other ${good === 1 ? 'one is' : `${good} are`} accepted and stay${good === 1 ? 's' : ''} accepted.`;
  const promised = open.every((finding) => finding.path === undefined) ? 'reports' : 'files';
  const reason = shown(`actions/${action.actionId}/reason.md`);
  const result = shown(getResultFile(action.actionId));
  return new DevCliError(
    open.some((finding) => finding.missing) ? 'EVIDENCE_MISSING' : 'EVIDENCE_INVALID',
    `${open.length} of ${total} promised ${promised} ${open.length === 1 ? 'is' : 'are'} missing or invalid.${kept}`,
    {
      details: open.flatMap((finding) =>
        finding.problems.map((problem) => ({
          agent: finding.agent,
          target: finding.path === undefined ? result : shown(finding.path),
          ...problem,
        })),
      ),
      fix: `${renderFix(open, result)} If it cannot be done, write why to ${reason} and run \`instead\`.`,
      instead: {
        command: 'step complete',
        input: { name: state.name, action: action.actionId, without: names, reason: `@${reason}` },
      },
    },
  );
}

/**
 * Renders how to continue. An agent that promised a file is started again to write it; for an agent that only replies,
 * the caller writes the reply to a file.
 */
function renderFix(open: OutputProblem[], result: string): string {
  const writers = open.filter((finding) => finding.path !== undefined).map((finding) => finding.agent);
  const reporters = open.filter((finding) => finding.path === undefined).map((finding) => finding.agent);
  const report = `write what ${reporters.join(', ')} reported to ${result}`;
  if (writers.length === 0) return `W${report.slice(1)}, then run the ack as printed.`;
  const again = writers.length === 1 ? `agent ${writers[0]}` : `only ${writers.join(', ')}`;
  const also = reporters.length === 0 ? '' : `${report}, `;
  return `An agent that is still at work: wait for it, in the background by ending your turn. If none is, start ${again} again with the same promptFile, wait, ${also}then repeat the ack.`;
}

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
    throw new DevCliError('DATA_MISSING', 'Continuing without an agent requires a reason.', {
      fix: 'Give it with --reason TEXT; agents and people read it later.',
    });
  }
  return without;
}

/** Marks the agents given up by `--without` as failed; an agent that has delivered after all stays accepted. */
export function markGivenUpAgents(
  tx: Transaction,
  { action, block }: PendingDispatch,
  findings: OutputProblem[],
  without: string[],
  reason: string,
): void {
  const given = without.filter((id) => findings.some((finding) => finding.agent === id));
  for (const id of without) {
    if (!given.includes(id) && tx.state.agents[id]?.status === 'done') {
      tx.warnings.push(`${id} has delivered after all; its output is accepted`);
    }
  }
  if (given.length === 0) return;
  for (const id of given) {
    const agent = tx.state.agents[id];
    if (agent !== undefined) tx.state.agents[id] = { ...agent, status: 'failed', reason, at: tx.at };
  }
  recordEntry(tx, 'given-up', { actionId: action.actionId, block: block.id, agents: given, reason });
}
