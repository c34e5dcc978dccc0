// door: seldom

import type { MachineEvent } from '../machine/events.js';
import type { CliBlock } from '../recipe/resolved.js';
import { getRound, recordEntry, type Transaction } from '../run/transaction.js';
import { warnAtBound } from './own-command.js';
import { recordRed } from './red.js';

/** A command that leads back when it fails (recipes.md, Loops). */

/**
 * Ends the round of a command that has failed: the block that it leads back to is told by its log.
 * @param actionId the action of the command
 * @param log its output, relative to the run's directory
 */
export function failRound(
  tx: Transaction,
  block: CliBlock,
  { actionId, log, summary }: { actionId: string; log: string; summary: string },
): MachineEvent {
  const round = getRound(tx, block.id);
  tx.because.push(log);
  recordEntry(tx, 'round', { actionId, block: block.id, round, saved: [], missing: [] });
  warnAtBound(tx, block, summary);
  return { type: 'ROUND', filled: false };
}

/** The same for a command that has not run as a process: what it found is written down as its log. */
export function failRoundAtOnce(tx: Transaction, block: CliBlock, summary: string, report: object): MachineEvent {
  tx.state.lastAction += 1;
  const actionId = `a${tx.state.lastAction}`;
  const log = `actions/${actionId}/command.log`;
  const found = Object.keys(report).length === 0 ? '' : `${JSON.stringify(report, null, 2)}\n`;
  tx.files.write(log, `${summary}\n${found}`);
  const { red } = tx.state.steps[block.id] ?? {};
  if (red !== undefined) recordRed(tx, block.id, { ...red, log });
  return failRound(tx, block, { actionId, log, summary });
}
