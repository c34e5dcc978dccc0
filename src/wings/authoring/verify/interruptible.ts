import { DevCliError } from '../../../base/errors.js';

/** Work on which nothing depends until it is done: it pauses again and again, and whoever does it may leave it there. */
export type Interruptible<T> = Generator<void, T, void>;

/** Steps of an exploration between two pauses: some milliseconds. */
export const STEPS_BETWEEN_PAUSES = 500;

/**
 * Does the work to its end. Signals are heard at each pause.
 * @throws DevCliError `INTERRUPTED` when the signal was aborted
 */
export async function finish<T>(work: Interruptible<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    if (signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted. Nothing was written.');
    const step = work.next();
    if (step.done === true) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
