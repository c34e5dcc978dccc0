import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../../base/errors.js';
import { getResultPath } from '../../engine/act/prompts/dispatch.js';
import type { Context } from '../../run/context.js';
import type { RunEngine } from '../../run/engine.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/**
 * Waits until every task that is out has a result, or the time is over; whether the results hold up is for others.
 * @throws DevCliError `INTERRUPTED`
 */
export async function awaitResults(context: Context, name: string, engine: RunEngine, until: number): Promise<void> {
  const { files } = await context.store.read(name);
  const open = Object.keys(engine.tasks).map(getResultPath);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted; the tasks stay out.');
    const left = until - context.clock.now();
    if (left <= 0 || open.every((path) => files.facts(path).kind !== 'missing')) return;
    await sleep(Math.min(pause, left));
  }
}
