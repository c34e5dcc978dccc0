import { defined } from '../../base/defined.js';
import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import type { SubagentBlock } from '../../recipe/resolved.js';
import { needsVerdict } from '../../recipe/verdict.js';
import type { DispatchAction } from '../../run/action.js';
import type { PendingBlock } from '../../run/pending-action.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import type { AckInput } from '../acknowledgement.js';
import { checkReportFile } from '../evidence.js';
import { rememberResult } from '../values.js';

/** A pending dispatch with its block. */
export type PendingDispatch = PendingBlock<SubagentBlock> & { action: DispatchAction };

/** What is wrong with one agent's delivery. */
export interface OutputProblem {
  agent: string;
  /** The promised output, relative to the run's directory; undefined for an agent that reports through `--result`. */
  path: string | undefined;
  /** The output still has to be written, rather than mended. */
  missing: boolean;
  problems: ErrorDetail[];
}

/** What an acknowledgement of a dispatch delivered. */
export interface CollectedOutputs {
  /** Digests of the accepted outputs, by path. */
  evidence: Record<string, string>;
  /** Ids of the agents that reported through `--result`. */
  reported: string[];
  findings: OutputProblem[];
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
    throw new DevCliError('DATA_MISSING', 'Going on without an agent needs a reason.', {
      fix: 'Give it with --reason TEXT; later readers see it.',
    });
  }
  return without;
}

/** Accepts each valid output; outputs accepted by an earlier call stay accepted. */
export function collectOutputs(tx: Transaction, { block, action }: PendingDispatch, input: AckInput): CollectedOutputs {
  const delivered: CollectedOutputs = { evidence: {}, reported: acceptReported(tx, action, input), findings: [] };
  for (const row of action.agents) {
    const agent = tx.state.agents[row.id];
    if (agent?.status !== 'pending') continue;
    if (agent.output === undefined) {
      delivered.findings.push({
        agent: row.id,
        path: undefined,
        missing: true,
        problems: [{ problem: 'not reported' }],
      });
      continue;
    }
    const verdict = needsVerdict(block, agent.output);
    const before = action.before[agent.output] ?? null;
    const evidence = checkReportFile(tx.files, agent.output, before, { agent: row.id, verdict });
    if (evidence.ok) {
      acceptReport(tx, row.id, evidence);
      delivered.evidence[agent.output] = evidence.sha256;
    } else {
      const { missing, problems } = evidence;
      delivered.findings.push({ agent: row.id, path: agent.output, missing, problems });
    }
  }
  return delivered;
}

/**
 * Completes the agents without an output by the text of `--result`, marked as self-reported (recipes.md §2). It counts
 * for all of them that have neither reported nor been given up.
 * @returns their ids
 */
function acceptReported(tx: Transaction, action: DispatchAction, input: AckInput): string[] {
  const text = input.result?.trim() ?? '';
  if (text === '') return [];
  rememberResult(tx, text);
  const reporting = action.agents.filter(
    ({ id, output }) =>
      output === undefined && tx.state.agents[id]?.status === 'pending' && input.without?.includes(id) !== true,
  );
  for (const { id } of reporting) {
    tx.state.agents[id] = {
      status: 'done',
      outputHash: null,
      at: tx.at,
      summary: text.slice(0, 300),
      selfReported: true,
    };
  }
  return reporting.map(({ id }) => id);
}

function acceptReport(
  tx: Transaction,
  id: string,
  { checked, sha256 }: Extract<ReturnType<typeof checkReportFile>, { ok: true }>,
): void {
  const agent = tx.state.agents[id];
  if (agent?.output === undefined) return;
  tx.files.keep(agent.output);
  const { verdict, summary, questions } = checked.report;
  tx.state.agents[id] = {
    status: 'done',
    outputHash: sha256,
    at: tx.at,
    output: agent.output,
    summary,
    ...defined({ verdict, questions }),
  };
  rememberResult(tx, checked.body);
  tx.warnings.push(...checked.warnings.map((warning) => `${agent.output}: ${warning}`));
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
