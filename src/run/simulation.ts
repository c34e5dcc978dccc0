import type { Effect, MachineEvent } from '../machine/events.js';
import type { Position } from '../machine/position.js';
import type { WorkflowEffect, WorkflowEvent } from '../machine/workflow-program.js';
import type { WorkTreeStatus } from '../work/baseline.js';

/** A decision of one of the state machines, as reported to a simulation. */
export type MachineDecision =
  /** The current recipe processed an event. `from` is its position before the event; null at the start. */
  | {
      kind: 'recipe';
      recipe: string;
      from: Position | null;
      event: MachineEvent | { type: 'START' };
      effects: readonly Effect[];
    }
  /** A workflow processed an event. `lacking`: the phases whose recipes lack something that they need. */
  | { kind: 'workflow'; event: WorkflowEvent; effects: readonly WorkflowEffect[]; lacking: readonly number[] }
  /** A stage of an execution ended; `outcome`: the kind of its verdict; `todo`: null for a stage of the whole run. */
  | { kind: 'stage'; recipe: string; todo: string | null; stage: string; outcome: string }
  /** A todo was completed, was given up, or will be attempted again. */
  | { kind: 'todo'; recipe: string; todo: string; outcome: 'retried' | 'done' | 'failed' };

/**
 * Replaces the world outside a run that is only rehearsed (authoring.md, Simulations): dev-cli calls no git and starts
 * no process, nothing has to be trusted, and the script says how commands and commits end.
 */
export interface Simulation {
  /** The needs that the rehearsed run lacks, each with the reason. */
  lacks: Readonly<{ remote?: string; gh?: string }>;
  /** Receives each decision of the state machines. */
  tell: (decided: MachineDecision) => void;
}

/** The work tree of a rehearsed run: clean, on a branch of its own. */
export const SIMULATED_TREE: WorkTreeStatus = { head: '0'.repeat(40), branch: 'simulation', dirty: {} };
