import type { Context } from '../run/context.js';
import type { HookEvent, HookHandlerOf, Ported } from './ports.js';

/**
 * Hands an event to those that registered for its kind, one after the other, until one refuses.
 * @returns the refusal, else all that was told, in order
 * @throws what a handler throws: whether that blocks is for the harness's adapter to say
 */
export async function dispatchHook(
  context: Context & Ported,
  event: HookEvent,
): Promise<{ refuse: string | null; tell: string[] }> {
  const tell: string[] = [];
  for (const handler of context.ports.hookHandlers) {
    if (handler.on !== event.on) continue;
    // The kinds are the same, which TypeScript cannot follow through a union.
    const { handle } = handler as HookHandlerOf<typeof event.on>;
    const answer = await handle(context, event as never);
    if (answer?.refuse !== undefined) return { refuse: answer.refuse, tell: [] };
    if (answer?.tell !== undefined) tell.push(answer.tell);
  }
  return { refuse: null, tell };
}
