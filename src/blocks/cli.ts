import { DevCliError } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { foreignLine } from '../documents/foreign.js';
import { type CommandEnded, type CommandEnding, keepResult } from '../jobs/command.js';
import type { CommandJob } from '../jobs/job.js';
import type { Effect, MachineEvent } from '../machine/events.js';
import type { CliBlock, ExternalCommand } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { noteRequest } from '../run/note-request.js';
import { shownPath } from '../run/paths.js';
import { blockOf, fault, noteStep, record, type Turn } from '../run/turn.js';
import { progressOf } from './action-parts.js';
import { attempt } from './own-command.js';
import { pend } from './pending.js';
import { filled } from './values.js';

/**
 * Executes a CLI block. One of our own commands runs at once, in the same transaction; an external one becomes the
 * pending `running` action, which is launched after the commit (protocol.md §4).
 */
export function execute(turn: Turn, effect: Extract<Effect, { type: 'execute' }>): MachineEvent | null {
  const block = blockOf(turn, effect.block);
  if (block.kind !== 'cli') throw new DevCliError('INTERNAL', `"${block.id}" is no CLI block.`);
  if (block.command.kind === 'external') {
    start(turn, block, block.command.command, effect.cause);
    return null;
  }
  const outcome = attempt(turn, block.command.command, block.id);
  noteStep(turn, block.id, outcome.summary);
  turn.ran.push({ block: block.id, ok: outcome.ok, summary: outcome.summary });
  record(turn, 'ran', {
    block: block.id,
    command: block.command.command.command,
    ok: outcome.ok,
    summary: outcome.summary,
  });
  if (!outcome.ok) fault(turn, block.id, 'STEP_FAILED', outcome.summary);
  return outcome.ok ? { type: 'DONE' } : { type: 'FAIL' };
}

function start(turn: Turn, block: CliBlock, command: ExternalCommand, cause: string): void {
  const { state, place } = turn;
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const argv = command.argv.map((word) => filled(turn, word, block.id));
  const directory = `actions/${actionId}`;
  const key = `${state.runId}:${actionId}`;
  state.commands[actionId] = {
    key,
    actionId,
    block: block.id,
    argv,
    shell: command.shell,
    cwd: filled(turn, command.cwd, block.id),
    timeout: command.timeout,
    directory,
    startedAt: turn.at,
  };
  const log = shownPath(place, state.name, `${directory}/command.log`);
  const action: PendingAction = {
    run: state.name,
    block: block.id,
    actionId,
    action: 'running',
    instruction: 'dev-cli runs this command itself and keeps it alive. Run the poll.',
    commands: [{ id: block.id, run: argv, startedAt: turn.at, log }],
    poll: { command: 'next', input: { name: state.name, wait: turn.pollWait } },
    progress: progressOf(turn, block.id),
  };
  pend(turn, action, {}, cause);
  record(turn, 'command-started', { key, block: block.id, actionId, argv, shell: command.shell });
}

/** The command of the block at work has ended: the event that the recipe's machine takes. */
export function commandEnded(turn: Turn, { job, ending }: CommandEnded): MachineEvent {
  const { state } = turn;
  const { ok, outcome, exit } = outcomeOf(job, ending);
  const log = ending.kind === 'reused' ? ending.log : `${job.directory}/command.log`;
  delete state.commands[job.actionId];
  state.acknowledged[job.actionId] = job.block;
  if (ok && ending.kind === 'exit' && ending.exit.tree !== null) keepResult(turn, job, ending.exit.tree, log);
  record(turn, 'command-finished', {
    key: job.key,
    block: job.block,
    argv: job.argv,
    exit,
    outcome,
    log,
    ...(ending.kind === 'reused' ? { reused: true } : {}),
  });
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
