import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { noSuchRun } from '../effects/commands/scene.js';
import type { RunState } from '../run/state.js';
import type { Head } from '../store/store.js';
import { actionText } from './action-text.js';
import type { Context } from './context.js';
import { runningCommand, settleCommands } from './external.js';
import { findRun } from './find-run.js';
import { transactTurn } from './turns.js';
import { actionView } from './view.js';

/**
 * `next`: the pending action itself, the same byte for byte until it is acknowledged. Writes nothing, except that it
 * finishes what a crash left, or commits an external command that has ended (protocol.md §2).
 * @param input.wait seconds to wait for a command at work
 */
export async function next(
  context: Context,
  given: unknown,
  input: { full?: boolean; wait?: number },
): Promise<Answer> {
  const name = await findRun(context, given, false);
  let head = await readRun(context, name);
  if (await context.store.unfinished(name)) {
    await transactTurn(context, name, () => null);
    head = await readRun(context, name);
  }
  if (runningCommand(head) !== null) {
    await settleCommands(context, name, context.clock.now() + (input.wait ?? 0) * 1000);
    head = await readRun(context, name);
  }
  const action = head.snapshot.pendingAction?.action;
  if (action === undefined) throw new DevCliError('STATE_CORRUPT', `The run "${name}" has no pending action.`);
  return { exit: 0, json: actionView(action, input.full === true), text: () => actionText(action) };
}

/** A run that exists. @throws DevCliError `NO_SUCH_RUN` and what the store throws */
export async function readRun(context: Context, name: string): Promise<Head<RunState> & { snapshot: RunState }> {
  const head = await context.store.read(name);
  if (head.snapshot === null) throw noSuchRun(name);
  return { ...head, snapshot: head.snapshot };
}
