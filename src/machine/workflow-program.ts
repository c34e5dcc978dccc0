import type { EvaluateCondition } from './events.js';

/** The reaction of a workflow if one of its phases halts (recipes.md §4). */
export type ErrorPolicy = { kind: 'halt' } | { kind: 'skip' } | { kind: 'retry'; max: number };

/** A meta recipe as the machine needs it; a captured workflow already has this form. */
export interface WorkflowProgram {
  /** In order. `when` is a CEL condition; if false, the phase is skipped. */
  phases: readonly { when?: string }[];
  errorPolicy: ErrorPolicy;
}

/** The events of a workflow. */
export type WorkflowEvent =
  | { type: 'START' }
  | { type: 'PHASE_COMPLETED' }
  /** `binding`: the run must halt regardless of the error policy, for example because a person has stopped it. */
  | { type: 'PHASE_HALTED'; binding: boolean }
  /** A step of the halted phase is to be redone. */
  | { type: 'REOPEN' }
  | { type: 'ABORT' };

/**
 * A task for the caller. Of an event's effects, only the last is an `open`, `reopen` or `end`. Phases are numbered from
 * 0.
 */
export type WorkflowEffect =
  | { type: 'skip'; phase: number }
  /** The phase has ended, and the run continues without it. */
  | { type: 'close'; phase: number; status: 'done' | 'failed' }
  /** The phase has failed and begins again from scratch. `max`: how often that may happen. */
  | { type: 'repeat'; phase: number; max: number }
  | { type: 'open'; phase: number }
  | { type: 'reopen'; phase: number }
  | { type: 'end'; outcome: 'completed' | 'halted' | 'aborted' };

/** The position of a workflow. Plain JSON; a run keeps it in its state, as `workflow` (run/workflow.ts). */
export interface WorkflowPosition {
  status: 'ready' | 'running' | 'halted' | 'completed' | 'aborted';
  /** Index of the phase that was opened last; 0 also if none has been opened yet. */
  phase: number;
  /** For each phase, how often it has been retried. */
  retries: readonly number[];
}

/** The result of an event. */
export interface WorkflowStep {
  position: WorkflowPosition;
  effects: WorkflowEffect[];
}

/** Decides whether a phase begins. The caller supplies these functions, because the machine knows no documents. */
export interface PhaseConditions {
  /** Evaluates a `when`. */
  holds: EvaluateCondition;
  /**
   * Returns whether something that the phase's recipe needs is unavailable; the phase's `when` is then not evaluated.
   */
  lacks: (phase: number) => boolean;
}
