import type { Answer } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { isOwnSession } from '../../../base/harness-mark.js';
import { ATTENDED, HOOK_AGENTS } from '../../../generated/harness-events.js';
import { HARNESS_MARKS, type HarnessId } from '../../../generated/harnesses.js';
import { dispatchHook, type WithPorts } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import type { HookEventName } from '../adapter.js';
import { readPayload } from './payload.js';
import { renderReply } from './reply.js';
import { recordHooksHeard } from './taking-up.js';

/** The input of `dev-cli hook`. */
export interface HookInput {
  event: HookEventName;
  harness: HarnessId;
  payload?: { text: string };
}

/**
 * `hook EVENT --harness NAME`: passes an event to its handlers and answers in the harness's format (harness.md, Hooks).
 * If an agent makes the call, events about a person or a session are ignored.
 * @throws DevCliError `DATA_MALFORMED` for an invalid payload. In a hook that runs before a tool, the error blocks the
 * tool; at other events, the harness continues
 */
export async function runHook(
  context: Context & WithPorts,
  { event: name, harness, payload }: HookInput,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Answer> {
  const unattended = isOwnSession(env) || ATTENDED.some((variable) => env[variable] === '0');
  const event = readPayload(payload?.text ?? '', { event: name, harness, cwd, unattended });
  if (event === null) {
    throw new DevCliError('DATA_MALFORMED', `The payload is not a valid ${name} event of ${harness}.`, {
      fix: 'A harness calls this command; `dev-cli install` sets it up.',
    });
  }
  if (isAgentsCommand(env) && name !== 'pre-tool-use') return renderReply(name, harness, {});
  const caller = { ...context.caller, kind: 'hook' as const, via: 'hook', harness, session: event.session };
  const { refuse, tell } = await dispatchHook({ ...context, caller }, event);
  await recordHooksHeard(context, event.session);
  return renderReply(name, harness, {
    ...(refuse === null ? {} : { refuse }),
    ...(tell.length === 0 ? {} : { tell: tell.join('\n\n') }),
  });
}

/**
 * Returns whether the environment is that of an agent's command, not of a hook (harness.md, Hooks). Most harnesses set
 * their marks only for commands; some set them for hooks, too, and then AI_AGENT tells the two apart. A harness may
 * have inherited other marks (another AI_AGENT, DEV_CLI_AGENT), so they do not count.
 */
function isAgentsCommand(env: NodeJS.ProcessEnv): boolean {
  return Object.entries(HARNESS_MARKS).some(([mark, harness]) => {
    const ofHooks = HOOK_AGENTS[mark];
    const isOfHook = ofHooks !== undefined && new RegExp(ofHooks).test(env['AI_AGENT'] ?? '');
    return harness !== null && (env[mark] ?? '') !== '' && !isOfHook;
  });
}
