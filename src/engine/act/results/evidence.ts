import { omitUndefined } from '../../../base/defined.js';
import { DevCliError } from '../../../base/errors.js';
import { describeEnding } from '../../../blocks/command.js';
import { toBoundedLine, toQuotedLine, toWholeLine } from '../../../documents/foreign.js';
import { formatCommandLine } from '../../../documents/plan-text.js';
import {
  type CommandEnded,
  type CommandEnding,
  findOutputFault,
  getResultKey,
  hasExitCode,
  keepResult,
  recordCommandEnd,
} from '../../../jobs/command.js';
import { findForbiddenListen } from '../../../jobs/forbidden-listen.js';
import type { CommandJob } from '../../../jobs/job.js';
import { MAX_LAUNCHES } from '../../../jobs/launch.js';
import { isCommand } from '../../../plan/model/commands.js';
import type { QueuedCommand } from '../../../run/engine.js';
import type { CommandEvidence } from '../../../run/engine-rows.js';
import type { Transaction } from '../../../run/transaction.js';
import type { EngineEvent, StageResult } from '../../core/events.js';
import { closeRunningAction, requireJob, setPendingRunning } from '../jobs.js';
import { addOpenIssue } from '../notes.js';
import { getTodoBody, requireEngine } from '../plan/plan.js';
import { changeTodo, getTodoRow, listEvidence } from '../todo-rows.js';
import type { CommandsJob } from './commands.js';
import { buildCommandFixes } from './fixes.js';
import { planFixes, triageFindings } from './stage-results.js';

/** Turns ended commands of a plan into evidence and a verdict (engine.md, Verification). */

const FORBIDDEN = 'the sandbox forbids listening on a port';

/** Exit codes with which a shell reports that the command could not be started. */
const CANNOT_RUN = [126, 127];

/**
 * Records the evidence of the command that has ended, and starts the job's next command.
 * @returns the event for the engine after the last command; null while commands remain
 * @throws DevCliError `INTERNAL` if no command is running
 */
export function recordCommandResult(tx: Transaction, ended: CommandEnded): EngineEvent | null {
  const { engine, job } = requireJob(tx, 'commands');
  const [command, ...queue] = job.queue;
  if (command === undefined) throw new DevCliError('INTERNAL', 'The job has no running command.');
  if (rerunInterrupted(tx, job, ended)) return null;
  const evidence = buildEvidence(tx, command, ended);
  if (evidence.ok && evidence.tree !== null) keepResult(tx, ended.job, evidence.tree, evidence);
  keepFailedEvidence(tx, evidence, job.todo);
  reportTreeChange(tx, command, ended);
  if (job.todo === null) engine.evidence.push(evidence);
  else changeTodo(engine, job.todo, { evidence: [...(getTodoRow(engine, job.todo).evidence ?? []), evidence] });
  const block = closeRunningAction(tx);
  recordCommandEnd(tx, ended.job, evidence);
  if (queue.length > 0) {
    engine.job = { ...job, queue };
    setPendingRunning(tx, block, engine.job);
    return null;
  }
  engine.job = null;
  const { todo, stage, part } = job;
  return { type: 'OUTCOME', todo, stage, ...omitUndefined({ part }), verdict: judgeCommands(tx, job) };
}

/**
 * Keeps the evidence of a failed command in `reds`. The todo's row and the final verification keep only the newest
 * evidence, which a later attempt or fix round replaces.
 * @param todo the todo that was judged; null in the final verification
 */
export function keepFailedEvidence(tx: Transaction, evidence: CommandEvidence, todo: string | null): void {
  if (evidence.ok || evidence.tree === null) return;
  const engine = requireEngine(tx);
  engine.reds = [...(engine.reds ?? []), { ...evidence, ...(todo === null ? {} : { todo }) }];
}

/**
 * Runs an interrupted command again, in a new directory. Returns false if the command was not interrupted or has been
 * started as often as is allowed.
 */
function rerunInterrupted(tx: Transaction, job: CommandsJob, { job: asked, ending }: CommandEnded): boolean {
  const [command, ...rest] = job.queue;
  if (ending.kind !== 'interrupted' || command === undefined) return false;
  const { again = 0 } = command;
  if ((asked.launches ?? 1) + again >= MAX_LAUNCHES) return false;
  const block = closeRunningAction(tx);
  const log = `${asked.directory}/command.log`;
  recordCommandEnd(tx, asked, { exit: null, outcome: describeEnding(asked, ending).outcome, log });
  const engine = requireEngine(tx);
  engine.job = { ...job, queue: [{ ...command, again: again + 1 }, ...rest] };
  setPendingRunning(tx, block, engine.job);
  return true;
}

