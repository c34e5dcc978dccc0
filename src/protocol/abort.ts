import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { noSuchRun } from '../base/no-such-run.js';
import { noteCourse } from '../engine/act/course.js';
import { tickDone } from '../engine/act/wrap-up.js';
import { writeReport } from '../engine/view/report.js';
import type { Job } from '../jobs/job.js';
import { withdrawAll } from '../jobs/life.js';
import type { Context } from '../run/context.js';
import type { RunEngine } from '../run/engine.js';
import type { Turn } from '../run/turn.js';
import { envelope, type Told } from '../views/envelope.js';
import { toldBy } from './envelope.js';
import { findRun } from './find-run.js';
import { withRare } from './rare.js';
import { endJobs } from './settle.js';
import { capturedOrNone, commitOf, openTurn } from './turns.js';
import { endRun } from './walk/end.js';

/**
 * `abort`: ends a live or halted run for good; documents stay. Again on an aborted run it is a duplicate.
 * @throws DevCliError `RUN_ENDED` for a completed run, `DATA_MISSING` without a reason
 */
export async function abort(context: Context, given: unknown, reason: string): Promise<Answer> {
  const name = await findRun(context, given, true);
  if (reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'An abort needs a reason.', { fix: 'Give it with --reason TEXT.' });
  }
  let abandoned: Job[] = [];
  const told = await withRare((rare) =>
    context.store.transact<Told>(name, (head) => {
      if (head.snapshot === null) throw noSuchRun(name);
      // The one thing that must be possible with a run whose recipe is gone.
      const captured = capturedOrNone(head, rare.recompile);
      const turn = openTurn(context, head, structuredClone(head.snapshot), captured, rare);
      if (turn.state.status === 'aborted') return { answer: { ...toldBy(turn), status: 'aborted', duplicate: true } };
      abandoned = abortRun(turn, reason);
      turn.warnings.push(...head.notices);
      return commitOf(turn, head, { ...toldBy(turn), status: 'aborted' });
    }),
  );
  await endJobs(context, name, abandoned);
  return envelope(told);
}

/** Ends the run of this turn for good, whatever its recipe. Gives the external commands that it leaves at work. */
export function abortRun(turn: Turn, reason: string): Job[] {
  const { state } = turn;
  if (state.status === 'completed') {
    throw new DevCliError('RUN_ENDED', `The run "${state.name}" is completed.`, {
      run: state.name,
      fix: { command: 'next', input: { name: state.name } },
    });
  }
  const abandoned = withdrawAll(turn);
  if (state.engine !== null) abandon(turn, state.engine, reason);
  state.machine.value = 'aborted';
  endRun(turn, 'aborted', reason);
  return abandoned;
}

/** Tasks that are out answer to nobody any more; what is done keeps its box and is reported. */
function abandon(turn: Turn, engine: RunEngine, reason: string): void {
  engine.tasks = {};
  engine.job = null;
  tickDone(turn);
  if (turn.captured.recipe.engine === undefined) return;
  noteCourse(turn, 'aborted', reason);
  try {
    writeReport(turn, { aborted: true });
  } catch (error) {
    // An abort must be possible whatever has become of the captured plan.
    if (!(error instanceof DevCliError)) throw error;
  }
}
