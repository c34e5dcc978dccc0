import type { Context } from '../run/context.js';
import type { HookEvent, HookHandlerOf, Ported } from './ports.js';

/**
 * Hands an event to the handlers of its kind, one after the other, until one refuses.
 * @returns the refusal, else all that the agent is to read, in order
 * @throws what a handler throws; the harness's adapter decides whether that blocks the event
 */
export async function dispatchHook(
  context: Context & Ported,
  event: HookEvent,
): Promise<{ refuse: string | null; tell: string[] }> {
  const tell: string[] = [];
  const loaded = await Promise.all(context.ports.hookHandlers.map((load) => load()));
  for (const handler of loaded.flat()) {
    if (handler.on !== event.on) continue;
    // The kinds match, which TypeScript cannot follow through a union.
    const { handle } = handler as HookHandlerOf<typeof event.on>;
    const answer = await handle(context, event as never);
    if (answer?.refuse !== undefined) return { refuse: answer.refuse, tell: [] };
    if (answer?.tell !== undefined) tell.push(answer.tell);
  }
  return { refuse: null, tell };
}
