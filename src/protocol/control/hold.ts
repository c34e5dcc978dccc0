import type { Answer } from '../../base/answer.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { CommandFormatter } from '../../base/invocation.js';
import { describeDecider } from '../../blocks/approvals.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { recordTurningPoint } from '../../engine/act/notes.js';
import type { InputOf } from '../../registry/catalogue.js';
import { type Context, getDeadline } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import { renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { mergeResults, startResult } from '../envelope.js';
import { findRun, readRun } from '../find/find-run.js';
import { runPendingJobs } from '../settle.js';
import { renderContinuation, requireTerminal, toPersonContext } from '../trust/person.js';
import { continueAfterHold } from '../walk/release.js';

/** Longest reason for a hold, in characters; short because every action of the held run repeats it. */
const REASON_CAP = 1000;

/**
 * `hold`: from now on, nothing new is handed out or begun; tasks already handed out may still be acknowledged
 * (control.md, Holding). Run at a terminal, it makes a person's hold, which replaces an agent's. Holding a held run is
 * a duplicate.
 * @param given the run's name, if any
 * @throws DevCliError `RUN_ENDED`, `DATA_MALFORMED` for too long a reason, `NO_SUCH_RUN`
 */
export async function holdRun(
  context: Context,
  given: unknown,
  { reason }: Omit<InputOf<'hold'>, 'name'>,
): Promise<Answer> {
  const name = await findRun(context, given, true);
  if ((reason ?? '').length > REASON_CAP) {
    throw new DevCliError('DATA_MALFORMED', `The reason is longer than ${REASON_CAP} characters.`, {
      fix: 'Shorten it. Nothing changed.',
    });
  }
  const caller = context.caller.terminal === true ? toPersonContext(context) : context;
  const result = await transact(caller, name, (tx): CallResult => {
    refuseEnded(tx);
    const { held } = tx.state;
    if (held !== undefined && (held.by === 'human' || tx.by.kind !== 'human')) {
      return { ...startResult(tx), duplicate: true };
    }
    const said = omitUndefined({ reason: reason === undefined || reason.trim() === '' ? undefined : reason });
    tx.state.held = { at: tx.at, by: tx.by.kind, ...said, ...omitUndefined({ kept: held?.kept }) };
    recordEntry(tx, 'held', said);
    noteTurn(tx, 'held', reason);
    return startResult(tx);
  });
  const answer = renderEnvelope({ ...result, status: 'held' }, context);
  return context.caller.terminal === true ? { ...answer, text: await tellHold(context, result) } : answer;
}

/** Renders the text for a person: who holds the run, which tasks are still handed out, and how to release the run. */
async function tellHold(context: Context, { name, duplicate }: CallResult): Promise<NonNullable<Answer['text']>> {
  const { describeWaiting } = await import('../../views/status.js');
  const { snapshot } = await readRun(context, name);
  const { now } = describeWaiting(snapshot);
  const held = snapshot.status === 'live' ? now : `held; ${now}`;
  const was = duplicate === true ? 'has already been' : 'is';
  return (format) => `${name} ${was} ${held}. To release it: ${format({ command: 'release', input: { name } })}`;
}

/**
 * `release`: lets a held run continue (control.md, Releasing). Only a person at a terminal, who must confirm, releases
 * a person's hold. Releasing a run that is not held, or has ended, is a duplicate.
 * @param given the run's name, if any
 * @throws DevCliError `TERMINAL_REQUIRED`, `UNKNOWN_CHOICE` if the person did not say yes, `NO_SUCH_RUN`
 */
export async function releaseRun(context: Context, given: unknown): Promise<Answer> {
  const name = await findRun(context, given, true);
  const { held } = (await readRun(context, name)).snapshot;
  const caller = held?.by === 'human' ? await askPerson(context, name, held) : context;
  const until = getDeadline(caller);
  const result = await transact(caller, name, (tx): CallResult => {
    const now = tx.state.held;
    if (now === undefined) return { ...startResult(tx), duplicate: true };
    // A person may have held the run since this call read it.
    if (now.by === 'human' && tx.by.kind !== 'human') requirePerson(context, name);
    delete tx.state.held;
    recordEntry(tx, 'released', {});
    noteTurn(tx, 'released');
    if (tx.state.status === 'live' && tx.state.pendingAction === null) continueAfterHold(tx, now.kept);
    return startResult(tx);
  });
  const later = await runPendingJobs(caller, name, until, null);
  const whole = mergeResults(result, later);
  const answer = renderEnvelope({ ...whole, status: 'released' }, context);
  return context.caller.terminal === true ? { ...answer, text: (format) => tellRelease(whole, format) } : answer;
}

function tellRelease({ name, duplicate, warnings, next }: CallResult, format: CommandFormatter): string {
  const done = duplicate === true ? `${name} is not held.` : `${name} is released.`;
  return [
    ...warnings.map((line) => `! ${line}`),
    `${done} ${renderContinuation(name, next?.action === 'held', format)}`,
  ].join('\n');
}

async function askPerson(context: Context, name: string, held: NonNullable<RunState['held']>): Promise<Context> {
  requirePerson(context, name);
  const why = held.reason === undefined ? '' : `: ${toBoundedLine(held.reason, REASON_CAP)}`;
  const asked = `${name} has been held since ${held.at} by ${describeDecider(held.by)}${why}\nType yes to release it: `;
  if (/^yes$/i.test(await context.ask(asked))) return toPersonContext(context);
  throw new DevCliError('UNKNOWN_CHOICE', 'The release was not confirmed.', {
    run: name,
    fix: 'Nothing changed; the run is still held.',
    answer: { command: 'release', input: { name } },
  });
}

function requirePerson(context: Context, name: string): void {
  requireTerminal(context, { command: 'release', input: { name } }, name);
}

function refuseEnded({ state }: Transaction): void {
  if (state.status !== 'completed' && state.status !== 'aborted') return;
  throw new DevCliError('RUN_ENDED', `The run "${state.name}" is ${state.status}: it hands out no more actions.`, {
    fix: { command: 'next', input: { name: state.name } },
  });
}

/** Records that an execution was held or released, because report.md lists both. */
function noteTurn(tx: Transaction, kind: 'held' | 'released', reason?: string): void {
  if (tx.state.engine === null) return;
  const by = `by ${describeDecider(tx.by.kind)}`;
  recordTurningPoint(tx, kind, reason === undefined || reason.trim() === '' ? by : `${by}: ${reason}`);
}
