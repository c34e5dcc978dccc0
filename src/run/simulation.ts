import type { Effect, MachineEvent } from '../machine/events.js';
import type { Position } from '../machine/position.js';
import type { WorkflowEffect, WorkflowEvent } from '../machine/workflow-program.js';
import type { WorkTreeStatus } from '../work/baseline.js';

/** What one of the machines has decided, as a simulation hears of it. */
export type Decided =
  /** The recipe at work took an event; `from` is null where it began. */
  | {
      kind: 'recipe';
      recipe: string;
      from: Position | null;
      event: MachineEvent | { type: 'START' };
      effects: readonly Effect[];
    }
  /** A workflow took an event; `lacking`: the phases whose recipe lacks what it needs. */
  | { kind: 'workflow'; event: WorkflowEvent; effects: readonly WorkflowEffect[]; lacking: readonly number[] }
  /** A stage of an execution ended; `outcome` is the kind of its verdict, `todo` null for a stage of the whole run. */
  | { kind: 'stage'; recipe: string; todo: string | null; stage: string; outcome: string }
  /** A todo is attempted again, or was given up. */
  | { kind: 'todo'; recipe: string; todo: string; outcome: 'retried' | 'done' | 'failed' };

/**
 * Stands in a context for the world outside the run, where a run is only tried (authoring.md, Simulations): git is not asked, no
 * process is started, nothing has to be trusted, and whoever tries it says how commands and commits end.
 */
export interface Simulation {
  /** For each need that the run is to lack, why. */
  lacks: Readonly<{ remote?: string; gh?: string }>;
  /** Is told what the machines decide. */
  tell: (decided: Decided) => void;
}

/** The work tree of a run that is only tried: clean, on a branch of its own. */
export const SIMULATED_TREE: WorkTreeStatus = { head: '0'.repeat(40), branch: 'simulation', dirty: {} };
