import type { Effect, MachineEvent } from '../machine/events.js';
import type { Position } from '../machine/position.js';
import type { WorkflowEffect, WorkflowEvent } from '../machine/workflow-program.js';
import type { WorkTreeStatus } from '../work/baseline.js';

/** A decision of one of the state machines, as reported to a simulation. */
export type MachineDecision =
  /** The current recipe took an event; `from` is null at its start. */
  | {
      kind: 'recipe';
      recipe: string;
      from: Position | null;
      event: MachineEvent | { type: 'START' };
      effects: readonly Effect[];
    }
  /** A workflow took an event; `lacking`: the phases whose recipes lack something they need. */
  | { kind: 'workflow'; event: WorkflowEvent; effects: readonly WorkflowEffect[]; lacking: readonly number[] }
  /** A stage of an execution ended; `outcome`: the kind of its verdict; `todo`: null for a stage of the whole run. */
  | { kind: 'stage'; recipe: string; todo: string | null; stage: string; outcome: string }
  /** A todo is retried, was done, or was given up. */
  | { kind: 'todo'; recipe: string; todo: string; outcome: 'retried' | 'done' | 'failed' };

/**
 * Replaces the world outside the run in a context when the run is only rehearsed (authoring.md, Simulations): git is
 * not asked, no process is started, nothing has to be trusted, and the script says how commands and commits end.
 */
export interface Simulation {
  /** For each need that the run is to lack, the reason. */
  lacks: Readonly<{ remote?: string; gh?: string }>;
  /** Receives each decision of the state machines. */
  tell: (decided: MachineDecision) => void;
}

/** The work tree of a rehearsed run: clean, on a branch of its own. */
export const SIMULATED_TREE: WorkTreeStatus = { head: '0'.repeat(40), branch: 'simulation', dirty: {} };
