import { isRecord } from '../base/json.js';
import { foreignLine } from '../documents/foreign.js';
import { type CommandEnded, type CommandEnding, keepResult, settleCommand } from '../jobs/command.js';
import type { CommandJob } from '../jobs/job.js';
import type { MachineEvent } from '../machine/events.js';
import { noteRequest } from '../run/note-request.js';
import { fault, noteStep, type Turn } from '../run/turn.js';

/** The external command of a CLI block, once it has ended (protocol.md §4). Apart from cli.ts: few acknowledgements need it. */

/** The command of the block at work has ended: the event that the recipe's machine takes. */
export function commandEnded(turn: Turn, { job, ending }: CommandEnded): MachineEvent {
  const { state } = turn;
  const { ok, outcome, exit } = outcomeOf(job, ending);
  const log = ending.kind === 'reused' ? ending.log : `${job.directory}/command.log`;
  settleCommand(turn, job, { exit, outcome, log, reused: ending.kind === 'reused' });
  state.acknowledged[job.actionId] = job.block;
  if (ok && ending.kind === 'exit' && ending.exit.tree !== null) keepResult(turn, job, ending.exit.tree, log);
  const told = ok && ending.kind === 'exit' ? noteRequest(turn, job.argv, ending.answer) : '';
  const summary = `${job.argv.join(' ').slice(0, 120)}: ${outcome}${told}`;
  noteStep(turn, job.block, summary);
  turn.ran.push({ block: job.block, ok, summary });
  if (!ok) fault(turn, job.block, 'COMMAND_FAILED', summary);
  return ok ? { type: 'DONE' } : { type: 'FAIL' };
}

/** An ending in words. `ok`: exit 0. */
export function outcomeOf(
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
      return { ok: exit === 0, outcome: `exit ${exit}${exit === 0 ? '' : whyFailed(ending.answer)}`, exit };
    }
  }
}

/** Longest reason of a command of dev-cli that is told, in characters. */
const WHY_CAP = 240;

/** What a command of dev-cli says of its failure, to stand behind its exit; nothing for others, whose log is for people. */
function whyFailed(answer: Record<string, unknown> | null): string {
  const error = isRecord(answer?.['error']) ? answer['error'] : null;
  if (error === null) return '';
  const details = Array.isArray(error['details']) ? error['details'].filter(isRecord) : [];
  const said = [error['message'], ...details.map(({ problem }) => problem)];
  return `: ${foreignLine(said.filter((part) => typeof part === 'string').join(' '), WHY_CAP)}`;
}
