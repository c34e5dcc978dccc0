/** What can happen to the current block. */
export type MachineEvent =
  | { type: 'DONE' }
  | { type: 'CHOOSE'; choice: string }
  /**
   * A round of a loop did not pass, or a command that leads back has failed. In a block that asks the user, a round
   * that `filled` something does not count towards the bound.
   */
  | { type: 'ROUND'; filled: boolean }
  | { type: 'FAIL' }
  | { type: 'INVALIDATE'; block: string }
  | { type: 'ABORT' }
  /** The caller cannot go on (sources changed in autopilot): halts the run whatever `onError` says. */
  | { type: 'HALT' };

/** What the caller has to do, in order. Exactly one is an `issue`, `execute`, `engine` or `end`: the last one. */
export type Effect =
  /**
   * Issue a new action for an agent-facing block. `enter`: the run reached the block, or came back to a loop after a
   * revise, which its `round` shows; `bound`: issue the action as the gate at the bound of a loop.
   */
  | { type: 'issue'; block: string; cause: 'enter' | 'round' | 'retry' | 'revise' | 'invalidate' | 'bound' }
  /** Execute a CLI block, then report DONE or FAIL. */
  | { type: 'execute'; block: string; cause: 'enter' | 'retry' | 'revise' | 'invalidate' }
  /** Carry out the plan with the engine's own machine (engine/), then report DONE or HALT. */
  | { type: 'engine'; block: string; cause: 'enter' | 'retry' | 'revise' | 'invalidate' }
  /** Record how a block ended. */
  | { type: 'settle'; block: string; status: 'done' | 'skipped' | 'failed' }
  /** Mark the results of blocks as outdated; they include the block at which the event occurred. */
  | { type: 'stale'; blocks: string[] }
  | { type: 'end'; outcome: 'completed' | 'halted' | 'aborted' };

/**
 * Evaluates a `when` condition; null counts as false. The caller supplies this function, because the machine knows no
 * documents. `of` names the block (by id) or phase (by index) that the condition belongs to.
 */
export type EvaluateCondition = (source: string, of: string) => boolean;
