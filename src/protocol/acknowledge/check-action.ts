import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { joinFirst } from '../../base/words.js';
import { findUnlistedPaths } from '../../engine/act/commits/listed-paths.js';
import { getTodoBody } from '../../engine/act/plan/plan.js';
import { getResultPath } from '../../engine/act/prompts/dispatch.js';
import { listTodoCommands, renderExpectation } from '../../engine/act/results/commands.js';
import { buildEvidence, keepFailedEvidence } from '../../engine/act/results/evidence.js';
import { buildStaleError } from '../../engine/act/results/withdrawn-task.js';
import { awaitCommand, type CommandEnded, keepResult, recordCommandEnd } from '../../jobs/command.js';
import { askCommand, toCommandJob } from '../../jobs/job.js';
import { type JobCall, withJobResources } from '../../jobs/launch.js';
import type { InputOf } from '../../registry/catalogue.js';
import { type Context, getDeadline, getPollWait } from '../../run/context.js';
import type { QueuedCommand, TaskState } from '../../run/engine.js';
import type { CommandEvidence } from '../../run/engine-rows.js';
import type { RecipeState, RunningCommand } from '../../run/recipe-state.js';
import { transact } from '../../run/transact.js';
import type { Transaction } from '../../run/transaction.js';
import { buildCommandReport } from '../../views/check.js';
import { findRun, readRun } from '../find/find-run.js';
import { createJobCall } from '../settle.js';
import { requirePlace } from '../trust/place.js';

/**
 * `check --action aN`: runs the acceptance commands of a task's todo exactly as `verify` will, and commits only their
 * evidence. A command that has passed is not run again on the same tree (protocol.md §5; engine.md, Checking before the
 * result).
 * @param given the run's name, if any
 * @param input.wait seconds to wait at most; if a command is still running then, repeating the call waits for it again
 * @throws DevCliError `USAGE` for an action that is handed out but is not the task of a todo, `STALE_ACTION` for one
 * that is not handed out; `GIT_FAILED`, `IO`, `INTERRUPTED`, `RUN_UNTRUSTED`
 */
export async function checkAction(
  context: Context,
  given: unknown,
  { action, wait }: { action: string } & Pick<InputOf<'check'>, 'wait'>,
): Promise<Answer> {
  const until = getDeadline(context, wait);
  const name = await findRun(context, given, true);
  const queue = await transact(context, name, (tx) =>
    listTodoCommands(tx, getTodoBody(tx, requireTask(tx, action).todoId)),
  );
  // Checked before any command is recorded as started, so that a refusal leaves no trace.
  if (queue.length > 0) await requirePlace(context, (await readRun(context, name)).snapshot);
  const about = { name, action, place: { root: context.root, workTree: context.workTree }, wait: getPollWait(context) };
  const done: CommandEvidence[] = [];
  const running = await withJobResources(context, async (kept) => {
    for (const command of queue) {
      const evidence = await runCheck(
        action,
        command,
        createJobCall(context, await readRun(context, name), until, kept),
      );
      if (evidence === null) return command;
      done.push(evidence);
    }
    return null;
  });
  if (running !== null) return buildCommandReport(about, { done, running, unlisted: [] });
  const unlisted = await transact(context, name, (tx) => listUnlistedPaths(tx, action));
  return buildCommandReport(about, { done, running: null, unlisted });
}

/** Lists changed paths that are missing from a worker's result, which the worker may still be writing. */
function listUnlistedPaths(tx: Transaction, action: string): string[] {
  const { todoId, substep } = requireTask(tx, action);
  if (substep !== 'worker') return [];
  const text = tx.files.text(getResultPath(action)) ?? tx.files.text(`${getResultPath(action)}.tmp`);
  const parsed = parseOrNull(text);
  const paths = (key: string) => {
    const value = isRecord(parsed) ? parsed[key] : [];
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : [];
  };
  return findUnlistedPaths(tx, todoId, { filesChanged: paths('filesChanged'), notMine: paths('notMine') });
}

function requireTask(tx: Transaction, action: string): TaskState & { todoId: string } {
  const tasks = tx.state.engine?.tasks ?? {};
  const task = Object.hasOwn(tasks, action) ? tasks[action] : undefined;
  if (task !== undefined && task.todoId !== null) return { ...task, todoId: task.todoId };
  const { name, pendingAction } = tx.state;
  const shown = JSON.stringify(action.slice(0, 40));
  if (
    task !== undefined ||
    (pendingAction?.acknowledged === false && 'actionId' in pendingAction && pendingAction.actionId === action)
  ) {
    const todos = Object.entries(tasks).flatMap(([id, { todoId }]) => (todoId === null ? [] : [id]));
    throw new DevCliError(
      'USAGE',
      `${shown} is handed out, but it is not the task of a todo, so it has no commands to check.`,
      {
        run: name,
        fix: todos.length > 0 ? `Name a task: ${joinFirst(todos, 10)}.` : { command: 'next', input: { name } },
      },
    );
  }
  throw buildStaleError(tx, action, `${shown} is not a task that is handed out for a todo.`);
}

/**
 * Runs a command, or waits for it if an earlier call started it.
 * @returns null if the command is still running when the call must answer
 */
async function runCheck(action: string, queued: QueuedCommand, call: JobCall): Promise<CommandEvidence | null> {
  const { command, launched } = await startCheck(call, action, queued);
  const job = toCommandJob(call.run.snapshot, command, queued);
  const ended = await awaitCommand(job, { ...call, launched });
  return ended === null ? null : call.transact((tx) => recordCheck(tx, ended, queued));
}

/**
 * Returns the task's running command for this acceptance, or records the start of a new one.
 * @returns `launched`: whether an earlier call recorded the start
 */
async function startCheck(
  { run: { snapshot }, transact }: JobCall,
  action: string,
  queued: QueuedCommand,
): Promise<{ command: RunningCommand; launched: boolean }> {
  const place = (n: number) => `actions/${action}/check-${queued.id}-${n}`;
  const known = findCheck(snapshot, action, queued);
  if (known !== undefined) return { command: known, launched: true };
  return transact((tx) => {
    requireTask(tx, action);
    const there = findCheck(tx.state, action, queued);
    if (there !== undefined) return { command: there, launched: true };
    let n = 1;
    while (tx.files.list(place(n)).length > 0) n += 1;
    const { argv, cwd, timeout, todo, id } = queued;
    const directory = place(n);
    const key = `${tx.state.runId}:${directory.slice('actions/'.length)}`;
    const block = tx.state.currentBlock ?? '';
    const what = { argv, shell: false, cwd, timeout, ...renderExpectation(queued) };
    const command = askCommand(
      tx,
      { key, actionId: action, check: id, block, ...what, directory },
      { todoId: todo, id },
    );
    return { command, launched: false };
  });
}

function findCheck({ commands }: RecipeState, action: string, { id }: QueuedCommand): RunningCommand | undefined {
  return Object.values(commands).find(({ actionId, check }) => actionId === action && check === id);
}

function recordCheck(tx: Transaction, ended: CommandEnded, queued: QueuedCommand): CommandEvidence {
  const evidence = buildEvidence(tx, queued, ended);
  // A concurrent call of the same check may already have recorded this evidence.
  if (tx.state.commands[ended.job.key] === undefined) return evidence;
  if (evidence.ok && evidence.tree !== null) keepResult(tx, ended.job, evidence.tree, evidence);
  keepFailedEvidence(tx, evidence, queued.todo);
  recordCommandEnd(tx, ended.job, evidence);
  return evidence;
}
