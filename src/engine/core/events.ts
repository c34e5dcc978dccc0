import type { TodoState } from '../../run/engine-rows.js';

/**
 * A part of a stage. `verify` has three parts; `worker` is in the part `question` while the worker's question is open.
 */
export type StagePart = 'commands' | 'judge' | 'human' | 'question';

/** A todo to be added to the run. The machine sets the depth, the parent and the other fields of the row. */
export type NewTodo = Pick<TodoState, 'id' | 'title' | 'type' | 'risk' | 'dependsOn' | 'files' | 'body'>;

/** A new version of the plan, compared with the plan that the execution carries out. */
export interface PlanUpdate {
  /**
   * The todos of the new plan, in its order, and all remaining todos that the run itself added. The latter have a
   * `body`, and may appear anywhere in the list. `isChanged`: the todo is new, or its text differs from before.
   */
  todos: readonly { todo: NewTodo; isChanged: boolean }[];
  /** The execution's todos that the new plan no longer contains, with their bodies. */
  gone: readonly NewTodo[];
  /** Ids of the done todos to be done again. */
  reopen: readonly string[];
  /** Whether anything but the bodies of the todos differs: their order, or other content of the plan. */
  isOtherwiseChanged: boolean;
}

/** The outcome of a stage, after triage (engine.md, Triage). */
export type StageResult =
  | { kind: 'pass' }
  /** There was nothing to do: no repository, nothing to commit, or nothing to judge. */
  | { kind: 'skipped' }
  /** The commit cannot be made now. The todo counts as done; a later call makes the commit. */
  | { kind: 'deferred' }
  /** A failed criterion, a failed command or `step fail`: the todo is retried while retries are left. */
  | { kind: 'fail'; why: string }
  /** The todo fails at once, without a retry. `blocked`: its worker could not continue. */
  | { kind: 'halt'; why: string; blocked?: true }
  /**
   * The worker needs files that no other open todo owns: it gets them in a new attempt that is not counted as a retry.
   */
  | { kind: 'widen'; files: readonly string[] }
  /** The worker needs an answer from the user. */
  | { kind: 'ask'; question: string }
  /** The worker's question was answered, so a new attempt begins that is not counted as a retry. */
  | { kind: 'again'; why: string }
  /** A verifier suggests adding a todo. `passed`: the criteria of the verified todo hold. */
  | { kind: 'adapt'; todo: NewTodo; passed: boolean }
  /** Todos that fix the findings of the code review or the final verification. */
  | { kind: 'fixes'; todos: NewTodo[]; why: string };

/** An event of the engine's machine. */
export type EngineEvent =
  | { type: 'START' }
  /** The run is no longer held. */
  | { type: 'RELEASE' }
  /** A stage, or a part of one, has ended. `todo` is null for a stage of the whole run. */
  | { type: 'OUTCOME'; todo: string | null; stage: string; part?: StagePart; verdict: StageResult }
  /**
   * Redoes the todos and makes their dependents stale. If `todos` is null, redoes all todos that are not done. Reopens
   * a run that has ended.
   */
  | { type: 'INVALIDATE'; todos: readonly string[] | null }
  /** The execution continues with a new version of the plan. */
  | { type: 'APPLY'; plan: PlanUpdate }
  /** An agent proposes a change to the plan. A person is asked about it as soon as no work is in progress. */
  | { type: 'PROPOSE'; reopen: readonly string[] };

export interface NewTask {
  todo: string | null;
  stage: string;
  attempt: number;
  why?: string;
}

/**
 * An instruction to the machine's caller. The caller answers each `work`, `gate` and dispatched task with `OUTCOME`.
 */
export type EngineEffect =
  /** Hand out these tasks together. Each task has an `OUTCOME` of its own. */
  | { type: 'dispatch'; tasks: NewTask[] }
  /** Have dev-cli do the work itself: commands, a commit, the wrap-up, the report. At most one is open at a time. */
  | { type: 'work'; todo: string | null; stage: string; part?: StagePart }
  /** Have a person decide. At most one is open at a time. */
  | { type: 'gate'; todo: string | null; stage: string; part?: StagePart }
  | { type: 'settled'; todo: string; status: 'done' | 'failed'; why?: string }
  | { type: 'retried'; todo: string; attempt: number; why: string }
  | { type: 'added'; todos: string[]; by: string | null }
  | { type: 'ended'; outcome: 'completed' | 'halted'; why?: string };

/**
 * Returns whether a stage has anything to do for a todo or, if `todo` is null, for the whole run. The caller supplies
 * this function, because the machine does not know the plan.
 */
export type StageCondition = (todo: string | null, stage: string, part?: StagePart) => boolean;

type EngineGate = Extract<EngineEffect, { type: 'gate' }>;

/** Returns the key under which a gate's decision is stored in `gates`. */
export function getGateKey({ todo, stage, part }: Pick<EngineGate, 'todo' | 'stage' | 'part'>): string {
  if (todo === null) return stage;
  if (part === 'human') return todo;
  return part === 'question' ? `${todo}/question` : `${todo}/${stage}`;
}
