import type { Answer } from '../../../base/answer.js';
import { EVENT_NAMES } from '../../../generated/harness-events.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import type { HookAnswer } from '../../../protocol/ports.js';
import type { HookEventName } from '../adapter.js';

/**
 * Builds an answer in the format of the harness (harness.md, Hooks). All three harnesses understand only one way
 * to refuse a tool call: nothing but JSON on stdout, the reason on stderr, and exit code 2.
 */
export function renderReply(event: HookEventName, harness: HarnessId, { refuse, tell }: HookAnswer): Answer {
  const native = EVENT_NAMES[harness]?.[event];
  if (refuse !== undefined && event === 'pre-tool-use') {
    const output = { hookEventName: native, permissionDecision: 'deny', permissionDecisionReason: refuse };
    return buildReply({ decision: 'block', reason: refuse, hookSpecificOutput: output }, { exit: 2, stderr: refuse });
  }
  if (refuse !== undefined) return buildReply({ decision: 'block', reason: refuse });
  if (tell === undefined) return buildReply(null);
  return buildReply({ hookSpecificOutput: { hookEventName: native, additionalContext: tell } });
}

function buildReply(json: object | null, more: Partial<Pick<Answer, 'exit' | 'stderr'>> = {}): Answer {
  return { exit: 0, json: json ?? {}, text: () => (json === null ? '' : JSON.stringify(json)), ...more };
}
