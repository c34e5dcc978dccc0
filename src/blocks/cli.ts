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
 * Executes a CLI block. A command of dev-cli runs at once, inside the transaction. An external command becomes the
 * pending `running` action and is launched after the commit (protocol.md §4); command.ts handles its end.
 * @returns the event for the machine; null while an external command runs
 * @throws DevCliError `INTERNAL` for any other block
 */
export function executeCliBlock(tx: Transaction, effect: Extract<Effect, { type: 'execute' }>): MachineEvent | null {
  const block = getBlock(tx, effect.block);
  if (block.kind !== 'cli') throw new DevCliError('INTERNAL', `"${block.id}" is no CLI block.`);
  if (block.command.kind === 'external') {
    startCommand(tx, block, block.command.command, effect.cause);
    return null;
  }
  const { command } = block.command;
  const { ok, summary } = tryInProcess(tx, command, block.id);
  recordStepSummary(tx, block.id, summary);
  tx.ran.push({ block: block.id, ok, summary });
  recordEntry(tx, 'ran', { block: block.id, command: command.command, ok, summary });
  if (!ok) recordFault(tx, block.id, 'STEP_FAILED', summary);
  return { type: ok ? 'DONE' : 'FAIL' };
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
