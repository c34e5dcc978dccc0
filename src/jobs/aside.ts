import { DevCliError } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';

const threads = loadLazily<typeof import('node:worker_threads')>('node:worker_threads');

interface Limits {
  signal: AbortSignal;
  /** Milliseconds of processor time, not wall-clock time: the result must not depend on how busy the machine is. */
  processorMs: number;
}

const POLL_MS = 100;

/**
 * Runs a computation in a worker thread, so that this thread can receive signals and enforce a time limit meanwhile.
 * @param program absolute path of a file that computes from its `workerData` and posts the result as one message
 * @returns null if the computation exceeds its time or memory limit
 * @throws DevCliError `INTERRUPTED`; any error of the program
 */
export function computeInWorker<T>(
  program: string,
  given: unknown,
  { signal, processorMs }: Limits,
): Promise<T | null> {
  const begun = process.cpuUsage();
  const thread = new (threads().Worker)(program, { workerData: given });
  return new Promise<T | null>((resolve, reject) => {
    const poll = setInterval(() => {
      const { user, system } = process.cpuUsage(begun);
      if (signal.aborted) reject(new DevCliError('INTERRUPTED', 'Interrupted.'));
      else if ((user + system) / 1000 > processorMs) resolve(null);
    }, POLL_MS);
    thread.once('message', resolve);
    thread.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(null) : reject(error),
    );
    thread.once('exit', (code) => {
      clearInterval(poll);
      reject(new Error(`${program} ended with ${code} and gave no answer`));
    });
  }).finally(() => thread.terminate());
}
