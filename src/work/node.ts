import { lazyPackage } from '../base/lazy.js';

/** Loading it takes several milliseconds, and hardly any acknowledgement starts a process. */
export const childProcess = lazyPackage<typeof import('node:child_process')>('node:child_process');

/** Waits without blocking. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
