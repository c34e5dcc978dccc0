import { DevCliError } from '../base/errors.js';
import { askCommand } from '../jobs/job.js';
import type { Effect, MachineEvent } from '../machine/events.js';
import type { CliBlock, ExternalCommand } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { shownPath } from '../run/paths.js';
import { blockOf, fault, noteStep, record, type Turn } from '../run/turn.js';
import { progressOf } from './action-parts.js';
import { attempt } from './own-command.js';
import { pend } from './pending.js';
import { filled } from './values.js';

/**
 * Executes a CLI block. One of our own commands runs at once, in the same transaction; an external one becomes the
 * pending `running` action, launched after the commit (protocol.md §4); command.ts takes its ending.
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
  const { shell, timeout } = command;
  const cwd = filled(turn, command.cwd, block.id);
  const directory = `actions/${actionId}`;
  const key = `${state.runId}:${actionId}`;
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
  askCommand(turn, { key, actionId, block: block.id, argv, shell, cwd, timeout, directory });
}
