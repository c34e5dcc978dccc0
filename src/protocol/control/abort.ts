import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { noSuchRunError } from '../../base/name.js';
import { recordTurningPoint } from '../../engine/act/notes.js';
import { changeTodo } from '../../engine/act/todo-rows.js';
import { tickDoneTodos } from '../../engine/act/wrap-up.js';
import { writeReport } from '../../engine/view/report.js';
import type { Job } from '../../jobs/job.js';
import { withdrawAll } from '../../jobs/life.js';
import { readCapturedOrEmpty } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { findLost } from '../../run/documents/lost.js';
import { overlayLostDocuments, restoreDocuments } from '../../run/documents/recovery.js';
import type { EngineDraft } from '../../run/engine.js';
import { refuseHeld } from '../../run/hold.js';
import { createOutsideFacts } from '../../run/surroundings.js';
import { closeTransaction, openTransaction, recordEntry, type Transaction } from '../../run/transaction.js';
import { renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { startResult } from '../envelope.js';
import { findRun } from '../find/find-run.js';
import { stopJobs } from '../settle.js';
import { endRun } from '../walk/end.js';

/**
 * `abort`: ends a live or halted run for good; its documents stay. Repeating it is a duplicate (protocol.md §5).
 * @param given the run's name, if any
 * @throws DevCliError `RUN_ENDED` for a completed run, `DATA_MISSING` without a reason, `RUN_HELD`, `NO_SUCH_RUN`
 */
export async function abortNamedRun(context: Context, given: unknown, reason: string): Promise<Answer> {
  const name = await findRun(context, given, true);
  if (reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'An abort needs a reason.', { fix: 'Give it with --reason TEXT.' });
  }
  let abandoned: Job[] = [];
  const result = await context.store.transact<CallResult>(name, (head, neighbours) => {
    if (head.snapshot === null) throw noSuchRunError(name);
    refuseHeld(context, head.snapshot, 'to abort it');
    const lost = head.rebooted || head.stale.length > 0 ? findLost(head, head.snapshot) : null;
    // A run can be aborted even if its captured recipe is lost.
    const captured = readCapturedOrEmpty(
      lost === null ? head : { ...head, files: overlayLostDocuments(head.files, lost) },
    );
    const surroundings = createOutsideFacts(context, neighbours);
    const tx = openTransaction(context, head, copyState(head.snapshot), captured, surroundings);
    if (tx.state.status === 'aborted') return { answer: { ...startResult(tx), status: 'aborted', duplicate: true } };
    // Restored in the commit of the abort, because after that commit nothing shows any more that documents may be lost.
    const restored = lost === null ? [] : restoreDocuments(tx, lost, head);
    if (restored.length > 0) recordEntry(tx, 'recovered', { notices: restored });
    abandoned = abortRun(tx, reason);
    tx.warnings.push(...head.notices, ...restored);
    return closeTransaction(tx, head, { ...startResult(tx), status: 'aborted' });
  });
  await stopJobs(context, name, abandoned);
  return renderEnvelope(result, context);
}

/**
 * Aborts the run of a transaction, even if its recipe is lost.
 * @returns the jobs that are still running, to be stopped after the commit
 * @throws DevCliError `RUN_ENDED` for a completed run
 */
export function abortRun(tx: Transaction, reason: string): Job[] {
  const { state } = tx;
  if (state.status === 'completed') {
    throw new DevCliError('RUN_ENDED', `The run "${state.name}" is completed.`, {
      run: state.name,
      fix: { command: 'next', input: { name: state.name } },
    });
  }
  const abandoned = withdrawAll(tx);
  const { engine, machine } = tx.state;
  if (engine !== null) abandonExecution(tx, engine, reason);
  tx.state.machine = { ...machine, value: 'aborted' };
  endRun(tx, 'aborted', reason);
  layDown(tx);
  return abandoned;
}

/** Takes steps and todos out of `running`, since nobody will finish them (storage.md, state.json). */
function layDown({ state: { steps, engine }, at }: Transaction): void {
  for (const [id, step] of Object.entries(steps)) {
    if (step.status === 'running') steps[id] = { ...step, status: 'failed', at };
  }
  if (engine === null) return;
  for (const { id, status, substeps } of Object.values(engine.todos)) {
    // Skips todos that no stage is working on: a todo's status names a stage only while it is in that stage.
    if (substeps[status] === undefined) continue;
    const open = Object.entries(substeps).filter(([, substep]) => substep.status === 'running');
    const laidDown = open.map(([stage, substep]) => [stage, { ...substep, status: 'pending' as const }]);
    changeTodo(engine, id, { status: 'pending', substeps: { ...substeps, ...Object.fromEntries(laidDown) } });
  }
}

/** Withdraws the tasks of an execution; todos that are done keep their ticked boxes and appear in the report. */
function abandonExecution(tx: Transaction, engine: EngineDraft, reason: string): void {
  engine.tasks = {};
  engine.job = null;
  tickDoneTodos(tx);
  if (tx.captured.recipe.engine === undefined) return;
  recordTurningPoint(tx, 'aborted', reason);
  try {
    writeReport(tx, { aborted: true });
    if (engine.finalize['report'] !== undefined) engine.finalize['report'] = { status: 'done', at: tx.at };
  } catch (error) {
    // A damaged captured plan must not prevent an abort.
    if (!(error instanceof DevCliError)) throw error;
  }
}