/** Builds a command's evidence, which says whether its exit code and output are what its acceptance expects. */
export function buildEvidence(
  tx: Transaction,
  command: QueuedCommand,
  { job, ending, output, after }: CommandEnded,
): CommandEvidence {
  const { engine } = tx.state;
  const { id, todo } = command;
  const plain = describeEnding(job, ending);
  const asExpected = ending.kind === 'reused' || hasExitCode(ending, command.exitCode);
  const fault = asExpected && ending.kind !== 'reused' ? findOutputFault(command, output) : null;
  const ok = asExpected && fault === null;
  const forbidden = ok || ending.kind !== 'exit' ? null : findForbiddenListen(output);
  const lacks = fault === null ? '' : `, but its output ${fault.kind} ${toQuotedLine(fault.text)}`;
  const refused = forbidden === null ? '' : `; ${FORBIDDEN}: ${toBoundedLine(forbidden, 200)}`;
  return {
    id,
    attempt: (todo === null ? undefined : engine?.todos[todo]?.attempt) ?? 1,
    argv: job.argv,
    ok,
    exit: plain.exit,
    outcome: `${plain.outcome}${renderExpected(command, ending, asExpected)}${lacks}${refused}`,
    at: readInstant(tx, job, ending),
    commit: after?.head ?? null,
    tree: getTree(ending),
    log: ending.kind === 'reused' ? ending.log : `${job.directory}/command.log`,
    ...(todo !== null && engine?.job?.todo === null ? { todo } : {}),
    ...(ending.kind === 'reused' ? { reused: true } : {}),
    ...(ending.kind === 'exit' ? { durationMs: ending.exit.durationMs } : {}),
    ...(forbidden !== null || (!asExpected && isUnrunnable(ending)) ? { unrunnable: true } : {}),
    ...(forbidden === null ? {} : { forbidden: 'listen' as const }),
  };
}

/**
 * For a command that must fail, renders whether it ended with an exit code that its acceptance expects. Empty for a
 * command that may exit with 0, that timed out, or that has no exit code.
 */
function renderExpected({ exitCode }: QueuedCommand, ending: CommandEnding, asExpected: boolean): string {
  const codes = [exitCode].flat();
  if (codes.includes(0) || ending.kind !== 'exit' || ending.exit.exit === null || ending.exit.timedOut) return '';
  return asExpected ? ', as expected' : `, but exit ${codes.join(' or ')} was expected`;
}

/** Returns when the command ended, which may be earlier than the present transaction. */
function readInstant({ state, at }: Transaction, job: CommandJob, ending: CommandEnding): string {
  switch (ending.kind) {
    case 'exit':
      return ending.exit.at;
    case 'reused':
      return state.commandResults[getResultKey(job, ending.tree)]?.at ?? at;
    case 'interrupted':
      return at;
  }
}

/** Returns whether the environment failed rather than the work (engine.md, Triage). */
function isUnrunnable(ending: CommandEnding): boolean {
  if (ending.kind === 'interrupted') return true;
  return ending.kind === 'exit' && (ending.exit.error === 'spawn' || CANNOT_RUN.includes(ending.exit.exit ?? 0));
}

function getTree(ending: CommandEnding): string | null {
  switch (ending.kind) {
    case 'exit':
      return ending.exit.tree;
    case 'reused':
      return ending.tree;
    case 'interrupted':
      return null;
  }
}

/** Reports a command that changed the work tree, because it should only judge: its changes may end up in a commit. */
function reportTreeChange(tx: Transaction, { id, todo }: QueuedCommand, { ending, after }: CommandEnded): void {
  if (ending.kind !== 'exit' || ending.exit.tree === null || after === null) return;
  if (after.digest === ending.exit.tree) return;
  addOpenIssue(tx, `${todo === null ? '' : `${todo} `}${id}: the command changed files of the work tree`);
}

/** Advice for a sandbox that forbids listening on a port. */
const LOOPBACK =
  'the sandbox forbids listening on a port, which is not a fault of the work: allow the loopback interface, or run the polls of dev-cli outside the sandbox, then reopen the run';

function judgeCommands(tx: Transaction, { todo, stage }: CommandsJob): StageResult {
  const engine = requireEngine(tx);
  const evidence = listEvidence(engine, todo);
  const judged = todo === null || stage === 'verify' ? evidence : evidence.filter(({ id }) => id === stage);
  const red = judged.filter(({ ok }) => !ok);
  const lines = red.map(({ id, argv, outcome }) => `${nameCommand(id, argv)}: ${toWholeLine(outcome)}`);
  const unrunnable = red.findIndex((one) => one.unrunnable === true);
  const advice = red[unrunnable]?.forbidden === 'listen' ? `${LOOPBACK}; ` : '';
  const environment = unrunnable < 0 ? null : `${advice}${lines[unrunnable] ?? ''}`;
  if (todo !== null) return triageFindings(tx, todo, { failed: lines, environment });
  const mended = judged.map(({ id, argv }) => `${nameCommand(id, argv)}: `);
  engine.openIssues = engine.openIssues.filter((line) => !mended.some((command) => line.startsWith(command)));
  if (red.length === 0) return { kind: 'pass' };
  const why = `red on the final tree: ${advice}${lines.join('; ')}`;
  if (environment !== null) return { kind: 'halt', why };
  return planFixes(tx, buildCommandFixes(engine, red, listAcceptances(tx, red)), lines, why);
}

/** Renders the beginning of a line about a failed command. */
function nameCommand(id: string, argv: readonly string[]): string {
  return toWholeLine(`${id} ${formatCommandLine(argv)}`);
}

/** Lists the acceptances of commands that failed in the final verification. */
function listAcceptances(tx: Transaction, red: readonly CommandEvidence[]) {
  return red.flatMap(({ id, todo }) =>
    todo === undefined ? [] : getTodoBody(tx, todo).acceptance.filter((item) => isCommand(item) && item.id === id),
  );
}
