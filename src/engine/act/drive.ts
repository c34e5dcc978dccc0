import type { MachineEvent } from '../../machine/events.js';
import type { RunEngine } from '../../run/engine.js';
import { fault, noteStep, record, type Turn } from '../../run/turn.js';
import { baselineOf } from '../../work/git.js';
import type { EngineEffect, EngineEvent, EngineTask, Verdict } from '../core/events.js';
import { redoneBy, stepInPlace } from '../core/step.js';
import { writeReport } from '../view/report.js';
import { noteCourse } from './course.js';
import { issueTask, pendDispatch, todoProgress } from './dispatch.js';
import { openGate } from './gates.js';
import { startJob } from './jobs.js';
import { appliesTo } from './needs.js';
import { bodyOf, engineOf, recipeEngine } from './plan.js';
import { noteMoved } from './plan-moved.js';
import { openEngine } from './start.js';
import { unknownReferences } from './values.js';
import { renderAdded, tickDone, wrapUp } from './wrap-up.js';

/**
 * The rim of the engine inside a transaction: core and effects in turn, until something is waited for (engine.md, Shape).
 *
 * - `enterEngine` is what the outer machine's effect `engine` does; `engineOutcome` is what everything else does: a result
 *   that was taken, a decision at a gate, a job that ended (jobs.ts). Both give an event of the outer machine when the
 *   plan has come to its end; callers in protocol/ go through `advanceEngine` of protocol/walk/advance.ts, which passes it on.
 * - While they wait, the pending action is one of: `engine-dispatch` (tasks are out: `engine.tasks`), `wait-for-user` (the
 *   engine's `at` is a gate), `running` (`engine.job`).
 * - `turn.tree()` is the work tree as read before the decision; it is read at the first need (protocol/turns.ts).
 */

/** Begins the execution of the plan, or goes on with it when the block is entered again. */
export function enterEngine(
  turn: Turn,
  block: string,
  cause: string,
  event: EngineEvent = { type: 'INVALIDATE', todos: null },
): MachineEvent | null {
  // What nobody has approved has not begun: the plan may be another one by now.
  const fresh = cause === 'enter' || turn.state.engine === null || isUnbegun(turn.state.engine);
  if (fresh && !openEngine(turn, block)) return { type: 'HALT' };
  turn.state.steps[block] = { ...turn.state.steps[block], status: 'running', at: turn.at };
  return drive(turn, block, [fresh ? { type: 'START' } : event]);
}

function isUnbegun({ planApproved, commandsApproved, todos }: RunEngine): boolean {
  if (planApproved === null) return true;
  return commandsApproved === null && Object.values(todos).every(({ attempt }) => attempt === 0);
}

/** Lets the engine take what happened, in this order, and carries out what follows. */
export function engineOutcome(turn: Turn, block: string, events: Iterable<EngineEvent>): MachineEvent | null {
  return drive(turn, block, events);
}

/** Each event is asked for only when the one before has been carried out: what it says may depend on that. */
function drive(turn: Turn, block: string, first: Iterable<EngineEvent>): MachineEvent | null {
  const fresh = new Set<string>();
  let ended: MachineEvent | null = null;
  for (const given of first) {
    const events = [given];
    for (let event = events.shift(); event !== undefined; event = events.shift()) {
      for (const effect of effectsOf(turn, block, event)) {
        const done = carryOut(turn, block, effect, fresh);
        events.push(...done.events);
        ended = done.ended ?? ended;
      }
    }
  }
  if (ended === null && Object.keys(engineOf(turn).tasks).length > 0) pendDispatch(turn, block, fresh);
  return ended;
}

function effectsOf(turn: Turn, block: string, event: EngineEvent): EngineEffect[] {
  const engine = engineOf(turn);
  if (event.type === 'INVALIDATE') {
    const { todos } = event;
    noteCourse(turn, 'reopened', todos === null ? 'what is not done is begun anew' : `${todos.join(', ')}: done again`);
    withdraw(turn, block, todos);
  }
  return stepInPlace(recipeEngine(turn).program, engine, event, { applies: appliesTo(turn), at: turn.at });
}

interface Done {
  events: EngineEvent[];
  ended?: MachineEvent;
}

const NOTHING: Done = { events: [] };

function carryOut(turn: Turn, block: string, effect: EngineEffect, fresh: Set<string>): Done {
  switch (effect.type) {
    case 'dispatch':
      return handOut(turn, effect.tasks, fresh);
    case 'work':
      return work(turn, block, effect);
    case 'gate':
      return outcomeOf(effect, openGate(turn, block, effect));
    case 'settled':
      settled(turn, effect);
      return NOTHING;
    case 'retried':
      retried(turn, effect);
      return NOTHING;
    case 'added':
      record(turn, 'todos-added', { todos: effect.todos, by: effect.by });
      renderAdded(turn, effect.todos);
      return NOTHING;
    case 'ended':
      return { events: [], ended: end(turn, block, effect) };
  }
}

/** A task that builds on a value nobody reported is not handed out: its todo fails and says why (engine.md, Substitution). */
function handOut(turn: Turn, tasks: readonly EngineTask[], fresh: Set<string>): Done {
  const engine = engineOf(turn);
  const refused: EngineEvent[] = [];
  for (const task of tasks) {
    const { todo, stage } = task;
    const unknown = todo === null || stage !== 'worker' ? [] : unknownReferences(engine.outputs, bodyOf(turn, todo));
    if (unknown.length > 0) {
      const why = `nobody reported ${unknown.join(', ')}`;
      refused.push({ type: 'OUTCOME', todo, stage, verdict: { kind: 'halt', why } });
      continue;
    }
    if (todo !== null && stage === 'worker') noteBaseline(turn, todo);
    fresh.add(issueTask(turn, task));
  }
  return { events: refused };
}

