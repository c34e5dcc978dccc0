import type { TodoState } from '../../run/engine-rows.js';

/** Part of a stage: `verify` has three, a question of a worker suspends `worker`. */
export type Part = 'commands' | 'judge' | 'human' | 'question';

/** A todo that comes in while the run goes on: from an adaptation or as a fix. The machine gives depth, parent and rows. */
export type NewTodo = Pick<TodoState, 'id' | 'title' | 'type' | 'risk' | 'dependsOn' | 'files'>;

/** What a stage came to, after triage (engine.md, Triage). */
export type StageResult =
  | { kind: 'pass' }
  /** There was nothing to do: no repository, nothing to commit, no pull request. */
  | { kind: 'skipped' }
  /** The commit could not be made now; the todo is done, a later call makes it. */
  | { kind: 'deferred' }
  /** A failed criterion, a failed command, `step fail`: retried while retries are left, then failed. */
  | { kind: 'fail'; why: string }
  | { kind: 'halt'; why: string }
  /** BLOCKED for want of files that nobody owns: a new attempt, not counted. */
  | { kind: 'widen'; files: string[] }
  | { kind: 'ask'; question: string }
  /** The answer to a question: a new attempt, not counted. */
  | { kind: 'again'; why: string }
  /** The verifier wants something done first, or besides. `passed`: its own criteria hold. */
  | { kind: 'adapt'; todo: NewTodo; passed: boolean }
  /** Findings of the code review or the final verification. */
  | { kind: 'fixes'; todos: NewTodo[]; why: string };

export type EngineEvent =
  | { type: 'START' }
  /** A stage has an outcome. `todo` is null for the stages of the whole run. */
  | { type: 'OUTCOME'; todo: string | null; stage: string; part?: Part; verdict: StageResult }
  /** Todos are redone and their dependents become stale; null: all that is not done begins anew. Reopens an ended run. */
  | { type: 'INVALIDATE'; todos: readonly string[] | null };

/** A task for an agent. */
export interface NewTask {
  todo: string | null;
  stage: string;
  attempt: number;
  why?: string;
}

/** What the caller of the machine has to do, in order. All but `added` and `settled` wait for OUTCOMEs. */
export type EngineEffect =
  /** Hand these out together. */
  | { type: 'dispatch'; tasks: NewTask[] }
  /** dev-cli does this itself: commands, a commit, wrap-up, the report. One at a time. */
  | { type: 'work'; todo: string | null; stage: string; part?: Part }
  /** A person decides. One at a time. */
  | { type: 'gate'; todo: string | null; stage: string; part?: Part }
  | { type: 'settled'; todo: string; status: 'done' | 'failed'; why?: string }
  | { type: 'retried'; todo: string; attempt: number; why: string }
  | { type: 'added'; todos: string[]; by: string | null }
  | { type: 'ended'; outcome: 'completed' | 'halted'; why?: string };

/**
 * Whether a stage has anything to do for a todo (null: for the run): its `when`, a todo without commands, without
 * assertions, a verification todo's commit. Comes in from outside: the machine knows no plan.
 */
export type StageCondition = (todo: string | null, stage: string, part?: Part) => boolean;
