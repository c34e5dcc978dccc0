import type { Attempt, LoopState } from './state-schema.js';

/** Parts of the loop's state that do not need its schema, which few calls load. */

export const LOOP_VERSION = 1;

/** The lock of a batch, relative to the root. */
export const LOCK = '.ai/auto.lock';

export const EMPTY_LOOP: LoopState = {
  ...{ schemaVersion: LOOP_VERSION, seq: 0, batch: null },
  ...{ goals: {}, attempts: {}, unsent: [], leases: {}, answers: {}, variants: [], spiked: null, packets: {} },
};

/**
 * Returns whether an attempt was handed in and is not judged yet. A handed-in attempt has no `zero`, because the loop
 * prepared no session for it (loop-operations.md, Packets).
 */
export const isHandedIn = ({ state, zero }: Pick<Attempt, 'state' | 'zero'>): boolean =>
  state === 'judging' && zero === null;

/** How long, in milliseconds, closed leases, completed answers and old packets are kept. */
export const CLOSED_RETENTION_MS = 30 * 86_400_000;

/** Returns the id of an attempt: `add-auth#2`. */
export const nameAttempt = ({ goal, n }: Pick<Attempt, 'goal' | 'n'>): string => `${goal}#${n}`;

/** Returns the reference of an attempt's kept commit. */
export const nameReference = ({ goal, n }: Pick<Attempt, 'goal' | 'n'>): string => `refs/dev-cli/attempts/${goal}/${n}`;

/** Returns the directory of an attempt's records, relative to the stream's directory. */
export const nameRecords = ({ goal, n }: Pick<Attempt, 'goal' | 'n'>): string => `attempts/${goal}/${n}`;

/**
 * Returns the path of the context that a fleet's desk stores for the session at a worker, relative to the stream's
 * directory.
 */
export const nameContext = (attempt: Pick<Attempt, 'goal' | 'n'>): string => `${nameRecords(attempt)}/context.md`;

/** Increased whenever older workers could not continue an attempt that newer ones began (fleet.md, Upgrades). */
export const STEPS_VERSION = 1;
