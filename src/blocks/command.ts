import { isRecord } from '../base/json.js';
import { quoteLastLines, toCommandName } from '../documents/command-words.js';
import { toBoundedLine } from '../documents/foreign.js';
import { type CommandEnded, type CommandEnding, keepResult, recordCommandEnd } from '../jobs/command.js';
import type { CommandJob } from '../jobs/job.js';
import { MAX_LAUNCHES } from '../jobs/launch.js';
import type { MachineEvent } from '../machine/events.js';
import { hasTrait } from '../recipe/declared.js';
import type { ResolvedBlock } from '../recipe/resolved.js';
import { displayPath } from '../run/paths.js';
import { recordPullRequest } from '../run/request.js';
import { getBlock, recordFault, recordStepSummary, type Transaction } from '../run/transaction.js';
import type { AckResult } from './acknowledgement.js';
import { concludeExitCheck } from './exit-check.js';
import { restartCommand } from './external.js';
import { failRound, recordCommandFailure } from './red.js';

/**
 * The end of a block's external command (protocol.md §4). Kept apart from cli.ts because few acknowledgements need it.
 */

/** How the run continues after a block's command has ended. */
interface Concluded {
  /** Absent if the command was interrupted and now runs once more. */
  event?: MachineEvent;
  /** Set for a loop, whose command judged a round: the outcome of the acknowledgement that handed in that round. */
  result?: AckResult;
}

/** Records how the external command of the current block ended, and returns the event for the recipe's machine. */
export function concludeCommand(tx: Transaction, { job, ending, output }: CommandEnded): Concluded {
  const block = getBlock(tx, job.block);
  if (ending.kind === 'interrupted' && isCheck(block) && (job.launches ?? 1) < MAX_LAUNCHES)
    return runOnceMore(tx, job, ending);
  const { ok, outcome, exit } = describeEnding(job, ending);
  const log = ending.kind === 'reused' ? ending.log : `${job.directory}/command.log`;
  recordCommandEnd(tx, job, { exit, outcome, log, reused: ending.kind === 'reused' });
  tx.state.acknowledged[job.actionId] = { block: job.block };
  if (ok && ending.kind === 'exit' && ending.exit.tree !== null)
    keepResult(tx, job, ending.exit.tree, { exit, log, at: ending.exit.at });
  const pullRequest = ok && ending.kind === 'exit' ? recordPullRequest(tx, job.argv, ending.answer) : '';
  const said = ok || isExplained(ending) ? '' : quoteLastLines(output);
  const isTitledCheck = hasTrait(block, 'by', 'cli') && block.title !== undefined && isCheck(block);
  const went = ok && isTitledCheck && ending.kind === 'exit' ? AS_EXPECTED : outcome;
  const summary = `${nameWork(block, job)}: ${went}${pullRequest}${said === '' ? '' : `, ${said}`}`;
  recordStepSummary(tx, job.block, summary, hasTrait(block, 'by', 'cli') ? exit : null);
  tx.ran.push({ block: job.block, ok, summary });
  recordCommandFailure(tx, job.block, ok ? null : { outcome, exit, log });
  if (!ok && isSilent(tx, log)) tx.files.write(log, `${summary}\n`);
  const fault = `${summary}; log ${displayPath(tx.place, tx.state.name, log)}`;
  const ended = { actionId: job.actionId, log, summary, fault };
  if (ending.kind !== 'interrupted') return judge(tx, block, { ...ended, ok });
  // An interruption says nothing about the work, so the run does not go back and no round is spent.
  recordFault(tx, job.block, 'COMMAND_FAILED', fault);
  return { event: { type: 'FAIL' }, ...('exitCommand' in block ? { result: { kind: 'failed' } } : {}) };
}

/** Judges a block by its command, which was not interrupted. */
function judge(
  tx: Transaction,
  block: ResolvedBlock,
  { ok, ...ended }: Parameters<typeof concludeExitCheck>[2],
): Concluded {
  if ('exitCommand' in block) {
    const { result, event = { type: 'FAIL' } } = concludeExitCheck(tx, block, { ...ended, ok });
    return { result, event };
  }
  if (ok) return { event: { type: 'DONE' } };
  recordFault(tx, block.id, 'COMMAND_FAILED', ended.fault);
  if (!hasTrait(block, 'by', 'cli') || block.revise === undefined) return { event: { type: 'FAIL' } };
  return { event: failRound(tx, block, ended) };
}

/**
 * Whether a block's command only judges, so that it can safely run again: an exit check, or a command whose failure
 * leads back. Any other command may have published or deployed before it was interrupted.
 */
function isCheck(block: ResolvedBlock): boolean {
  return !hasTrait(block, 'by', 'cli') || block.revise !== undefined;
}

/** Runs an interrupted command once more, as a new action (protocol.md §4). */
function runOnceMore(tx: Transaction, job: CommandJob, ending: CommandEnding): Concluded {
  const { outcome } = describeEnding(job, ending);
  recordCommandEnd(tx, job, { exit: null, outcome, log: `${job.directory}/command.log` });
  tx.state.acknowledged[job.actionId] = { block: job.block };
  const summary = `${nameWork(getBlock(tx, job.block), job)}: ${outcome}; it runs once more`;
  tx.ran.push({ block: job.block, ok: false, summary });
  restartCommand(tx, job);
  return {};
}

/** Whether the log of a command is missing or empty. */
function isSilent({ files }: Transaction, log: string): boolean {
  const facts = files.facts(log);
  return facts.kind === 'missing' || (facts.kind === 'file' && facts.size === 0);
}

/**
 * Names a command by its block's title. A loop's title describes the agent's work instead, so its command names itself.
 */
function nameWork(block: ResolvedBlock, { argv }: CommandJob): string {
  return (hasTrait(block, 'by', 'cli') ? block.title : undefined) ?? toCommandName(argv, NAME_CAP);
}

/**
 * The outcome shown for a passed check that has a title. A title says what must hold ("the new test fails"), and `exit
 * 0` after it could be read as the opposite.
 */
const AS_EXPECTED = 'as expected';

/** The most characters of a command's name in the line that says how the command ended. */
const NAME_CAP = 80;

/** Whether the command itself explained its failure, which only commands of dev-cli do. */
function isExplained(ending: CommandEnding): boolean {
  return ending.kind === 'exit' && explainFailure(ending.answer) !== '';
}

/** Describes how a command ended. `ok` is true for exit 0 and for a reused result. */
export function describeEnding(
  { timeout }: CommandJob,
  ending: CommandEnding,
): { ok: boolean; outcome: string; exit: number | null } {
  switch (ending.kind) {
    case 'reused':
      return { ok: true, outcome: 'passed before on the same tree, reused', exit: ending.exit };
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

/** The most characters quoted from the reason that a command gives for its failure. */
const WHY_CAP = 240;

/**
 * Returns the reason that a command of dev-cli gives for its failure; an empty string for other programs, because their
 * logs are written for people.
 */
function explainFailure(answer: Record<string, unknown> | null): string {
  const error = isRecord(answer?.['error']) ? answer['error'] : null;
  if (error === null) return '';
  const details = Array.isArray(error['details']) ? error['details'].filter(isRecord) : [];
  const said = [error['message'], ...details.map(({ problem }) => problem)];
  return `: ${toBoundedLine(said.filter((part) => typeof part === 'string').join(' '), WHY_CAP)}`;
}
