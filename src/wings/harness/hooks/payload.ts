import { isRecord } from '../../../base/json.js';
import {
  FAILURES,
  FOREWORDS,
  INPUT_MEMBERS,
  NOTICES,
  PAYLOAD_MEMBERS,
  SHELL_TOOLS,
  SPENT_MEMBERS,
} from '../../../generated/harness-events.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import type { HookEvent, SubagentUsage } from '../../../protocol/ports.js';
import type { HookEventName, PayloadMember } from '../adapter.js';
import { listCallWrites } from '../guard/writes.js';

/** Parses the payload that a harness sends to a hook on stdin (harness.md, Hooks). */

/**
 * A part of the nudge: the request to continue that an agent gets when it stops too early. Gemini CLI passes the nudge
 * to the prompt hook, where this part shows that no person wrote it.
 */
export const NUDGE = 'is not acknowledged yet. Go on: `dev-cli next';

/** The inputs of `readPayload` besides the text. */
export interface PayloadSource {
  event: HookEventName;
  harness: HarnessId;
  /** Absolute directory of the call; used if the harness sends none. */
  cwd: string;
  /** Whether the environment says that a script, not a person, writes the prompts and answers questions. */
  unattended: boolean;
}

type Payload = Readonly<Partial<Record<PayloadMember, unknown>>>;

/** Returns the event, or null if the text is not a payload of this harness for this event. */
export function readPayload(text: string, { event, harness, cwd, unattended }: PayloadSource): HookEvent | null {
  const sent = parseObject(text);
  if (sent === null) return null;
  const payload: Payload = useCommonNames(sent, PAYLOAD_MEMBERS[harness]);
  if (typeof payload['session_id'] !== 'string') return null;
  const inSession = { session: payload['session_id'], cwd: getText(payload, 'cwd') ?? cwd };
  const agent = getText(payload, 'agent_id');
  switch (event) {
    case 'session-start':
      return { on: event, ...inSession, cause: readCause(payload['source']) };
    case 'user-prompt-submit': {
      const prompt = stripForeword(getText(payload, 'prompt') ?? '');
      const notice = NOTICES[harness];
      const isNotice = notice !== undefined && prompt.trimStart().startsWith(notice.begins);
      const find = (pattern: string) => new RegExp(pattern).exec(prompt)?.[1];
      const spent = isNotice ? buildSpent(find(notice.agent), Number(find(notice.tokens))) : null;
      return {
        on: event,
        ...inSession,
        agent,
        prompt,
        attended: !unattended && !isNotice && !prompt.includes(NUDGE),
        spent,
      };
    }
    case 'pre-tool-use':
    case 'post-tool-use': {
      const tool = getText(payload, 'tool_name');
      if (tool === null || !isRecord(payload['tool_input'])) return null;
      const input = useCommonNames(payload['tool_input'], INPUT_MEMBERS[harness]);
      const use = { ...inSession, agent, agentType: getText(payload, 'agent_type'), tool, input };
      if (event === 'pre-tool-use') return { on: event, ...use };
      const files = SHELL_TOOLS.includes(tool) ? [] : (listCallWrites(tool, input)?.paths ?? []);
      const failed = hasFailed(payload, harness);
      return { on: event, ...use, spent: readSpent(payload), files, failed, attended: !unattended };
    }
    case 'stop': {
      const tasks = payload['background_tasks'];
      const backgroundTasks = Array.isArray(tasks) && tasks.length > 0;
      const again = payload['stop_hook_active'] === true;
      return { on: event, ...inSession, backgroundTasks, again, said: getText(payload, 'last_assistant_message') };
    }
    case 'session-end':
      return { on: event, ...inSession };
  }
}

/** Adds the members that the harness calls by other names under their common names. */
function useCommonNames(
  members: Record<string, unknown>,
  names: Readonly<Partial<Record<string, string>>> = {},
): Record<string, unknown> {
  return {
    ...members,
    ...Object.fromEntries(Object.entries(names).map(([common, own = '']) => [common, members[own]])),
  };
}

/** Reads the tool's answer that contains a subagent's result: returns how many tokens the subagent has used. */
function readSpent({ tool_response: response }: Payload): SubagentUsage | null {
  if (!isRecord(response)) return null;
  const told = SPENT_MEMBERS.find(({ agent }) => typeof response[agent] === 'string');
  return told === undefined ? null : buildSpent(response[told.agent], response[told.tokens]);
}

function hasFailed({ tool_response: response }: Payload, harness: HarnessId): boolean {
  const failure = FAILURES[harness];
  if (failure === undefined) return false;
  if ('member' in failure) return isRecord(response) && (response[failure.member] ?? null) !== null;
  return typeof response === 'string' && new RegExp(failure.text).test(response);
}

function buildSpent(agent: unknown, tokens: unknown): SubagentUsage | null {
  const isKnown = Number.isSafeInteger(tokens) && Number(tokens) > 0;
  return isKnown && typeof agent === 'string' && /^[\w-]{1,64}$/.test(agent) ? { agent, tokens: Number(tokens) } : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function getText(payload: Payload, key: PayloadMember): string | null {
  const value = payload[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

function readCause(source: unknown): Extract<HookEvent, { on: 'session-start' }>['cause'] {
  return source === 'resume' || source === 'clear' || source === 'compact' ? source : 'startup';
}

/** Removes the text that harnesses put before a prompt. */
function stripForeword(prompt: string): string {
  return prompt.replace(new RegExp(`^(?:\\s*(?:${FOREWORDS.join('|')}))+\\s*`), '');
}
