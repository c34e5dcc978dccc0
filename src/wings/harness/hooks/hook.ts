import type { Answer } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { dispatchHook } from '../../../protocol/hooks.js';
import type { Ported } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import type { HarnessId, HookEventName } from '../harness.js';
import { HANDLERS } from './handlers.js';
import { readPayload } from './payload.js';
import { renderReply } from './reply.js';
import { noteHeard } from './taking-up.js';

/** What `dev-cli hook` is given. */
export interface HookInput {
  event: HookEventName;
  harness: HarnessId;
  payload?: { text: string };
}

/**
 * `hook EVENT --harness NAME`: hands an event of a harness to its handlers and answers in the harness's form (harness.md, Hooks).
 * @param unattended whether the environment says that no person writes the prompts
 * @param isOfAgent whether an agent calls instead: what it says of a person or a session is not heard
 * @throws DevCliError `DATA_MALFORMED` for a payload that is none: before a tool that blocks, elsewhere the harness goes on
 */
export async function runHook(
  context: Context & Ported,
  { event: name, harness, payload }: HookInput,
  { cwd, unattended, isOfAgent }: { cwd: string; unattended: boolean; isOfAgent: boolean },
): Promise<Answer> {
  const event = readPayload(payload?.text ?? '', { event: name, harness, cwd, unattended });
  if (event === null) {
    throw new DevCliError('DATA_MALFORMED', `This is no ${name} of ${harness}.`, {
      fix: 'A harness calls this command; `dev-cli install` puts it in place.',
    });
  }
  if (isOfAgent && name !== 'pre-tool-use') return renderReply(name, harness, {});
  const hookHandlers = [...HANDLERS, ...context.ports.hookHandlers];
  const caller = { ...context.caller, kind: 'hook' as const, via: 'hook', harness, session: event.session };
  const { refuse, tell } = await dispatchHook({ ...context, caller, ports: { ...context.ports, hookHandlers } }, event);
  await noteHeard(context, event.session);
  return renderReply(name, harness, {
    ...(refuse === null ? {} : { refuse }),
    ...(tell.length === 0 ? {} : { tell: tell.join('\n\n') }),
  });
}
