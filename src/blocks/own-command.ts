import { DevCliError, type ErrorDetail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { evaluateCondition } from '../recipe/conditions.js';
import type { LlmLoopBlock, OwnCommand, SubagentBlock } from '../recipe/resolved.js';
import type { Transaction } from '../run/transaction.js';
import type { CommandContext, CommandReport } from './commands/command-context.js';
import { runOwnCommand } from './commands/run-own.js';
import { buildConditionScope, fillPlaceholders } from './values.js';

/** Runs one of our commands inside this transaction. What it throws refuses the acknowledgement that asked for it. */
function runInProcess(
  tx: Transaction,
  command: OwnCommand,
  block: string,
  more: Record<string, unknown> = {},
): CommandReport {
  const input = Object.fromEntries(
    Object.entries(command.input).map(([key, value]) => [
      key,
      typeof value === 'string' ? fillPlaceholders(tx, value, block) : value,
    ]),
  );
  return runOwnCommand(
    { command: command.command, input: { ...input, ...more } as OwnCommand['input'] },
    createCommandContext(tx),
  );
}

export function createCommandContext(tx: Transaction): CommandContext {
  return {
    name: tx.state.name,
    files: tx.files,
    state: tx.state,
    recipe: tx.captured.recipe,
    at: tx.at,
    warnings: tx.warnings,
  };
}

/**
 * Runs `onComplete` of a block whose agents delivered nothing. It cannot refuse any more: what it finds wrong, or why it
 * could not run, is a warning that stays.
 */
export function runOnComplete(tx: Transaction, block: SubagentBlock): void {
  if (block.onComplete === undefined) return;
  const outcome = tryInProcess(tx, block.onComplete, block.id);
  if (outcome.ok) return;
  const line = `${block.id}, ${block.onComplete.command}: ${outcome.summary}`;
  tx.state.warnings.push(line);
  tx.warnings.push(line);
}

/** A CLI block that cannot do its work has failed; its error belongs to the run, not to the call that led here. */
export function tryInProcess(tx: Transaction, command: OwnCommand, block: string): CommandReport {
  try {
    return runInProcess(tx, command, block);
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL' || error.code === 'IO') throw error;
    const first = error.details[0];
    const summary = `${error.code}: ${error.message}${first === undefined ? '' : ` ${first.pointer ?? first.target ?? ''} ${first.problem}`}`;
    return { ok: false, report: {}, summary };
  }
}

/** Findings of a command named at most in a refusal. */
const DETAILS_SHOWN = 40;

/** Whether a round of a loop passes: `exitCheck`, then `exitWhen`; without either its data is enough. */
export function isRoundPassed(
  tx: Transaction,
  block: { id: string; exitCheck?: LlmLoopBlock['exitCheck']; exitWhen?: string },
): boolean {
  if (block.exitCheck !== undefined && !runInProcess(tx, block.exitCheck, block.id).ok) return false;
  return block.exitWhen === undefined || evaluateCondition(block.exitWhen, buildConditionScope(tx, block.id));
}

/**
 * Runs `save`, `then` or `onComplete` of a block: its step is done only when the command found nothing wrong
 * (protocol.md §3).
 * @throws DevCliError `EVIDENCE_INVALID` with the command's report as details; what the command throws
 */
export function runOrRefuse(
  tx: Transaction,
  command: OwnCommand,
  block: string,
  more?: Record<string, unknown>,
): CommandReport {
  const outcome = runInProcess(tx, command, block, more);
  if (outcome.ok) return outcome;
  throw new DevCliError('EVIDENCE_INVALID', `"${command.command}" found: ${outcome.summary}.`, {
    details: listFindings(outcome).slice(0, DETAILS_SHOWN),
    fix: 'Mend what it names, then repeat the acknowledgement.',
  });
}

/** The findings in a report, whichever command made it. */
function listFindings({ report, summary }: CommandReport): ErrorDetail[] {
  const listed = [report['problems'], report['findings']].find((list) => Array.isArray(list));
  const found = Array.isArray(listed) ? listed.filter(isDetail) : [];
  if (found.length > 0) return found;
  const missing = Array.isArray(report['missing']) ? report['missing'] : [];
  return missing.length > 0
    ? missing.map((section) => ({ target: String(section), problem: 'missing' }))
    : [{ problem: summary }];
}

function isDetail(value: unknown): value is ErrorDetail & Record<string, string> {
  return isRecord(value) && typeof value['problem'] === 'string';
}

/**
 * Remembers that a loop is at its bound and the run goes on all the same. To be called before the run goes on, so that
 * what follows in the same commit knows it: summary.md, `done`. A loop that asks the user has a gate there instead.
 * @param open what it did not reach, in words
 */
export function warnAtBound(tx: Transaction, block: LlmLoopBlock | SubagentBlock, open: string): void {
  const counters = tx.state.machine.counters[block.id];
  const spent = counters === undefined ? 0 : counters.round - counters.roundBase;
  if (block.asks === 'user' || block.onError.kind !== 'continue' || spent < block.maxRounds) return;
  const rounds = block.maxRounds === 1 ? '1 round' : `${block.maxRounds} rounds`;
  const line = `${block.id} did not pass within ${rounds} (${open})`;
  tx.state.warnings.push(line);
  tx.warnings.push(line);
}
