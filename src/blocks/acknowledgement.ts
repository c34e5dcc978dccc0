import type { DevCliError } from '../base/errors.js';
import type { MachineEvent } from '../machine/events.js';
import type { InputOf } from '../registry/catalogue.js';

/** The input of `step complete` and `step fail`, without the run's name. */
export interface AckInput extends Omit<InputOf<'step complete'>, 'name' | 'wait'> {
  /** Whether the call is `step fail`. */
  fail?: boolean;
}

/** How `--collect` judged one task that was handed out. */
export interface CollectedTask {
  actionId: string;
  /** Null for a task of the whole run. */
  todoId: string | null;
  ok: boolean;
  error?: string;
}

/** A round of a loop that did not pass. */
export interface RoundReport {
  /** The number of the round, from 1. */
  n: number;
  passed: false;
  /** Sections saved in this round. */
  saved: string[];
  /** Required sections that are still empty. */
  missing: string[];
  /** Verdicts by agent id. */
  verdicts?: Record<string, string>;
}

/**
 * The outcome of an acknowledgement. A refusal is returned, not thrown, because throwing would discard the transaction
 * together with the valid part of the evidence; its error is thrown after the commit.
 */
export type AckResult =
  | { kind: 'completed'; block: string }
  /** The block failed; its `onError` decides how the run continues. */
  | { kind: 'failed' }
  | { kind: 'round'; round: RoundReport }
  /** The round of a loop is judged when its external exit check has ended. */
  | { kind: 'checking' }
  | { kind: 'collected'; collected: CollectedTask[] }
  | { kind: 'duplicate' }
  | { kind: 'refused'; error: DevCliError };

/** The outcome of an acknowledgement, and the event for the recipe's machine. */
export interface Acknowledged {
  result: AckResult;
  event?: MachineEvent;
}
