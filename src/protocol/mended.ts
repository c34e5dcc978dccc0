import type { RunState } from '../run/state.js';
import type { Head } from '../store/store.js';
import type { Context } from './context.js';
import { finishCrash } from './external.js';
import { vanished } from './vanished.js';

/**
 * The run of that name, with what had vanished of its documents put back; for who opens no turn of its own on it.
 * @throws what the store throws
 */
export async function readMended(context: Context, name: string): Promise<Head<RunState>> {
  const head = await context.store.read(name);
  if (head.snapshot === null || vanished(head.files, head.snapshot).length === 0) return head;
  await finishCrash(context, name);
  return context.store.read(name);
}
