import type { Frozen } from '../../../base/json.js';
import type { EngineEvent, NewTodo, StagePart, StageResult } from '../../../engine/core/events.js';
import { createEngineState, createTodoRow } from '../../../engine/core/rows.js';
import { stepInPlace } from '../../../engine/core/step.js';
import { type Findings, NO_FINDINGS, triage } from '../../../engine/core/triage.js';
import type { EngineProgram, TodoStage } from '../../../machine/engine-program.js';
import type { EngineState, TodoState } from '../../../run/engine-rows.js';
import { listRunStageEnds, listTodoStageEnds } from '../stage-edges.js';
import { type Interruptible, STEPS_BETWEEN_PAUSES } from './interruptible.js';

/** A symbolic plan (one or two made-up todos that stand for any plan), and what can go wrong when it is carried out. */
interface Setting {
  program: EngineProgram;
  todos: readonly NewTodo[];
  /** The findings to try, each at every stage that can have it. */
  trouble: readonly Partial<Findings>[];
  /** Whether to include the stages that only some todos or runs have. */
  all: boolean;
}

/** The result of exploring an engine recipe. */
export interface ExploredEngine {
  states: number;
  transitions: number;
  /** Actions on the longest path; null if the limit of states was reached. */
  actions: number | null;
  whole: boolean;
  completed: boolean;
  halted: boolean;
  /** The states of all plans. */
  reached: readonly EngineState[];
  /** The stages that were begun, of a todo or of the run. */
  begun: ReadonlySet<string>;
  /** Stages at which an execution cannot continue; empty unless the engine itself is faulty. */
  stuck: string[];
}

const symbol = (id: string, dependsOn: string[] = []): NewTodo => ({
  id,
  title: id,
  type: 'work',
  risk: 'high',
  dependsOn,
  files: [`${id}/**`],
});

const ADDED = { title: 'added', type: 'work', risk: 'low', files: ['added/**'] } as const;
const adaptation = (category: string) => ({ category, reason: 'needed', todo: { ...ADDED, files: [...ADDED.files] } });

/** A failed criterion, and a fault of the environment, which fails a todo at once. */
const PLAIN: readonly Partial<Findings>[] = [{ failed: ['as-1'] }, { environment: 'no such program' }];
/** The findings of a judge that triage distinguishes (engine.md, Triage). */
const JUDGED: readonly Partial<Findings>[] = [
  ...PLAIN,
  { violations: ['never'] },
  { criticalSideEffects: ['gone'] },
  { adaptation: adaptation('fix') },
  { adaptation: adaptation('fix'), failed: ['as-1'] },
  { adaptation: adaptation('schema') },
];
/** Results of a worker that do not lead to the next stage. */
const BLOCKED: readonly Partial<Findings>[] = [
  { failed: ['as-1'] },
  { blocked: { reason: 'cannot', needs: null } },
  { blocked: { reason: 'cannot', needs: { files: ['other/x.ts'] } } },
  { blocked: { reason: 'cannot', needs: { question: 'which?' } } },
];

/**
 * Explores the pure core of the engine on symbolic plans. The first plan is one todo with the recipe's own bounds. The
 * others have bounds of at most one, because everything that can happen at the second retry can happen at the first:
 * one todo with all findings of a judge, one todo with all requests of a worker, and two todos, one of which depends on
 * the other.
 * @param most the maximum number of states of each plan
 */
