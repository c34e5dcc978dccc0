import type { Answer } from '../base/answer.js';
import type { WithPorts } from '../protocol/ports.js';
import type { Context } from '../run/context.js';
import { HANDLERS } from '../wings/harness/hooks/handlers.js';
import { type HookInput, runHook } from '../wings/harness/hooks/hook.js';
import type { noteFacts } from '../wings/memory/facts.js';
import { createMemoryHookHandlers } from '../wings/memory/hearing.js';
import { createNeutralHookHandlers as listReporters } from '../wings/neutral/hearing.js';
import { createHookContext } from './context.js';
import type { CallEnvironment } from './environment.js';
import { ALSO_HEARD } from './ports.js';

/**
 * Answers a hook event with the handlers that the whole program uses too. Only a small part of the code is loaded, to
 * save time (house.md, Speed), so a handler that wants to change a run or render an action fails here. Two harmless
 * changes are possible: recording facts for memory, and forgetting that a person asked for autopilot, which can be
 * repeated.
 * @returns null if the whole program has to answer
 * @throws any error, also when a handler needs code that is left out; the whole program then answers
 */
export async function answerEvent(input: HookInput, environment: CallEnvironment): Promise<Answer | null> {
  if (ALSO_HEARD.includes(input.event)) return null;
  const context = createHookContext(environment);
  const { sessionMark } = context.store;
  const store = {
    ...context.store,
    async changeSession(id: string, { becomes }: { becomes: string }) {
      if (becomes === 'heard' && (await sessionMark(id))?.heard === true) return true;
      throw new Error('left out');
    },
  };
  const told: Parameters<typeof noteFacts>[] = [];
  const remember = async (...given: Parameters<typeof noteFacts>) => {
    if (given[1].on === 'session-start') throw new Error('left out');
    told.push(given);
    return null;
  };
  const report = async () => {
    throw new Error('left out');
  };
  const handlers = [...createMemoryHookHandlers(remember), ...listReporters(report), ...HANDLERS];
  const ports = { ...context.ports, hookHandlers: [async () => handlers] };
  // The cast is safe: the members that this context lacks are used only by code that this program leaves out.
  const answer = await runHook({ ...context, store, ports } as unknown as Context & WithPorts, input, environment);
  // Facts are recorded only now, when nothing can fail any more: after an error above, the whole program answers the
  // same event and records the same facts, which would then be recorded twice.
  for (const one of told) (await import('../wings/memory/facts.js')).noteFacts(...one);
  return answer;
}
