import { DevCliError } from '../base/errors.js';
import type { Effect, MachineEvent } from '../machine/transition.js';
import type { CliBlock, ExternalCommand, OwnCommand, SubagentBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { shownPath } from '../run/paths.js';
import { blockOf, record, type Turn } from '../run/turn.js';
import { runOwnCommand } from './commands/run-own.js';
import type { Outcome, Scene } from './commands/scene.js';
import { pend } from './issue.js';
import { progressOf } from './issue-common.js';
import { filled } from './values.js';

/**
 * Executes a CLI block. One of our own commands runs at once, in the same transaction; an external one becomes the
 * pending `running` action, which the rim launches after the commit (protocol.md §4).
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

/** Runs one of our commands inside this turn. What it throws refuses the acknowledgement that asked for it. */
export function runOwn(turn: Turn, command: OwnCommand, block: string, more: Record<string, unknown> = {}): Outcome {
  const input = Object.fromEntries(
    Object.entries(command.input).map(([key, value]) => [
      key,
      typeof value === 'string' ? filled(turn, value, block) : value,
    ]),
  );
  return runOwnCommand(
    { command: command.command, input: { ...input, ...more } as OwnCommand['input'] },
    sceneOf(turn),
  );
}

export function sceneOf(turn: Turn): Scene {
  return {
    name: turn.state.name,
    files: turn.files,
    state: turn.state,
    recipe: turn.captured.recipe,
    at: turn.at,
    warnings: turn.warnings,
  };
}

/**
 * Runs `onComplete` of a block whose agents delivered nothing. It cannot refuse any more: what it finds wrong, or why it
 * could not run, is a warning that stays.
 */
export function runOnComplete(turn: Turn, block: SubagentBlock): void {
  if (block.onComplete === undefined) return;
  const outcome = attempt(turn, block.onComplete, block.id);
  if (outcome.ok) return;
  const line = `${block.id}, ${block.onComplete.command}: ${outcome.summary}`;
  turn.state.warnings.push(line);
  turn.warnings.push(line);
}

/** A CLI block that cannot do its work has failed; its error belongs to the run, not to the call that led here. */
function attempt(turn: Turn, command: OwnCommand, block: string): Outcome {
  try {
    return runOwn(turn, command, block);
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL' || error.code === 'IO') throw error;
    const first = error.details[0];
    const summary = `${error.code}: ${error.message}${first === undefined ? '' : ` ${first.pointer ?? first.target ?? ''} ${first.problem}`}`;
    return { ok: false, report: {}, summary };
  }
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

export function noteStep(turn: Turn, block: string, summary: string): void {
  const step = turn.state.steps[block];
  turn.state.steps[block] = { ...step, status: step?.status ?? 'pending', at: turn.at, summary: summary.slice(0, 300) };
}

/** Remembers why a block failed; `status`, `manifest` and the end tell it. */
export function fault(turn: Turn, block: string, code: string, message: string): void {
  turn.state.lastError = { code, message: message.slice(0, 500), block, at: turn.at };
}
