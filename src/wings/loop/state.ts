import type { Attempt, LoopState } from './state-schema.js';

/** What is read of the loop's state without its schema, which few calls need. */

export const LOOP_VERSION = 1;

/** The lock of a batch, relative to the root. */
export const LOCK = '.ai/auto.lock';

export const EMPTY_LOOP: LoopState = {
  ...{ schemaVersion: LOOP_VERSION, seq: 0, batch: null },
  ...{ goals: {}, attempts: {}, unsent: [], leases: {}, answers: {}, variants: [], spiked: null, packets: {} },
};

/** Whether an attempt was handed in, and nobody has judged it yet: no session of the loop has prepared it (loop-operations.md, Packets). */
export const isHandedIn = ({ state, zero }: Pick<Attempt, 'state' | 'zero'>): boolean =>
  state === 'judging' && zero === null;

/** How long what is closed is still known, in milliseconds. */
export const KEPT = 30 * 86_400_000;

/** The id of an attempt: `add-auth#2`. */
export const nameAttempt = ({ goal, n }: Pick<Attempt, 'goal' | 'n'>): string => `${goal}#${n}`;

/** The reference of what an attempt left. */
export const nameReference = ({ goal, n }: Pick<Attempt, 'goal' | 'n'>): string => `refs/dev-cli/attempts/${goal}/${n}`;

/** The directory of an attempt's records, relative to the stream's. */
export const nameRecords = ({ goal, n }: Pick<Attempt, 'goal' | 'n'>): string => `attempts/${goal}/${n}`;

/** What the desk of a fleet has its worker tell a session, relative to the stream's. */
export const nameContext = (attempt: Pick<Attempt, 'goal' | 'n'>): string => `${nameRecords(attempt)}/context.md`;

/** Goes up when a worker of before could not carry on with what one of now has begun (fleet.md, Upgrades). */
export const STEPS_VERSION = 1;
