import { DevCliError } from '../base/errors.js';
import type { Effect, MachineEvent } from '../machine/events.js';
import type { CliBlock } from '../recipe/resolved.js';
import { hasFailures } from '../run/facts.js';
import { getBlock, recordEntry, recordFault, recordStepSummary, type Transaction } from '../run/transaction.js';
import { startCommand } from './external.js';
import { tryInProcess } from './own-command.js';
import { failRoundAtOnce, recordCommandFailure } from './red.js';

/**
 * Executes a CLI block. A command of dev-cli runs at once, inside the transaction. An external command becomes the
 * pending `running` action and is launched after the commit (protocol.md §4); command.ts handles its end.
 * @returns the event for the machine; null while an external command runs
 * @throws DevCliError `INTERNAL` for any other block
 */
export function executeCliBlock(tx: Transaction, effect: Extract<Effect, { type: 'execute' }>): MachineEvent | null {
  const block = getBlock(tx, effect.block);
  if (block.kind !== 'cli') throw new DevCliError('INTERNAL', `"${block.id}" is not a CLI block.`);
  if (block.command.kind === 'external') {
    const fault = startCommand(tx, block.id, block.command.command, effect.cause);
    return fault === null
      ? null
      : concludeAtOnce(tx, block, { command: block.command.command.source, ok: false, summary: fault });
  }
  const { command } = block.command;
  return concludeAtOnce(tx, block, { command: command.command, ...tryInProcess(tx, command, block.id) });
}

interface EndedAtOnce {
  command: string;
  ok: boolean;
  summary: string;
  exit?: number;
  /** What the command found. */
  report?: object;
}

/** Records a command that ended, or could not be started, within this transaction. */
function concludeAtOnce(
  tx: Transaction,
  block: CliBlock,
  { command, ok, summary, exit, report = {} }: EndedAtOnce,
): MachineEvent {
  recordStepSummary(tx, block.id, summary, exit);
  tx.ran.push({ block: block.id, ok, summary });
  recordEntry(tx, 'ran', { block: block.id, command, ok, summary });
  if (!ok) recordFault(tx, block.id, 'STEP_FAILED', summary);
  if (!ok || hasFailures(tx.state))
    recordCommandFailure(tx, block.id, ok ? null : { outcome: summary, exit: exit ?? null });
  if (ok) return { type: 'DONE' };
  return block.revise === undefined ? { type: 'FAIL' } : failRoundAtOnce(tx, block, summary, report);
}
