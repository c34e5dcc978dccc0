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
 * Answers a hook event with the same handlers as the whole program, as long as they neither write nor render (house.md,
 * Speed). This program lacks the code that writes. The exception is forgetting that a person asked for autopilot, which
 * is safe to repeat.
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
  // Only code that this program leaves out uses the missing members of the context.
  const answer = await runHook({ ...context, store, ports } as unknown as Context & WithPorts, input, environment);
  // Facts are recorded last. After an earlier error, the whole program answers and would record them a second time.
  for (const one of told) (await import('../wings/memory/facts.js')).noteFacts(...one);
  return answer;
}
