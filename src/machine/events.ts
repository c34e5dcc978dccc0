/** What can happen to the current block. */
export type MachineEvent =
  | { type: 'DONE' }
  | { type: 'CHOOSE'; choice: string }
  /** A round of a loop that did not pass. `filled`: it brought something, so it does not count where the user is asked. */
  | { type: 'ROUND'; filled: boolean }
  | { type: 'FAIL' }
  | { type: 'INVALIDATE'; block: string }
  | { type: 'ABORT' }
  /** The rim cannot go on (autopilot touched sources): halt whatever `onError` says. */
  | { type: 'HALT' };

/** What the caller of the machine has to do, in order. The last is always the only `issue`, `execute`, `engine` or `end`. */
export type Effect =
  /**
   * Hand out a new action for an agent-facing block. `enter`: the walk came to it, also when it comes back to a loop
   * after a revise (`round` in the counters tells); `bound`: as the gate at the bound of a loop.
   */
  | { type: 'issue'; block: string; cause: 'enter' | 'round' | 'retry' | 'revise' | 'invalidate' | 'bound' }
  /** Execute a CLI block, then report DONE or FAIL. */
  | { type: 'execute'; block: string; cause: 'enter' | 'retry' | 'revise' | 'invalidate' }
  /** Carry out the plan: the block is a machine of its own (engine/), which reports DONE or HALT when it has come to its end. */
  | { type: 'engine'; block: string; cause: 'enter' | 'retry' | 'revise' | 'invalidate' }
  | { type: 'settle'; block: string; status: 'done' | 'skipped' | 'failed' }
  /** Blocks reached before whose result no longer counts, in order; the block that the event found is among them. */
  | { type: 'stale'; blocks: string[] }
  | { type: 'end'; outcome: 'completed' | 'halted' | 'aborted' };

/** Decides a `when` of the recipe; false for null. Comes in from outside: the machine knows no documents. */
export type EvaluateCondition = (source: string) => boolean;
