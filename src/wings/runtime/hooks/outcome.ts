import { isRecord, parseOrNull } from '../../../base/json.js';
import { describeCommandFailure } from '../../../work/notification.js';
import { createGlobTest } from '../../../work/paths.js';
import type { GroupEnd } from '../../../work/processes.js';
import { findToolName } from '../core/rules.js';
import type { ToolResult } from '../tools/tool.js';

/** Selects the configured hooks for a call, and interprets their output (runtime.md, Hooks). Pure. */

export type HookMoment = 'PreToolUse' | 'PostToolUse';

/** A shell command that runs before or after calls. */
export interface Hook {
  command: string;
  /** Tool names separated by `|`; `*` stands for any text. Default: every tool. */
  match?: string;
  /** Seconds until its process group is killed; 60 by default. */
  timeout?: number;
  /** Whether a failure of the hook itself denies the call. */
  failClosed?: boolean;
}

/** Hooks as configured, in the order in which they run. */
export type Hooks = { readonly [moment in HookMoment]?: readonly (string | Hook)[] };

/** What hooks said about a call. */
export interface HookOutcome {
  /** Why the call is denied. */
  denied?: string;
  messages: string[];
  /** Failures of hooks, reported to the model. */
  warnings: string[];
}

/** How a hook ended. */
type HookEnd = { ended: GroupEnd; stdout: string; stderr: string };

/** Lists the hooks of this moment that match a tool. @param tool the tool's name in the runtime */
export function listMatchingHooks(hooks: Hooks, moment: HookMoment, tool: string): Hook[] {
  const listed = (hooks[moment] ?? []).map((hook) => (typeof hook === 'string' ? { command: hook } : hook));
  return listed.filter(({ match }) => match === undefined || match.split('|').some((one) => fits(one.trim(), tool)));
}

const fits = (pattern: string, tool: string): boolean =>
  findToolName(pattern, [tool]) === tool || (pattern !== '' && createGlobTest([pattern.toLowerCase()])(tool));

/**
 * Interprets how a hook ended. Exit 0 permits the call unless the JSON output blocks it; exit 2 denies it; anything
 * else is a failure of the hook.
 */
export function readOutcome(moment: HookMoment, tool: string, hook: Hook, end: HookEnd): HookOutcome {
  const parsed = parseOrNull(end.stdout);
  const said = isRecord(parsed) ? listMessages(parsed) : [end.stdout.trim()].filter((text) => text !== '');
  const { ended } = end;
  if (ended.end === 'exit' && (ended.code === 0 || ended.code === 2)) {
    const isBlocked = isRecord(parsed) && (parsed['decision'] === 'block' || parsed['continue'] === false);
    if (ended.code === 0 && !isBlocked) return { messages: said, warnings: [] };
    const why = said.length > 0 ? said.join('\n') : end.stderr.trim();
    return { denied: why || `${moment} hook denied tool \`${tool}\``, messages: [], warnings: [] };
  }
  const why = end.stderr.trim() || said.join('\n');
  const failure = `${moment} hook \`${hook.command}\` ${describeCommandFailure(ended)}${why === '' ? '' : `: ${why}`}`;
  return hook.failClosed === true
    ? { denied: failure, messages: [], warnings: [] }
    : { messages: [], warnings: [failure] };
}

/** Lists the messages in a hook's JSON, without duplicates. */
function listMessages(said: Record<string, unknown>): string[] {
  const specific = said['hookSpecificOutput'];
  const texts = [said['reason'], said['systemMessage'], isRecord(specific) ? specific['additionalContext'] : null];
  const held = texts.flatMap((text) => (typeof text === 'string' && text.trim() !== '' ? [text.trim()] : []));
  return [...new Set(held)];
}

/**
 * Appends what hooks said to a call's result. A hook that denies the call only after it ran cannot undo it, so the
 * result is merely marked as an error.
 * @param outcomes the outcomes of the hooks before and after the call
 */
export function appendFeedback(result: ToolResult, ...outcomes: readonly HookOutcome[]): ToolResult {
  const denials = outcomes.flatMap(({ denied }) => denied ?? []);
  const lines = [...outcomes.flatMap(({ messages, warnings }) => [...messages, ...warnings]), ...denials];
  if (lines.length === 0) return result;
  const isDenied = denials.length > 0;
  const feedback = [`Hook feedback${isDenied ? ' (denied)' : ''}:`, ...lines].join('\n');
  const output = result.output === '' ? feedback : `${result.output}\n\n${feedback}`;
  return { ...result, output, isError: result.isError || isDenied };
}
