// door: seldom

import { toBoundedLine } from '../documents/foreign.js';
import type { MachineEvent } from '../machine/events.js';
import type { CliBlock } from '../recipe/resolved.js';
import type { StepState } from '../run/recipe-state.js';
import { getRound, type ReadTransaction, recordEntry, type Transaction } from '../run/transaction.js';
import { warnOfExhaustedRounds } from './own-command.js';

/** The last failure of a block's command, kept until the command passes (recipes.md, Loops). */

type Red = NonNullable<StepState['red']>;

/**
 * Records how a block's command failed. Null removes the record, because the command has passed or is no longer needed.
 */
export function recordCommandFailure({ state: { steps } }: Transaction, block: string, red: Red | null): void {
  const { red: _, ...step } = steps[block] ?? { status: 'pending', at: null };
  steps[block] = red === null ? step : { ...step, red };
}

/**
 * Lists the documents that a block reads when it is done again: the log of each failed command from this block on, and
 * the output of each later reviewer whose last verdict is REJECT. Empty as long as nothing has failed.
 */
export function listFailedBehind(tx: ReadTransaction, block: string): string[] {
  const behind = listFrom(tx, block);
  const logs = behind.flatMap((id) => tx.state.steps[id]?.red?.log ?? []);
  const rejected = behind.slice(1).flatMap((id) => listRejected(tx, id));
  return [...new Set([...logs, ...rejected])].filter((path) => tx.files.facts(path).kind === 'file');
}

function listRejected({ state: { reviews } }: ReadTransaction, block: string): string[] {
  const verdicts = reviews.filter((one) => one.block === block);
  const last = verdicts.at(-1)?.round;
  return verdicts.flatMap(({ round, verdict, output }) =>
    round === last && verdict === 'REJECT' ? (output ?? []) : [],
  );
}

/** Lists the failed commands that matter at a block: its own, and those of earlier blocks whose step has failed. */
export function listCommandFailuresAt(tx: ReadTransaction, block: string): { id: string; red: Red }[] {
  const { steps } = tx.state;
  const ids = listIds(tx);
  return ids.slice(0, ids.indexOf(block) + 1).flatMap((id) => {
    const { status, red } = steps[id] ?? {};
    return red !== undefined && (status === 'failed' || id === block) ? [{ id, red }] : [];
  });
}

/**
 * Names the failed commands that ended without an exit code, because their logs do not show that they were cut off.
 * Considers this block, the blocks after it, and the last block before it that was not skipped. Empty where there are
 * none.
 */
export function renderWithoutExit(tx: ReadTransaction, block: string): string {
  const { steps } = tx.state;
  const ids = listIds(tx);
  const before = listCommandFailuresAt(tx, block).map(({ id }) => id);
  const passed = ids.slice(0, ids.indexOf(block)).findLast((id) => steps[id]?.status !== 'skipped');
  const asked = new Set([...before.filter((id) => id === passed), ...listFrom(tx, block)]);
  return [...asked]
    .flatMap((id) => {
      const red = steps[id]?.red;
      return red?.exit === null ? [` ${id} has no result: ${toBoundedLine(red.outcome, 120)}.`] : [];
    })
    .join('');
}

function listFrom(tx: ReadTransaction, block: string): string[] {
  const ids = listIds(tx);
  return ids.slice(ids.indexOf(block));
}

function listIds({ captured }: ReadTransaction): string[] {
  return captured.recipe.blocks.map(({ id }) => id);
}

/** Rounds of a command that leads back when it fails (recipes.md, Loops). */

/**
 * Ends the round of a failed command. The block to which the run goes back is told to read the command's log.
 * @param actionId the action of the command
 * @param log the file with the command's output, relative to the run's directory
 */
export function failRound(
  tx: Transaction,
  block: CliBlock,
  { actionId, log, summary }: { actionId: string; log: string; summary: string },
): MachineEvent {
  const round = getRound(tx, block.id);
  tx.because.push(log);
  recordEntry(tx, 'round', { actionId, block: block.id, round, saved: [], missing: [] });
  warnOfExhaustedRounds(tx, block, summary);
  return { type: 'ROUND', filled: false };
}

/**
 * Ends the round of a command that did not run as a process, and writes its findings to a file that serves as its log.
 */
export function failRoundAtOnce(tx: Transaction, block: CliBlock, summary: string, report: object): MachineEvent {
  tx.state.lastAction += 1;
  const actionId = `a${tx.state.lastAction}`;
  const log = `actions/${actionId}/command.log`;
  const found = Object.keys(report).length === 0 ? '' : `${JSON.stringify(report, null, 2)}\n`;
  tx.files.write(log, `${summary}\n${found}`);
  const { red } = tx.state.steps[block.id] ?? {};
  if (red !== undefined) recordCommandFailure(tx, block.id, { ...red, log });
  return failRound(tx, block, { actionId, log, summary });
}
