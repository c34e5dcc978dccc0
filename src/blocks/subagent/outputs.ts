import { omitUndefined } from '../../base/defined.js';
import type { ErrorDetail } from '../../base/errors.js';
import { needsVerdict } from '../../recipe/declared.js';
import type { SubagentBlock } from '../../recipe/resolved.js';
import type { DispatchAction } from '../../run/action.js';
import type { PendingBlock } from '../../run/pending-action.js';
import type { Transaction } from '../../run/transaction.js';
import type { AckInput } from '../acknowledgement.js';
import { checkReportFile } from '../evidence.js';
import { rememberResult } from '../values/values.js';

export type PendingDispatch = PendingBlock<SubagentBlock> & { action: DispatchAction };

/** What is wrong with one agent's delivery. */
export interface OutputProblem {
  agent: string;
  /** The promised output, relative to the run's directory; undefined for an agent that reports through `--result`. */
  path: string | undefined;
  /** Whether the output still has to be written; otherwise it has to be corrected. */
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
 * Marks the agents that write no output as done, with the text of `--result` as their self-reported result (recipes.md
 * §2). The text counts for every such agent that has neither reported before nor been given up.
 * @returns the ids of these agents
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
    ...omitUndefined({ verdict, questions }),
  };
  rememberResult(tx, checked.body);
  tx.warnings.push(...checked.warnings.map((warning) => `${agent.output}: ${warning}`));
}
