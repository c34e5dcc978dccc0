import type { EvaluateCondition } from './events.js';

/** What a workflow does when one of its phases halts (recipes.md §4). */
export type ErrorPolicy = { kind: 'halt' } | { kind: 'skip' } | { kind: 'retry'; max: number };

/** A meta recipe as the machine sees it; one with all its phases' recipes, as captured, is one too. */
export interface WorkflowProgram {
  /** In order. `when`: source text of the CEL condition; the phase is skipped when it is false. */
  phases: readonly { when?: string }[];
  errorPolicy: ErrorPolicy;
}

/** What can happen to a workflow. Phases are named by their place in it, from 0. */
export type WorkflowEvent =
  | { type: 'START' }
  | { type: 'PHASE_COMPLETED' }
  /** `binding`: the run halts whatever the policy says, as when a person has stopped it. */
  | { type: 'PHASE_HALTED'; binding: boolean }
  /** A step of the phase that halted is to be redone. */
  | { type: 'REOPEN' }
  | { type: 'ABORT' };

/** What the caller of the machine has to do, in order. The last is always the only `open`, `reopen` or `end`. */
export type WorkflowEffect =
  | { type: 'skip'; phase: number }
  /** The phase has ended, and the run goes on without it. */
  | { type: 'close'; phase: number; status: 'done' | 'failed' }
  /** The phase has failed and is opened anew: nothing of what it did counts. `max`: how often that may be. */
  | { type: 'repeat'; phase: number; max: number }
  | { type: 'open'; phase: number }
  | { type: 'reopen'; phase: number }
  | { type: 'end'; outcome: 'completed' | 'halted' | 'aborted' };

/** Where a workflow stands. Plain JSON; of a run it is read from `workflow` of its state (run/workflow.ts). */
export interface WorkflowPosition {
  status: 'ready' | 'running' | 'halted' | 'completed' | 'aborted';
  /** The phase that was opened last; 0 before the first. */
  phase: number;
  /** How often each phase has begun anew. */
  retries: readonly number[];
}

export interface WorkflowStep {
  position: WorkflowPosition;
  effects: WorkflowEffect[];
}

/** What decides whether a phase begins. Comes in from outside: the machine knows no documents. */
export interface PhaseConditions {
  /** Decides a `when`. */
  holds: EvaluateCondition;
  /** Whether the recipe of a phase needs what is not there; then its `when` is not asked. */
  lacks: (phase: number) => boolean;
}
