import type { DevCliError } from '../base/errors.js';
import type { MachineEvent } from '../machine/events.js';
import type { InputOf } from '../registry/catalogue.js';
import type { RunState } from '../run/state.js';

/** What `step complete` and `step fail` are given besides the name. */
export interface AckInput extends Omit<InputOf<'step complete'>, 'name' | 'wait'> {
  fail?: boolean;
}

/** What `--collect` came to for one task that was out. */
export interface CollectedTask {
  actionId: string;
  todoId: string | null;
  ok: boolean;
  error?: string;
}

/** How a loop's round went that did not pass. */
export interface RoundReport {
  n: number;
  passed: false;
  saved: string[];
  missing: string[];
  verdicts?: Record<string, string>;
}

/** What an acknowledgement came to. A refusal may have kept what was good: it is thrown only after the commit. */
export type AckResult =
  | { kind: 'completed'; block: string }
  /** The block failed and `onError` has decided: nothing was completed. */
  | { kind: 'failed' }
  | { kind: 'round'; round: RoundReport }
  | { kind: 'collected'; collected: CollectedTask[] }
  | { kind: 'duplicate' }
  | { kind: 'refused'; error: DevCliError };

/** What an acknowledgement came to, and the event that the machine of the recipe is to take for it. */
export interface Acknowledged {
  result: AckResult;
  event?: MachineEvent;
}

/** Paths outside `.dev/` that differ from the baseline, and the tree as it is; found before the lock. Null where it does not matter. */
export type ChangedSources = { paths: string[]; now: NonNullable<RunState['baseline']> } | null;
