import type { EvaluateCondition } from './events.js';

/** What a workflow does when one of its phases halts (recipes.md §4). */
export type ErrorPolicy = { kind: 'halt' } | { kind: 'skip' } | { kind: 'retry'; max: number };

/** A meta recipe as the machine needs it; a captured workflow already has this form. */
export interface WorkflowProgram {
  /** In order. `when` is a CEL condition; the phase is skipped when it is false. */
  phases: readonly { when?: string }[];
  errorPolicy: ErrorPolicy;
}

/** The events of a workflow. */
export type WorkflowEvent =
  | { type: 'START' }
  | { type: 'PHASE_COMPLETED' }
  /** `binding`: the run halts whatever the policy is, as when a person has stopped it. */
  | { type: 'PHASE_HALTED'; binding: boolean }
  /** A step of the halted phase is to be redone. */
  | { type: 'REOPEN' }
  | { type: 'ABORT' };

/**
 * What the caller has to do, in order. Exactly one is an `open`, `reopen` or `end`: the last one. Phases are numbered
 * from 0.
 */
export type WorkflowEffect =
  | { type: 'skip'; phase: number }
  /** The phase has ended, and the run continues without it. */
  | { type: 'close'; phase: number; status: 'done' | 'failed' }
  /** The phase has failed and begins anew; nothing it did counts. `max`: how often that may happen. */
  | { type: 'repeat'; phase: number; max: number }
  | { type: 'open'; phase: number }
  | { type: 'reopen'; phase: number }
  | { type: 'end'; outcome: 'completed' | 'halted' | 'aborted' };

/** Where a workflow is. Plain JSON; a run keeps it in the `workflow` of its state (run/workflow.ts). */
export interface WorkflowPosition {
  status: 'ready' | 'running' | 'halted' | 'completed' | 'aborted';
  /** The phase that was opened last, from 0; 0 before the first. */
  phase: number;
  /** How often each phase has begun anew. */
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
  /** Whether something the phase's recipe needs is not available; its `when` is then not evaluated. */
  lacks: (phase: number) => boolean;
}
