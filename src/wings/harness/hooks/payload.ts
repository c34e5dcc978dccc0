import { isRecord } from '../../../base/json.js';
import { NOTICES } from '../../../generated/harness-events.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import type { HookEvent, Spent } from '../../../protocol/ports.js';
import type { HookEventName } from '../adapter.js';

/** Reads what a harness sends to a hook on standard input (harness.md, Hooks). */

/** What `readPayload` must know besides the text. */
export interface PayloadSource {
  event: HookEventName;
  harness: HarnessId;
  /** Absolute directory of the call, for a harness that sends none. */
  cwd: string;
  /** Whether the environment says that a script, and no person, writes the prompts. */
  unattended: boolean;
}

/** Returns the event, or null where the text is nothing that this harness sends for it. */
export function readPayload(text: string, { event, harness, cwd, unattended }: PayloadSource): HookEvent | null {
  const payload = parseObject(text);
  if (payload === null || typeof payload['session_id'] !== 'string') return null;
  const inSession = { session: payload['session_id'], cwd: getText(payload, 'cwd') ?? cwd };
  const agent = getText(payload, 'agent_id');
  switch (event) {
    case 'session-start':
      return { on: event, ...inSession, cause: readCause(payload['source']) };
    case 'user-prompt-submit': {
      const prompt = stripContext(getText(payload, 'prompt') ?? '');
      const notice = NOTICES[harness];
      const isNotice = notice !== undefined && prompt.trimStart().startsWith(notice);
      const spent = isNotice ? readNotice(prompt) : null;
      return { on: event, ...inSession, agent, prompt, attended: !unattended && !isNotice, spent };
    }
    case 'pre-tool-use':
    case 'post-tool-use': {
      const tool = getText(payload, 'tool_name');
      const input = payload['tool_input'];
      if (tool === null || !isRecord(input)) return null;
      const use = { ...inSession, agent, agentType: getText(payload, 'agent_type'), tool, input };
      return event === 'pre-tool-use' ? { on: event, ...use } : { on: event, ...use, spent: readResponse(payload) };
    }
    case 'stop': {
      const tasks = payload['background_tasks'];
      const backgroundTasks = Array.isArray(tasks) && tasks.length > 0;
      return { on: event, ...inSession, backgroundTasks, again: payload['stop_hook_active'] === true };
    }
    case 'session-end':
      return { on: event, ...inSession };
  }
}

/** What Claude Code tells with the result of an agent; one that goes on in the background has none yet. */
function readResponse({ tool_response: response }: Record<string, unknown>): Spent | null {
  if (!isRecord(response)) return null;
  const { agentId, totalTokens } = response;
  return typeof agentId === 'string' ? buildSpent(agentId, totalTokens) : null;
}

/** What Claude Code tells when an agent has ended in the background. */
function readNotice(notice: string): Spent | null {
  const [, agent] = /<task-id>([^<]*)<\/task-id>/.exec(notice) ?? [];
  // Behind the result, whose text is the agent's.
  const [, tokens] = /<subagent_tokens>(\d{1,12})<\/subagent_tokens>(?![\s\S]*<\/result>)/.exec(notice) ?? [];
  return agent === undefined || tokens === undefined ? null : buildSpent(agent, Number(tokens));
}

function buildSpent(agent: string, tokens: unknown): Spent | null {
  const isKnown = Number.isSafeInteger(tokens) && Number(tokens) > 0 && /^[\w-]{1,64}$/.test(agent);
  return isKnown ? { agent, tokens: Number(tokens) } : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function getText(payload: Record<string, unknown>, key: string): string | null {
  const value = payload[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

function readCause(source: unknown): Extract<HookEvent, { on: 'session-start' }>['cause'] {
  return source === 'resume' || source === 'clear' || source === 'compact' ? source : 'startup';
}

/** Takes away what Gemini CLI puts before a prompt: the text of hooks, which no person wrote. */
function stripContext(prompt: string): string {
  return prompt.replace(/^(?:\s*<hook_context>[\s\S]*?<\/hook_context>)+\s*/, '');
}
