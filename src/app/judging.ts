import type { Answer } from '../base/answer.js';
import { judgeCall, writesNothing } from '../wings/harness/guard/judge.js';
import type { HookInput } from '../wings/harness/hooks/hook.js';
import { readPayload } from '../wings/harness/hooks/payload.js';
import { renderReply } from '../wings/harness/hooks/reply.js';
import { createHookContext } from './context.js';
import type { CallEnvironment } from './environment.js';
import { ALSO_HEARD } from './ports.js';

/**
 * Answers `pre-tool-use`, which a harness sends more often than any other event, without loading code that changes a
 * run or is slow to load (house.md, Speed).
 * @returns null if the whole program has to answer
 * @throws any error; the whole program then answers
 */
export async function answerToolCall(
  { harness, payload }: HookInput,
  environment: CallEnvironment,
): Promise<Answer | null> {
  if (ALSO_HEARD.includes('pre-tool-use')) return null;
  const { cwd } = environment;
  const event = readPayload(payload?.text ?? '', { event: 'pre-tool-use', harness, cwd, unattended: false });
  if (event?.on !== 'pre-tool-use') return null;
  if (writesNothing(event)) return renderReply(event.on, harness, {});
  const context = createHookContext(environment);
  const caller = { ...context.caller, harness };
  return renderReply(event.on, harness, (await judgeCall({ ...context, caller }, event)) ?? {});
}
