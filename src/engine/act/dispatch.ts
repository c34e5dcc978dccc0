import type { Invocation } from '../../base/invocation.js';
import { factsOf } from '../../blocks/evidence.js';
import { pend } from '../../blocks/pending.js';
import { roleName, TELL } from '../../blocks/subagent/dispatch.js';
import { foreignLine } from '../../documents/foreign.js';
import type { ResolvedHandler } from '../../recipe/resolved.js';
import type { EngineDispatchAction, EngineTaskView } from '../../run/action.js';
import type { RunEngine, TaskState } from '../../run/engine.js';
import { shownPath } from '../../run/paths.js';
import type { PathFacts } from '../../run/state.js';
import { record, type Turn } from '../../run/turn.js';
import type { EngineTask } from '../core/events.js';
import { blockedBy } from '../core/scheduler.js';
import { bodyOf, engineOf, recipeEngine } from './plan.js';
import { ownJudgePrompt, reviewPrompt, verifierPrompt } from './prompt-judge.js';
import { type TaskText, workerPrompt } from './prompt-worker.js';

/** Characters of why a todo is attempted again that an action shows; the prompt file has all of it. */
const WHY_SHOWN = 300;

/** Blocked todos named in an action. */
const BLOCKED_SHOWN = 20;

const INSTRUCTION =
  'Start every task together, each in an agent of its own. Then run the ack, and again whenever one returns; a result that is refused goes back to its agent.';
const WAITING = 'All tasks are out. Run the ack whenever one returns.';

/** Where a task's agent writes, relative to the run's directory. */
export function resultPath(actionId: string): string {
  return `actions/${actionId}/result.json`;
}

/**
 * Hands a task out: an action id, a prompt file that is complete, a row in the state. It is shown by the dispatch that
 * follows (pendDispatch).
 */
export function issueTask(turn: Turn, task: EngineTask): string {
  const engine = engineOf(turn);
  turn.state.lastAction += 1;
  const actionId = `a${turn.state.lastAction}`;
  const handler = handlerOf(turn, task.stage);
  const text = { actionId, attempt: task.attempt, output: resultPath(actionId) };
  turn.files.write(`actions/${actionId}/prompt.md`, promptOf(turn, handler, task, text));
  engine.tasks[actionId] = {
    todoId: task.todo,
    substep: task.stage,
    attempt: task.attempt,
    issuedAt: turn.at,
    role: roleName(turn, handler.agent ?? 'worker'),
    ...(task.why === undefined || task.stage !== 'worker' ? {} : { why: foreignLine(task.why, WHY_SHOWN) }),
    malformed: 0,
  };
  return actionId;
}

/** The recipe's handler of a stage. */
export function handlerOf(turn: Turn, stage: string): ResolvedHandler {
  const { handlers } = recipeEngine(turn);
  return (Object.hasOwn(handlers, stage) ? handlers[stage] : undefined) ?? { key: stage, shipped: stage, actor: 'cli' };
}

function promptOf(turn: Turn, handler: ResolvedHandler, { todo, stage }: EngineTask, text: TaskText): string {
  if (todo === null) return reviewPrompt(turn, handler, text);
  const body = bodyOf(turn, todo);
  if (stage === 'worker') return workerPrompt(turn, handler, body, text);
  return stage === 'verify' ? verifierPrompt(turn, handler, body, text) : ownJudgePrompt(turn, handler, body, text);
}

/**
 * Makes the dispatch of all tasks that are out the pending action, under a new id (protocol.md, Kinds of action).
 * @param fresh the ids of those that this turn handed out
 */
export function pendDispatch(turn: Turn, block: string, fresh: ReadonlySet<string>): void {
  const { state } = turn;
  const engine = engineOf(turn);
  const known = state.pendingAction?.before ?? {};
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const ids = Object.keys(engine.tasks).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  const rows = ids.map((id) => taskView(turn, id, engine.tasks[id] as TaskState));
  const tasks = rows.filter((row) => fresh.has(row.actionId));
  const running = rows
    .filter((row) => !fresh.has(row.actionId))
    .map((row) => ({ ...row, issuedAt: engine.tasks[row.actionId]?.issuedAt ?? turn.at }));
  const action: EngineDispatchAction = {
    run: state.name,
    block,
    actionId,
    action: 'engine-dispatch',
    instruction: tasks.length === 0 ? WAITING : INSTRUCTION,
    tasks,
    running,
    commands: [],
    ...blockedPart(engine),
    tell: TELL,
    ack: ackOf(turn, actionId, { collect: true }),
    progress: todoProgress(engine),
  };
  pend(turn, action, beforeOf(turn, ids, known), 'dispatch');
  const issued = tasks.map(({ actionId: id, todoId, substep, attempt, why }) => ({
    actionId: id,
    todoId,
    substep,
    attempt,
    ...(why === undefined ? {} : { why }),
  }));
  if (issued.length > 0) record(turn, 'dispatched', { actionId, block, tasks: issued });
}

/** What stood where the results belong when the tasks were handed out; of those already out, what was noted then. */
function beforeOf(turn: Turn, ids: readonly string[], known: Record<string, PathFacts>): Record<string, PathFacts> {
  return Object.fromEntries(
    ids.map((id): [string, PathFacts] => {
      const path = resultPath(id);
      return [path, Object.hasOwn(known, path) ? (known[path] ?? null) : factsOf(turn.files, path)];
    }),
  );
}

function taskView(turn: Turn, actionId: string, task: TaskState): EngineTaskView {
  const { state, place } = turn;
  const verification = task.todoId !== null && engineOf(turn).todos[task.todoId]?.type === 'verification';
  return {
    actionId,
    todoId: task.todoId,
    substep: task.substep,
    attempt: task.attempt,
    ...(task.why === undefined ? {} : { why: task.why }),
    type: task.role,
    promptFile: shownPath(place, state.name, `actions/${actionId}/prompt.md`),
    output: shownPath(place, state.name, resultPath(actionId)),
    readOnly: task.substep !== 'worker' || verification,
    ack: ackOf(turn, actionId),
  };
}

function ackOf(turn: Turn, actionId: string, more: { collect?: true } = {}): Invocation {
  return { command: 'step complete', input: { name: turn.state.name, action: actionId, ...more } };
}

/** What failed todos keep back; left out when nothing failed. */
function blockedPart(engine: RunEngine): Pick<EngineDispatchAction, 'blocked' | 'blockedMore'> {
  const { blocked, more } = blockedShown(engine);
  if (Object.keys(blocked).length === 0) return {};
  return more === 0 ? { blocked } : { blocked, blockedMore: more };
}

/** The first todos that failed ones keep back, by the failed one, and how many more there are. */
export function blockedShown(engine: Pick<RunEngine, 'order' | 'todos'>): {
  blocked: Record<string, string[]>;
  more: number;
} {
  let left = BLOCKED_SHOWN;
  let more = 0;
  const blocked: Record<string, string[]> = {};
  for (const [failed, todos] of Object.entries(blockedBy(engine))) {
    const shown = todos.slice(0, left);
    left -= shown.length;
    more += todos.length - shown.length;
    if (shown.length > 0) blocked[failed] = shown;
  }
  return { blocked, more };
}

/** `todos 3/8`. */
export function todoProgress({ order, todos }: Pick<RunEngine, 'order' | 'todos'>): string {
  return `todos ${order.filter((id) => todos[id]?.status === 'done').length}/${order.length}`;
}
