import { DevCliError } from '../../../base/errors.js';

/**
 * Work that pauses regularly and can be abandoned at any pause, because nothing depends on it before it is complete.
 */
export type Interruptible<T> = Generator<void, T, void>;

/** Steps of an exploration between two pauses: a few milliseconds. */
export const STEPS_BETWEEN_PAUSES = 500;

/**
 * Runs the work to its end; checks the signal at each pause.
 * @throws DevCliError `INTERRUPTED` once the signal is aborted
 */
export async function runInterruptible<T>(work: Interruptible<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    if (signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted. Nothing was written.');
    const step = work.next();
    if (step.done === true) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
