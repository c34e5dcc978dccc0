import { DevCliError } from '../../../base/errors.js';
import type { Invocation } from '../../../base/invocation.js';
import { isRecord } from '../../../base/json.js';
import { checkAction } from '../../../protocol/acknowledge/check-action.js';
import type { EngineDispatchAction, TaskView } from '../../../run/action.js';
import { nameWorkSession } from '../sessions/find.js';
import { reportActionFailed, submitAcknowledgement } from './acknowledge.js';
import { MAX_CHILDREN } from './children.js';
import type { DrivenRun, DriveResult } from './driven.js';
import { createFinish, type WorkEnd } from './finish.js';
import { performWork } from './perform.js';

/** Seconds that one check waits for the acceptance commands; if they still run, it is repeated. */
const CHECK_SECONDS = 45;

/**
 * Starts a session for each task that is handed out, at most four at a time, until no task is left; tasks that the run
 * hands out meanwhile are included (runtime.md, Driving). Each task is judged and acknowledged by itself, so the todos
 * that depend on it need not wait for the others.
 */
export async function driveTasks(driven: DrivenRun, first: EngineDispatchAction): Promise<DriveResult> {
  const atWork = new Map<string, Promise<void>>();
  const tried = new Set<string>();
  let stop: Exclude<WorkEnd, { kind: 'ended' }> | null = null;
  const errors: unknown[] = [];
  let open: readonly TaskView[] = [...first.running, ...first.tasks];
  for (;;) {
    const next =
      stop === null && errors.length === 0
        ? open.filter(({ actionId }) => !tried.has(actionId)).slice(0, MAX_CHILDREN - atWork.size)
        : [];
    for (const task of next) {
      tried.add(task.actionId);
      const done = performTask(driven, task).then(
        (end) => {
          if (end.kind !== 'ended') stop ??= end;
        },
        (error: unknown) => {
          errors.push(error);
        },
      );
      atWork.set(
        task.actionId,
        done.finally(() => atWork.delete(task.actionId)),
      );
    }
    if (atWork.size === 0) {
      // The error is thrown only when no other task is at work, because those still use their sessions.
      if (errors.length > 0) throw errors[0];
      return stop ?? { kind: 'went-on' };
    }
    await Promise.race(atWork.values());
    const action = await driven.readAction();
    open = action.action === 'engine-dispatch' ? [...action.running, ...action.tasks] : [];
  }
}

async function performTask(driven: DrivenRun, task: TaskView): Promise<WorkEnd> {
  const { run } = driven;
  const agent = task.todoId ?? task.substep;
  const end = await performWork(driven, {
    id: nameWorkSession(run, { action: task.actionId, agent }),
    kind: 'child',
    work: { run: run.name, runId: run.runId, action: task.actionId, agent },
    role: task.type,
    promised: [driven.toAbsolute(task.output)],
    isReadOnly: task.readOnly,
    message: driven.read(task.promptFile),
    finish: createFinish([], async (finish) => {
      if (task.substep === 'worker') await checkTask(driven, task.actionId);
      await driven.inLine(() => submitAcknowledgement(driven.call(), task.ack as Invocation, finish));
    }),
  });
  if (end.kind !== 'ended') return end;
  await driven.noteSpent(task.actionId, end.tokens);
  const { outcome } = end;
  if (outcome.kind === 'failed')
    await driven.inLine(() => reportActionFailed(driven.call(), run.name, task.actionId, outcome.reason));
  return end;
}

/**
 * Runs the acceptance commands of a task, as its stage `verify` will do later.
 * @throws DevCliError `EVIDENCE_INVALID` with the commands that failed or the changed files that are not listed
 */
async function checkTask(driven: DrivenRun, action: string): Promise<void> {
  for (;;) {
    const { json, text } = await checkAction(driven.call(), driven.run.name, { action, wait: CHECK_SECONDS });
    if (!isRecord(json)) return;
    if (json['status'] === 'running') continue;
    if (json['ok'] === true && json['unlisted'] === undefined) return;
    const problem =
      json['ok'] === true
        ? 'Not all files that it changed are listed yet.'
        : 'Its acceptance commands do not pass yet.';
    const lines = (text?.(() => '') ?? '').split('\n');
    throw new DevCliError('EVIDENCE_INVALID', problem, { details: lines.map((line) => ({ problem: line })) });
  }
}
