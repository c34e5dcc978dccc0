/** The events that can happen to the current block. */
export type MachineEvent =
  | { type: 'DONE' }
  | { type: 'CHOOSE'; choice: string }
  /**
   * A round of a loop did not pass, or a command that leads back to an earlier block has failed. `filled`: the round
   * supplied something that was missing, such as a section of DRAFT.md. If the block asks the user, such a round does
   * not count towards the bound.
   */
  | { type: 'ROUND'; filled: boolean }
  | { type: 'FAIL' }
  | { type: 'INVALIDATE'; block: string }
  | { type: 'ABORT' }
  /** Halts the run regardless of `onError`, because the caller cannot continue (sources changed in autopilot). */
  | { type: 'HALT' };

/** A task for the caller. Of an event's effects, only the last can be an `issue`, `execute`, `engine` or `end`. */
export type Effect =
  /**
   * Issue a new action for an agent-facing block. `enter`: the run has reached the block, for the first time or again
   * after a revise (the block's counter `round` tells which). `bound`: issue the action as the gate at a loop's bound.
   */
  | { type: 'issue'; block: string; cause: 'enter' | 'round' | 'retry' | 'revise' | 'invalidate' | 'bound' }
  /** Execute a CLI block, then report DONE or FAIL. */
  | { type: 'execute'; block: string; cause: 'enter' | 'retry' | 'revise' | 'invalidate' }
  /** Execute the plan with the engine's own machine (engine/), then report DONE or HALT. */
  | { type: 'engine'; block: string; cause: 'enter' | 'retry' | 'revise' | 'invalidate' }
  /** Record how a block ended. */
  | { type: 'settle'; block: string; status: 'done' | 'skipped' | 'failed' }
  /** Mark the results of these blocks, which include the one at which the event occurred, as outdated. */
  | { type: 'stale'; blocks: string[] }
  | { type: 'end'; outcome: 'completed' | 'halted' | 'aborted' };

/**
 * Evaluates a `when` condition; null counts as false. The caller supplies this function, because the machine knows no
 * documents. `of` names the block (by id) or phase (by index) that the condition belongs to.
 */
export type EvaluateCondition = (source: string, of: string) => boolean;