export function* exploreEngine(program: EngineProgram, most: number): Interruptible<ExploredEngine> {
  const { maxRetries, maxDynamicTodos, maxFixRounds, ...policies } = program.policies;
  const once: EngineProgram = {
    ...program,
    policies: {
      ...policies,
      maxRetries: Math.min(1, maxRetries),
      maxDynamicTodos: Math.min(1, maxDynamicTodos),
      maxFixRounds: Math.min(1, maxFixRounds),
    },
  };
  // Fix rounds of reviews are explored only with the recipe's own bounds.
  const alone: EngineProgram = {
    ...once,
    finalize: once.finalize.filter((stage) => stage !== 'codeReview' && stage !== 'finalVerify'),
  };
  const one = [symbol('todo-1')];
  const two = [symbol('todo-1'), symbol('todo-2', ['todo-1'])];
  const parts = [
    yield* walkEngine({ program, todos: one, trouble: PLAIN, all: true }, most),
    yield* walkEngine({ program: alone, todos: one, trouble: JUDGED, all: true }, most),
    yield* walkEngine({ program: alone, todos: one, trouble: BLOCKED, all: true }, most),
    yield* walkEngine({ program: once, todos: two, trouble: PLAIN.slice(0, 1), all: false }, most),
  ];
  const sum = (of: (part: ExploredEngine) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    states: sum(({ states }) => states),
    transitions: sum(({ transitions }) => transitions),
    actions: parts[0]?.actions ?? null,
    whole: parts.every(({ whole }) => whole),
    completed: parts.every(({ completed }) => completed),
    halted: parts.some(({ halted }) => halted),
    reached: parts.flatMap(({ reached }) => reached),
    begun: new Set(parts.flatMap(({ begun }) => [...begun])),
    stuck: parts.flatMap(({ stuck }) => stuck),
  };
}

/** A stage that waits for an outcome. */
interface Waiting {
  todo: string | null;
  stage: string;
  part: StagePart | undefined;
}

function* walkEngine(setting: Setting, most: number): Interruptible<ExploredEngine> {
  const { program, todos, all } = setting;
  const begun = new Set<string>();
  const known = new Map<string, number>();
  const states: EngineState[] = [];
  const onward: { to: number; asked: number }[][] = [];
  let whole = true;
  let transitions = 0;
  const scope = { applies: (todo: string | null, stage: string) => applies(program, all, todo, stage), at: '' };
  const meet = (state: EngineState): number => {
    const key = keyEngineState(state);
    const before = known.get(key);
    if (before !== undefined) return before;
    if (states.length >= most) {
      whole = false;
      return -1;
    }
    known.set(key, states.length);
    states.push(state);
    return states.length - 1;
  };
  const take = (state: EngineState, event: EngineEvent) => {
    const next: EngineState = {
      ...state,
      order: [...state.order],
      todos: { ...state.todos },
      finalize: { ...state.finalize },
    };
    const effects = stepInPlace(program, next, event, scope);
    let asked = 0;
    for (const effect of effects) {
      if (effect.type === 'dispatch') for (const { stage } of effect.tasks) begun.add(stage);
      if (effect.type === 'work' || effect.type === 'gate') begun.add(effect.stage);
      if (effect.type === 'dispatch' || effect.type === 'gate') asked += 1;
    }
    return { to: meet(next), asked };
  };
  const first = take(createEngineState(todos.map((todo) => createTodoRow(todo))), { type: 'START' });
  for (let at = 0; at < states.length && whole; at += 1) {
    if (at % STEPS_BETWEEN_PAUSES === 0) yield;
    const state = states[at] as EngineState;
    const steps: { to: number; asked: number }[] = [];
    for (const waiting of listWaiting(state)) {
      for (const verdict of listVerdicts(setting, state, waiting)) {
        const { todo, stage, part } = waiting;
        steps.push(take(state, { type: 'OUTCOME', todo, stage, ...(part === undefined ? {} : { part }), verdict }));
      }
    }
    transitions += steps.length;
    onward.push(steps);
  }
  const ended = states.map(({ stage }) => stage === 'ended');
  const good = states.map(isCompleted);
  return {
    states: states.length,
    transitions,
    actions: whole ? first.asked + findLongest(onward) : null,
    whole,
    completed: good.includes(true),
    halted: ended.some((isEnded, at) => isEnded && good[at] !== true),
    reached: states,
    begun,
    stuck: states.flatMap(({ stage }, at) => (whole && stage !== 'ended' && onward[at]?.length === 0 ? [stage] : [])),
  };
}

function isCompleted({ stage, why, order, todos }: EngineState): boolean {
  return stage === 'ended' && why === undefined && order.every((id) => todos[id]?.status === 'done');
}

