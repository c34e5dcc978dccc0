import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { endRun } from '../effects/end.js';
import type { Turn } from '../effects/turn.js';
import { transition } from '../machine/transition.js';
import type { Context } from './context.js';
import { envelope, toldBy } from './envelope.js';
import { endRunning } from './external.js';
import { findRun } from './find-run.js';
import { readRun, runningCommand } from './running.js';
import { transactTurn } from './turns.js';

/**
 * `abort`: ends a live or halted run for good; documents stay. Again on an aborted run it is a duplicate.
 * @throws DevCliError `RUN_ENDED` for a completed run, `DATA_MISSING` without a reason
 */
export async function abort(context: Context, given: unknown, reason: string): Promise<Answer> {
  const name = await findRun(context, given, true);
  if (reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'An abort needs a reason.', { fix: 'Give it with --reason TEXT.' });
  }
  const command = runningCommand(await readRun(context, name));
  const told = await transactTurn(context, name, (turn) => {
    const duplicate = turn.state.status === 'aborted';
    if (!duplicate) abortRun(turn, reason);
    return { ...toldBy(turn), status: 'aborted' as const, ...(duplicate ? { duplicate: true as const } : {}) };
  });
  if (command !== null) await endRunning(context, name, command);
  return envelope(told);
}

/** Ends the run of this turn for good. */
export function abortRun(turn: Turn, reason: string): void {
  const { state } = turn;
  if (state.status === 'completed') {
    throw new DevCliError('RUN_ENDED', `The run "${state.name}" is completed.`, {
      run: state.name,
      fix: { command: 'next', input: { name: state.name } },
    });
  }
  state.machine = transition(turn.captured.recipe.program, state.machine, { type: 'ABORT' }, () => false).position;
  state.commands = {};
  endRun(turn, 'aborted', reason);
}
