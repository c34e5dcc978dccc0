import { ERROR_CODES } from '../base/error-codes.js';
import { DevCliError, type ErrorDetail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { renderCount } from '../base/words.js';
import type { CliBlock, LlmLoopBlock, OwnCommand, SubagentBlock } from '../recipe/resolved.js';
import { warnOfOutcome } from '../run/outcome-warnings.js';
import type { Transaction } from '../run/transaction.js';
import type { CommandContext, CommandReport } from './commands/command-context.js';
import { runOwnCommand } from './commands/run-own.js';
import { evaluateConditionInRun } from './values/condition.js';
import { fillPlaceholders } from './values/values.js';

/** Runs a command of dev-cli inside this transaction. An error that it throws refuses the acknowledgement. */
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

/** Creates the context of a dev-cli command from the transaction in which it runs. */
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
 * Runs `onComplete` of a block whose outcome is already settled. It can no longer refuse anything: its findings, or the
 * reason why it could not run, become a lasting warning.
 */
export function runOnComplete(tx: Transaction, block: SubagentBlock): void {
  if (block.onComplete === undefined) return;
  const outcome = tryInProcess(tx, block.onComplete, block.id);
  if (!outcome.ok) warnOfOutcome(tx, block.id, `${block.id}, ${block.onComplete.command}: ${outcome.summary}`);
}

/** The outcome of a recipe's command, with the exit code that it would have when called by hand. */
type CommandOutcome = CommandReport & { exit: number };

/**
 * Runs a command like `runInProcess`, but reports an error as a failed command, because it was the recipe, not the
 * caller, that asked for the command.
 * @throws DevCliError `INTERNAL`, `IO`
 */
export function tryInProcess(tx: Transaction, command: OwnCommand, block: string): CommandOutcome {
  try {
    const outcome = runInProcess(tx, command, block);
    return { ...outcome, exit: outcome.ok ? 0 : 3 };
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL' || error.code === 'IO') throw error;
    const first = error.details[0];
    const summary = `${error.code}: ${error.message}${first === undefined ? '' : ` ${first.pointer ?? first.target ?? ''} ${first.problem}`}`;
    return { ok: false, report: {}, summary, exit: ERROR_CODES[error.code] };
  }
}

/** How many of a command's findings a refusal lists at most. */
const DETAILS_SHOWN = 40;

/** Whether a round of a loop passes `exitCheck` and `exitWhen`; with neither it always passes. */
export function isRoundPassed(
  tx: Transaction,
  block: { id: string; exitCheck?: LlmLoopBlock['exitCheck']; exitWhen?: string },
): boolean {
  if (block.exitCheck !== undefined && !runInProcess(tx, block.exitCheck, block.id).ok) return false;
  return block.exitWhen === undefined || evaluateConditionInRun(tx, block.exitWhen, block.id);
}

/**
 * Runs a block's `save`, `then` or `onComplete`. The step is done only if the command finds nothing wrong (protocol.md
 * §3).
 * @param more input in addition to the recipe's
 * @throws DevCliError `EVIDENCE_INVALID` with the command's findings as details; whatever the command throws
 */
export function runOwnCommandOrRefuse(
  tx: Transaction,
  command: OwnCommand,
  block: string,
  more?: Record<string, unknown>,
): CommandReport {
  const outcome = runInProcess(tx, command, block, more);
  if (outcome.ok) return outcome;
  throw new DevCliError('EVIDENCE_INVALID', `"${command.command}" reports: ${outcome.summary}.`, {
    details: listFindings(outcome).slice(0, DETAILS_SHOWN),
    fix: 'Fix what it reports, then repeat the acknowledgement.',
  });
}

/** Lists the findings in a command's report, whose form depends on the command. */
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
 * Warns that a loop, or a command that leads back, has used up its rounds without passing, and that the run continues
 * nevertheless. Must be called before the run advances, so that summary.md and `done` of the same transaction include
 * the warning. There is no warning for a loop that asks the user, because it has a gate for that case.
 * @param open says what was not achieved
 */
export function warnOfExhaustedRounds(
  tx: Transaction,
  block: LlmLoopBlock | SubagentBlock | CliBlock,
  open: string,
): void {
  const { maxRounds = 0 } = block;
  const counters = tx.state.machine.counters[block.id];
  const spent = counters === undefined ? 0 : counters.round - counters.roundBase;
  const asksUser = 'asks' in block && block.asks === 'user';
  if (asksUser || block.onError.kind !== 'continue' || spent < maxRounds) return;
  warnOfOutcome(tx, block.id, `${block.id} did not pass within ${renderCount(maxRounds, 'round')} (${open})`);
}
