import type { Answer } from '../base/answer.js';
import { formatInstant } from '../base/clock.js';
import { DevCliError } from '../base/errors.js';
import type { DocumentReader } from '../base/files.js';
import type { Invocation } from '../base/invocation.js';
import { canonicalJson, isRecord, type JsonObject } from '../base/json.js';
import type { CommandContext, CommandReport } from '../blocks/commands/command-context.js';
import { runOwnCommand } from '../blocks/commands/run-own.js';
import { createCommandContext } from '../blocks/own-command.js';
import { findPlanDifference } from '../engine/act/plan/difference.js';
import { readCapturedRecipe } from '../run/captured-recipe.js';
import { copyState } from '../run/codec.js';
import type { Context } from '../run/context.js';
import { createDocumentOverlay } from '../run/documents/pending.js';
import { displayPath } from '../run/paths.js';
import type { RunState } from '../run/state.js';
import { transact } from '../run/transact.js';
import { recordEntry } from '../run/transaction.js';
import type { StreamState } from '../store/store.js';
import { findRun } from './find/find-run.js';

/** Commands that only read, and therefore need neither a lock nor a run. */
const READING = ['draft show', 'draft validate', 'plan template', 'plan validate', 'plan summary'];

/**
 * Runs a document command (`draft …`, `plan …`, `analysis save`, `cleanup`) that was typed by hand. Uses the same
 * function as a recipe's block, but in a transaction of its own.
 * @param command the command's full name
 * @throws any error of the command; DevCliError `NO_SUCH_RUN`, `RUN_ENDED`, `RUN_ACTIVE`
 */
export async function runDocumentCommand(context: Context, command: string, input: JsonObject): Promise<Answer> {
  if (command === 'plan template')
    return buildAnswer(null, runOwnCommand({ command, input }, createEmptyContext()), []);
  const { name: given, ...rest } = input;
  const name = await findRun(context, given, !READING.includes(command));
  const head = await context.store.read(name);
  refuseBareFile(name, command, input, head.files);
  if (READING.includes(command) || head.snapshot === null) {
    return runWithoutTransaction(context, head, name, { command, input: rest });
  }
  const { outcome, warnings } = await transact(context, name, (tx) => {
    refuseByStatus(tx.state, command);
    const before = canonicalJson(tx.state);
    const done = runOwnCommand({ command, input: rest }, createCommandContext(tx));
    const moved = command === 'plan generate' ? findPlanDifference(tx.state, tx.files) : null;
    if (moved !== null) tx.warnings.push(moved.line);
    const paths = tx.files.changes().map(({ path }) => displayPath(tx.place, name, path));
    // A command that changed nothing, for example one repeated because its answer was lost, is not recorded.
    const changed = tx.files.differs() || canonicalJson(tx.state) !== before;
    if (paths.length > 0 && changed) recordEntry(tx, 'document', { command, paths, summary: done.summary });
    return { outcome: done, warnings: tx.warnings };
  });
  return buildAnswer(name, outcome, warnings);
}

/**
 * Runs a command outside a transaction: one that only reads, or any command for a name without a run, whose documents a
 * later `init` adopts.
 */
async function runWithoutTransaction(
  context: Context,
  head: StreamState<RunState>,
  name: string,
  invocation: Invocation,
): Promise<Answer> {
  const run = (present: DocumentReader) => {
    const files = createDocumentOverlay(present);
    const warnings = [...head.notices];
    const commandContext: CommandContext = {
      name,
      files,
      state: head.snapshot === null ? null : copyState(head.snapshot),
      recipe: head.snapshot === null ? null : readCapturedRecipe(head).recipe,
      at: formatInstant(context.clock.now()),
      warnings,
    };
    const outcome = runOwnCommand(invocation, commandContext);
    return { answer: buildAnswer(name, outcome, warnings), files: files.changes() };
  };
  if (READING.includes(invocation.command)) return run(head.files).answer;
  return context.store.place(name, run);
}

function buildAnswer(run: string | null, outcome: CommandReport, warnings: string[]): Answer {
  return {
    exit: outcome.ok ? 0 : 3,
    json: {
      ok: outcome.ok,
      ...(run === null ? {} : { run }),
      ...outcome.report,
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    text: () => outcome.text ?? outcome.summary,
  };
}

function createEmptyContext(): CommandContext {
  const nothing = { read: () => null, facts: () => ({ kind: 'missing' as const }), list: () => [] };
  return { name: '', files: createDocumentOverlay(nothing), state: null, recipe: null, at: '', warnings: [] };
}

/**
 * Refuses `--data FILE` without an `@`. In a recipe this names a file in the run's directory (recipes.md §2), but typed
 * by hand it would be parsed as JSON.
 * @throws DevCliError `DATA_MALFORMED` with the corrected command
 */
function refuseBareFile(name: string, command: string, input: JsonObject, files: DocumentReader): void {
  const { data } = input;
  if (!isRecord(data) || data['source'] !== 'inline' || typeof data['text'] !== 'string') return;
  const path = data['text'];
  if (!/^[\w.-]+(\/[\w.-]+)*\.(json|md)$/.test(path) || files.facts(path).kind !== 'file') return;
  throw new DevCliError('DATA_MALFORMED', `${path} is not JSON, but the run has a file of that name.`, {
    run: name,
    details: [{ target: '--data', problem: 'neither JSON nor @FILE' }],
    fix: { command, input: { ...input, name, data: `@.dev/specs/${name}/${path}` } },
  });
}

/**
 * Refuses a command typed by hand that does not fit the status of the run.
 * @throws DevCliError `RUN_ACTIVE` for `cleanup` of a run that may continue; `RUN_ENDED`
 */
function refuseByStatus({ name, status, engine }: RunState, command: string): void {
  const ended = status === 'completed' || status === 'aborted';
  const options = { run: name, fix: { command: 'next', input: { name } } };
  if (command === 'cleanup' && !ended) {
    const why = `The run "${name}" has not ended; a cleanup by hand would remove what it still needs.`;
    throw new DevCliError('RUN_ACTIVE', why, options);
  }
  // After planning was aborted, no block of the run will clean up any more, so `cleanup` may be typed by hand. After an
  // execution it may not, because the report has already rewritten summary.md.
  const tidies = command === 'cleanup' && status === 'aborted' && engine === null;
  // `plan generate` repairs an edited plan, so it may run even after the run has ended (documents.md, plan generate).
  if (!ended || tidies || command === 'plan generate') return;
  throw new DevCliError('RUN_ENDED', `The run "${name}" has ended; "${command}" would change its documents.`, options);
}
