import { isRecord } from '../base/json.js';
import { toBoundedLine } from '../documents/foreign.js';
import { type CommandEnded, type CommandEnding, keepResult, recordCommandEnd } from '../jobs/command.js';
import type { CommandJob } from '../jobs/job.js';
import type { MachineEvent } from '../machine/events.js';
import { recordPullRequest } from '../run/request.js';
import { recordFault, recordStepSummary, type Transaction } from '../run/transaction.js';

/** The external command of a CLI block, once it has ended (protocol.md §4). Apart from cli.ts: few acknowledgements need it. */

/** The command of the block at work has ended: the event that the recipe's machine takes. */
export function concludeCommand(tx: Transaction, { job, ending }: CommandEnded): MachineEvent {
  const { state } = tx;
  const { ok, outcome, exit } = describeEnding(job, ending);
  const log = ending.kind === 'reused' ? ending.log : `${job.directory}/command.log`;
  recordCommandEnd(tx, job, { exit, outcome, log, reused: ending.kind === 'reused' });
  state.acknowledged[job.actionId] = job.block;
  if (ok && ending.kind === 'exit' && ending.exit.tree !== null) keepResult(tx, job, ending.exit.tree, log);
  const told = ok && ending.kind === 'exit' ? recordPullRequest(tx, job.argv, ending.answer) : '';
  const summary = `${job.argv.join(' ').slice(0, 120)}: ${outcome}${told}`;
  recordStepSummary(tx, job.block, summary);
  tx.ran.push({ block: job.block, ok, summary });
  if (!ok) recordFault(tx, job.block, 'COMMAND_FAILED', summary);
  return ok ? { type: 'DONE' } : { type: 'FAIL' };
}

/** An ending in words. `ok`: exit 0. */
export function describeEnding(
  { timeout }: CommandJob,
  ending: CommandEnding,
): { ok: boolean; outcome: string; exit: number | null } {
  switch (ending.kind) {
    case 'reused':
      return { ok: true, outcome: 'passed before on the same tree, reused', exit: 0 };
    case 'interrupted': {
      const why = ending.vanished ? 'its records vanished' : 'its runner died';
      return { ok: false, outcome: `interrupted: ${why}`, exit: null };
    }
    case 'exit': {
      const { exit, error, reason = '', timedOut, signal } = ending.exit;
      if (error === 'spawn') return { ok: false, outcome: `could not be started: ${reason}`, exit };
      if (timedOut) return { ok: false, outcome: `timed out after ${timeout} s`, exit };
      if (signal !== null) return { ok: false, outcome: `ended by ${signal}`, exit: null };
      return { ok: exit === 0, outcome: `exit ${exit}${exit === 0 ? '' : explainFailure(ending.answer)}`, exit };
    }
  }
}

/** Longest reason of a command of dev-cli that is told, in characters. */
const WHY_CAP = 240;

/** What a command of dev-cli says of its failure, to stand behind its exit; nothing for others, whose log is for people. */
function explainFailure(answer: Record<string, unknown> | null): string {
  const error = isRecord(answer?.['error']) ? answer['error'] : null;
  if (error === null) return '';
  const details = Array.isArray(error['details']) ? error['details'].filter(isRecord) : [];
  const said = [error['message'], ...details.map(({ problem }) => problem)];
  return `: ${toBoundedLine(said.filter((part) => typeof part === 'string').join(' '), WHY_CAP)}`;
}
