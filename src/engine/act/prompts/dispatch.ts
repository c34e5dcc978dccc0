import { omitUndefined } from '../../../base/defined.js';
import type { Invocation } from '../../../base/invocation.js';
import { AGENT_START_MESSAGE, resolveRoleName } from '../../../blocks/subagent/dispatch.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { ResolvedHandler } from '../../../recipe/resolved.js';
import type { EngineDispatchAction, TaskView } from '../../../run/action.js';
import { readFileFacts } from '../../../run/documents/pending.js';
import type { RunEngine, TaskState } from '../../../run/engine.js';
import { displayPath } from '../../../run/paths.js';
import { setPendingAction } from '../../../run/pending-action.js';
import type { PathFacts } from '../../../run/state.js';
import { recordEntry, type Transaction } from '../../../run/transaction.js';
import type { NewTask } from '../../core/events.js';
import { groupBlockedTodos } from '../../core/scheduler.js';
import { getTodoBody, requireEngine, requireEngineRecipe } from '../plan/plan.js';
import { renderJudgePrompt, renderReviewPrompt } from './judge.js';
import { type PromptTask, renderWorkerPrompt } from './worker.js';

/** The most characters of the reason for a new attempt that an action shows; the prompt file has the whole reason. */
const WHY_SHOWN = 300;

/** How many blocked todos an action names. */
const BLOCKED_SHOWN = 20;

const INSTRUCTION = 'Start all tasks; run the ack whenever one returns. A new attempt gets a fresh agent.';
const WAITING = 'All tasks are handed out. Run the ack whenever one returns.';

/** Returns the path to which a task's agent writes its result, relative to the run's directory. */
export function getResultPath(actionId: string): string {
  return `actions/${actionId}/result.json`;
}

/**
 * Issues a task: gives it an action id, a prompt file and an entry in `tasks`. `setPendingDispatch` then shows it.
 * @returns the action id
 */
export function issueTask(tx: Transaction, task: NewTask): string {
  const engine = requireEngine(tx);
  tx.state.lastAction += 1;
  const actionId = `a${tx.state.lastAction}`;
  const handler = getHandler(tx, task.stage);
  const text = { actionId, attempt: task.attempt, output: getResultPath(actionId) };
  tx.files.write(`actions/${actionId}/prompt.md`, renderPrompt(tx, handler, task, text));
  engine.tasks[actionId] = {
    todoId: task.todo,
    substep: task.stage,
    attempt: task.attempt,
    issuedAt: tx.at,
    role: resolveRoleName(tx, handler.agent ?? 'worker'),
    ...(task.why === undefined || task.stage !== 'worker' ? {} : { why: toBoundedLine(task.why, WHY_SHOWN) }),
    malformed: 0,
  };
  return actionId;
}

/** Returns the recipe's handler of a stage, or the shipped handler if the recipe names none. */
export function getHandler(tx: Transaction, stage: string): ResolvedHandler {
  const { handlers } = requireEngineRecipe(tx);
  return (Object.hasOwn(handlers, stage) ? handlers[stage] : undefined) ?? { key: stage, shipped: stage, actor: 'cli' };
}

function renderPrompt(tx: Transaction, handler: ResolvedHandler, { todo, stage }: NewTask, text: PromptTask): string {
  if (todo === null) return renderReviewPrompt(tx, handler, text);
  const body = getTodoBody(tx, todo);
  if (stage === 'worker') return renderWorkerPrompt(tx, handler, body, text);
  return renderJudgePrompt(tx, handler, body, text, stage === 'verify');
}

/**
 * Makes the dispatch of all open tasks the pending action, under a new id (protocol.md, Kinds of action).
 * @param fresh the action ids of the tasks that this transaction issued
 */
export function setPendingDispatch(tx: Transaction, block: string, fresh: ReadonlySet<string>): void {
  const { state } = tx;
  const engine = requireEngine(tx);
  // The facts of each result file when its task was issued: only a file that changed after that is a result.
  const known = state.pendingAction?.before ?? {};
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const ids = Object.keys(engine.tasks).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  const rows = ids.map((id) => buildTaskView(tx, id, engine.tasks[id] as TaskState));
  const tasks = rows.filter((row) => fresh.has(row.actionId));
  const running = rows
    .filter((row) => !fresh.has(row.actionId))
    .map((row) => ({ ...row, issuedAt: engine.tasks[row.actionId]?.issuedAt ?? tx.at }));
  const { blocked, more } = summarizeBlocked(engine);
  const action: EngineDispatchAction = {
    run: state.name,
    block,
    actionId,
    action: 'engine-dispatch',
    instruction: tasks.length === 0 ? WAITING : INSTRUCTION,
    tasks,
    running,
    commands: [],
    ...(Object.keys(blocked).length === 0 ? {} : { blocked }),
    ...(more === 0 ? {} : { blockedMore: more }),
    tell: AGENT_START_MESSAGE,
    ack: buildAck(tx, actionId, { collect: true }),
    progress: renderTodoProgress(engine),
  };
  const before = ids.map(getResultPath).map((path): [string, PathFacts] => {
    return [path, Object.hasOwn(known, path) ? (known[path] ?? null) : readFileFacts(tx.files, path)];
  });
  setPendingAction(tx, action, Object.fromEntries(before), 'dispatch');
  const issued = tasks.map(({ actionId: id, todoId, substep, attempt, why }) => ({
    actionId: id,
    todoId,
    substep,
    attempt,
    ...omitUndefined({ why }),
  }));
  if (issued.length > 0) recordEntry(tx, 'dispatched', { actionId, block, tasks: issued });
}

function buildTaskView(tx: Transaction, actionId: string, task: TaskState): TaskView {
  const { state, place } = tx;
  const { todoId, substep, attempt, why, role } = task;
  const verification = todoId !== null && requireEngine(tx).todos[todoId]?.type === 'verification';
  return {
    actionId,
    todoId,
    substep,
    attempt,
    ...omitUndefined({ why }),
    type: role,
    promptFile: displayPath(place, state.name, `actions/${actionId}/prompt.md`),
    output: displayPath(place, state.name, getResultPath(actionId)),
    readOnly: substep !== 'worker' || verification,
    ack: buildAck(tx, actionId),
  };
}

function buildAck(tx: Transaction, actionId: string, more: { collect?: true } = {}): Invocation {
  return { command: 'step complete', input: { name: tx.state.name, action: actionId, ...more } };
}

/** Groups the first blocked todos under the failed todo that blocks them, and counts the rest. */
export function summarizeBlocked(engine: Pick<RunEngine, 'order' | 'todos'>): {
  blocked: Record<string, string[]>;
  more: number;
} {
  let left = BLOCKED_SHOWN;
  let more = 0;
  const blocked: Record<string, string[]> = {};
  for (const [failed, todos] of Object.entries(groupBlockedTodos(engine))) {
    const shown = todos.slice(0, left);
    left -= shown.length;
    more += todos.length - shown.length;
    if (shown.length > 0) blocked[failed] = shown;
  }
  return { blocked, more };
}

/** Renders how many todos are done: `todos 3/8`. */
export function renderTodoProgress({ order, todos }: Pick<RunEngine, 'order' | 'todos'>): string {
  return `todos ${order.filter((id) => todos[id]?.status === 'done').length}/${order.length}`;
}