/** Returns the maximum number of actions on any path; ignores cycles, which the bounds exclude. */
function findLongest(onward: readonly (readonly { to: number; asked: number }[])[]): number {
  const most = new Map<number, number>();
  const stack = [0];
  const open = new Set<number>();
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    const steps = (onward[at] ?? []).filter(({ to }) => to !== at && !open.has(to));
    const next = steps.filter(({ to }) => !most.has(to));
    if (!most.has(at) && next.length > 0) {
      open.add(at);
      stack.push(...next.map(({ to }) => to));
      continue;
    }
    stack.pop();
    open.delete(at);
    if (!most.has(at))
      most.set(
        at,
        steps.reduce((longest, { to, asked }) => Math.max(longest, asked + (most.get(to) ?? 0)), 0),
      );
  }
  return most.get(0) ?? 0;
}

function applies({ stages }: EngineProgram, all: boolean, todo: string | null, stage: string): boolean {
  if (all) return true;
  if (todo === null) return stage !== 'approvePlan' && stage !== 'stateBegin' && stage !== 'stateComplete';
  return stages.find(({ id }) => id === stage)?.when === undefined;
}

function listWaiting({ at, order, todos, stage }: EngineState): Waiting[] {
  if (at !== null && at.todo === null) return [{ todo: null, stage, part: undefined }];
  return order.flatMap((id): Waiting[] => {
    const row = todos[id];
    if (row === undefined || row.substeps[row.status]?.status !== 'running') return [];
    return [{ todo: id, stage: row.status, part: row.part }];
  });
}

function listVerdicts(
  { program, trouble }: Setting,
  state: EngineState,
  { todo, stage, part }: Waiting,
): StageResult[] {
  if (todo === null) return listRunVerdicts(state, stage);
  const row = state.todos[todo] as TodoState;
  if (part === 'question')
    return [
      { kind: 'again', why: 'that one' },
      { kind: 'halt', why: 'given up' },
    ];
  const own = program.stages.find(({ id }) => id === stage) as TodoStage;
  const ends = listTodoStageEnds(own, program.policies);
  const isWorker = stage === 'worker';
  const fitting = trouble.filter(({ blocked, adaptation: added }) =>
    isWorker ? blocked !== undefined || added === undefined : blocked === undefined,
  );
  const judged = fitting.map((found) =>
    triage(program.policies, state, row, { ...NO_FINDINGS, ...found }, { askable: true }),
  );
  return uniqueVerdicts([{ kind: 'pass' }, DEFERRED, ...judged]).filter(({ kind }) => ends.includes(kind));
}

const DEFERRED: StageResult = { kind: 'deferred' };

function listRunVerdicts({ fixRounds }: EngineState, stage: string): StageResult[] {
  const verdicts: StageResult[] = [
    { kind: 'pass' },
    DEFERRED,
    { kind: 'fail', why: 'refused' },
    { kind: 'halt', why: 'stopped' },
    { kind: 'fixes', todos: [symbol(`fix-r${fixRounds + 1}-1`)], why: 'found' },
    { kind: 'fixes', todos: [], why: 'found' },
  ];
  const ends = listRunStageEnds(stage);
  return verdicts.filter(({ kind }) => ends.includes(kind));
}

function uniqueVerdicts(verdicts: readonly StageResult[]): StageResult[] {
  return [...new Map(verdicts.map((verdict) => [JSON.stringify({ ...verdict, why: '' }), verdict])).values()];
}

/**
 * Returns a key that is equal for states that no later step can tell apart: it omits times and the details of ended
 * todos.
 */
export function keyEngineState({ stage, order, todos, wave, at, fixRounds, added, why }: Frozen<EngineState>): string {
  const rows = order.map((id) => {
    const { status, part, retries, attempt, depth, dependsOn, dynamicTodos, substeps, files } = todos[id] as TodoState;
    const isOver = status === 'done' || status === 'failed';
    return isOver
      ? [id, status, dynamicTodos.length]
      : [id, status, part, retries, attempt, depth, dependsOn, dynamicTodos.length, substeps[status]?.status, files];
  });
  return JSON.stringify([stage, rows, wave, at && [at.todo, at.stage, at.part], fixRounds, added, why !== undefined]);
}