/** The work tree before a todo's first attempt: what its commit is measured against. */
function noteBaseline(turn: Turn, todo: string): void {
  const engine = engineOf(turn);
  if (turn.state.baseline === null || Object.hasOwn(engine.baselines, todo)) return;
  const tree = turn.tree();
  engine.baselines[todo] = tree === null ? null : baselineOf(tree);
  if (tree !== null) engine.head ??= { began: tree.branch, branch: tree.branch };
}

/** What needs only documents is done at once; everything else becomes the run's job. */
function work(turn: Turn, block: string, effect: Extract<EngineEffect, { type: 'work' }>): Done {
  if (effect.stage === 'report') {
    noteMoved(turn);
    writeReport(turn);
    return outcomeOf(effect, { kind: 'pass' });
  }
  if (effect.stage === 'wrapUp' && effect.todo !== null) {
    wrapUp(turn, effect.todo);
    return outcomeOf(effect, { kind: 'pass' });
  }
  startJob(turn, block, effect);
  return NOTHING;
}

function outcomeOf(
  { todo, stage, part }: Pick<Extract<EngineEffect, { type: 'work' }>, 'todo' | 'stage' | 'part'>,
  verdict: Verdict | null,
): Done {
  if (verdict === null) return NOTHING;
  return { events: [{ type: 'OUTCOME', todo, stage, ...(part === undefined ? {} : { part }), verdict }] };
}

function settled(turn: Turn, { todo, status, why }: Extract<EngineEffect, { type: 'settled' }>): void {
  const engine = engineOf(turn);
  const attempt = engine.todos[todo]?.attempt ?? 1;
  for (const kept of [engine.reports, engine.answers]) delete kept[todo];
  // Whoever takes it up when the run is reopened needs to know.
  if (status === 'failed') engine.failures[todo] = why === undefined ? [] : [why];
  else delete engine.failures[todo];
  // What is not committed yet is measured against them later, in a commit that has to wait or when the todo is reopened.
  const uncommitted = status === 'failed' || engine.deferred.includes(todo);
  if (!uncommitted) for (const kept of [engine.baselines, engine.charged]) delete kept[todo];
  record(turn, 'todo-settled', { todoId: todo, status, attempt, ...(why === undefined ? {} : { why }) });
  if (status === 'failed') turn.ran.push({ block: todo, ok: false, summary: `failed: ${why ?? ''}`.slice(0, 300) });
}

function retried(turn: Turn, { todo, attempt, why }: Extract<EngineEffect, { type: 'retried' }>): void {
  const { retries = 0 } = engineOf(turn).todos[todo] ?? {};
  record(turn, 'todo-retried', { todoId: todo, attempt, why });
  const { maxRetries } = recipeEngine(turn).program.policies;
  const how = retries > 0 ? `; retry ${retries} of ${maxRetries}` : '; attempted again';
  turn.ran.push({ block: todo, ok: false, summary: `${why.slice(0, 250)}${how}` });
}

/** What is out for todos that are redone no longer counts: their tasks answer as unknown ones, a job is dropped. */
function withdraw(turn: Turn, block: string, todos: readonly string[] | null): void {
  const engine = engineOf(turn);
  const { acknowledged } = turn.state;
  const redone: ReadonlySet<string> = new Set(redoneBy(engine, todos));
  for (const [actionId, task] of Object.entries(engine.tasks)) {
    if (task.todoId !== null && !redone.has(task.todoId)) continue;
    delete engine.tasks[actionId];
    // Its worker may be having its work checked.
    for (const slot of Object.keys(turn.state.commands)) {
      if (slot.startsWith(`${actionId}/`)) delete turn.state.commands[slot];
    }
  }
  if (engine.job !== null && (engine.job.todo === null || redone.has(engine.job.todo))) {
    // The commit at work may be made all the same; what is done from now on is another one.
    if (engine.job.kind === 'commit' && engine.job.todo !== null) delete engine.baselines[engine.job.todo];
    engine.job = null;
    turn.state.commands = {};
  }
  // What they left uncommitted is committed together with what is done now: it is measured against what it was before.
  engine.deferred = engine.deferred.filter((id) => !redone.has(id));
  for (const id of redone) delete engine.reports[id];
  for (const [actionId, place] of Object.entries(acknowledged)) {
    if (place.startsWith(`${block}/`) && redone.has(place.slice(block.length + 1))) delete acknowledged[actionId];
  }
}

function end(turn: Turn, block: string, { outcome, why }: Extract<EngineEffect, { type: 'ended' }>): MachineEvent {
  const engine = engineOf(turn);
  const done = engine.order.filter((id) => engine.todos[id]?.status === 'done').length;
  const failed = engine.order.filter((id) => engine.todos[id]?.status === 'failed');
  tickDone(turn);
  record(turn, 'executed', { block, outcome, done, failed, ...(why === undefined ? {} : { why }) });
  noteStep(turn, block, todoProgress(engine));
  if (outcome === 'completed') return { type: 'DONE' };
  noteCourse(turn, 'halted', why ?? 'the plan could not be carried out');
  fault(turn, block, 'STEP_FAILED', why ?? 'the plan could not be carried out');
  return { type: 'HALT' };
}
