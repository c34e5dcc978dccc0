import { DevCliError } from '../base/errors.js';
import { askCommand } from '../jobs/job.js';
import type { Effect, MachineEvent } from '../machine/events.js';
import type { CliBlock, ExternalCommand } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { displayPath } from '../run/paths.js';
import { setPendingAction } from '../run/pending-action.js';
import { getBlock, recordEntry, recordFault, recordStepSummary, type Transaction } from '../run/transaction.js';
import { renderProgress } from './action-parts.js';
import { tryInProcess } from './own-command.js';
import { fillPlaceholders } from './values.js';

/**
 * Executes a CLI block. One of our own commands runs at once, in the same transaction; an external one becomes the
 * pending `running` action, launched after the commit (protocol.md §4); command.ts takes its ending.
 */
export function executeCliBlock(tx: Transaction, effect: Extract<Effect, { type: 'execute' }>): MachineEvent | null {
  const block = getBlock(tx, effect.block);
  if (block.kind !== 'cli') throw new DevCliError('INTERNAL', `"${block.id}" is no CLI block.`);
  if (block.command.kind === 'external') {
    startCommand(tx, block, block.command.command, effect.cause);
    return null;
  }
  const outcome = tryInProcess(tx, block.command.command, block.id);
  recordStepSummary(tx, block.id, outcome.summary);
  tx.ran.push({ block: block.id, ok: outcome.ok, summary: outcome.summary });
  recordEntry(tx, 'ran', {
    block: block.id,
    command: block.command.command.command,
    ok: outcome.ok,
    summary: outcome.summary,
  });
  if (!outcome.ok) recordFault(tx, block.id, 'STEP_FAILED', outcome.summary);
  return outcome.ok ? { type: 'DONE' } : { type: 'FAIL' };
}

function startCommand(tx: Transaction, block: CliBlock, command: ExternalCommand, cause: string): void {
  const { state, place } = tx;
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const argv = command.argv.map((word) => fillPlaceholders(tx, word, block.id));
  const { shell, timeout } = command;
  const cwd = fillPlaceholders(tx, command.cwd, block.id);
  const directory = `actions/${actionId}`;
  const key = `${state.runId}:${actionId}`;
  const log = displayPath(place, state.name, `${directory}/command.log`);
  const action: PendingAction = {
    run: state.name,
    block: block.id,
    actionId,
    action: 'running',
    instruction: 'dev-cli runs this command itself and keeps it alive. Run the poll.',
    commands: [{ id: block.id, run: argv, startedAt: tx.at, log }],
    poll: { command: 'next', input: { name: state.name, wait: tx.pollWait } },
    progress: renderProgress(tx, block.id),
  };
  setPendingAction(tx, action, {}, cause);
  askCommand(tx, { key, actionId, block: block.id, argv, shell, cwd, timeout, directory });
}
