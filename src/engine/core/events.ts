import type { TodoState } from '../../run/engine-rows.js';

/** A part of a stage: `verify` has three; while a worker's question is open, `worker` is at `question`. */
export type Part = 'commands' | 'judge' | 'human' | 'question';

/** A todo that is added to the run. The machine sets its depth, its parent and the rest of its row. */
export type NewTodo = Pick<TodoState, 'id' | 'title' | 'type' | 'risk' | 'dependsOn' | 'files' | 'body'>;

/** A plan that moved on, beside the one that runs. */
export interface MovedPlan {
  /**
   * The todos of the plan, in its order; added ones (with a `body`) that stay stand anywhere. `isChanged`: a todo that
   * the execution has reads otherwise than before.
   */
  todos: readonly { todo: NewTodo; isChanged: boolean }[];
  /** The todos of the execution that the plan has no more, each whole. */
  gone: readonly NewTodo[];
  /** Done todos that are to be done again. */
  reopen: readonly string[];
  /** The plan differs in something beside the bodies of its todos: their order, or what else it says. */
  isOtherwiseChanged: boolean;
}

/** The outcome of a stage, after triage (engine.md, Triage). */
export type StageResult =
  | { kind: 'pass' }
  /** There was nothing to do: no repository, nothing to commit, or nobody to judge. */
  | { kind: 'skipped' }
  /** The commit cannot be made now. The todo counts as done; a later call makes the commit. */
  | { kind: 'deferred' }
  /** A failed criterion, a failed command, `step fail`: retried while retries are left. */
  | { kind: 'fail'; why: string }
  /** Fails at once, without a retry; `blocked`: because its worker could not go on. */
  | { kind: 'halt'; why: string; blocked?: true }
  /** The worker needs files that no other todo owns: a new attempt that does not count. */
  | { kind: 'widen'; files: readonly string[] }
  /** The worker needs an answer from the user. */
  | { kind: 'ask'; question: string }
  /** The question was answered: a new attempt that does not count. */
  | { kind: 'again'; why: string }
  /** A verifier wants a todo added. `passed`: the criteria of its own todo hold. */
  | { kind: 'adapt'; todo: NewTodo; passed: boolean }
  /** Findings of the code review or the final verification. */
  | { kind: 'fixes'; todos: NewTodo[]; why: string };

/** What happens to an execution. */
export type EngineEvent =
  | { type: 'START' }
  /** The run is held no longer. */
  | { type: 'RELEASE' }
  /** A stage has ended; `todo` is null for a stage of the whole run. */
  | { type: 'OUTCOME'; todo: string | null; stage: string; part?: Part; verdict: StageResult }
  /** Redoes todos and makes their dependents stale; null redoes everything not done. Reopens a run that has ended. */
  | { type: 'INVALIDATE'; todos: readonly string[] | null }
  /** The plan is another from now on. */
  | { type: 'APPLY'; plan: MovedPlan }
  /** An agent proposes to change the plan; a person is asked as soon as nothing is at work. */
  | { type: 'PROPOSE'; reopen: readonly string[] };

export interface NewTask {
  todo: string | null;
  stage: string;
  attempt: number;
  why?: string;
}

/** What the caller of the machine has to do, in order. An `OUTCOME` answers each `dispatch`, `work` and `gate`. */
export type EngineEffect =
  /** Hand out these tasks together. */
  | { type: 'dispatch'; tasks: NewTask[] }
  /** Have dev-cli do something itself: commands, a commit, wrap-up, the report. Only one at a time. */
  | { type: 'work'; todo: string | null; stage: string; part?: Part }
  /** Have a person decide. Only one at a time. */
  | { type: 'gate'; todo: string | null; stage: string; part?: Part }
  | { type: 'settled'; todo: string; status: 'done' | 'failed'; why?: string }
  | { type: 'retried'; todo: string; attempt: number; why: string }
  | { type: 'added'; todos: string[]; by: string | null }
  | { type: 'ended'; outcome: 'completed' | 'halted'; why?: string };

/**
 * Tells whether a stage has anything to do for a todo, or (null) for the run. Supplied by the caller, because the
 * machine does not know the plan.
 */
export type StageCondition = (todo: string | null, stage: string, part?: Part) => boolean;

type EngineGate = Extract<EngineEffect, { type: 'gate' }>;

/** Returns the key of a gate's decision in `gates`. */
export function getGateKey({ todo, stage, part }: Pick<EngineGate, 'todo' | 'stage' | 'part'>): string {
  if (todo === null) return stage;
  if (part === 'human') return todo;
  return part === 'question' ? `${todo}/question` : `${todo}/${stage}`;
}
