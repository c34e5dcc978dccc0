import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';
import { readRun } from '../find/find-run.js';

/**
 * Waits until a run is held no longer (control.md, The action).
 * @param until instant, in milliseconds, at which the run is returned all the same
 * @throws DevCliError `INTERRUPTED`, and what the store throws
 */
export async function awaitRelease(
  context: Context,
  name: string,
  until: number,
): Promise<Awaited<ReturnType<typeof readRun>>> {
  for (;;) {
    const head = await readRun(context, name);
    const left = until - context.clock.now();
    if (head.snapshot.held === undefined || head.snapshot.status !== 'live' || left <= 0) return head;
    await context.store.grown(name, head.size, { milliseconds: left, signal: context.signal });
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted. The run is as it was.');
  }
}
