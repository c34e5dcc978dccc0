import { type ParseError, parse } from 'jsonc-parser';
import { isRecord } from '../../../base/json.js';
import { HARNESSES, type HarnessId } from '../harness.js';

/**
 * What a harness cannot use in the settings that `install` shares with it (harness.md, Doctor). Tried with the programs
 * themselves: whole files are dropped for some faults, and for others the entry alone.
 */

/** Something that a harness cannot use. */
export interface FormFault {
  /** `path: what is wrong`. */
  what: string;
  /** The first version that was seen to pass over the entry alone; absent where each drops the whole file. */
  borneSince?: string;
}

/** Lists what a harness cannot use. @param text settings that `parseSettings` reads; any other has no faults here */
export function listFormFaults(harness: HarnessId, text: string): FormFault[] {
  const errors: ParseError[] = [];
  const settings: unknown = parse(text, errors, { allowTrailingComma: true });
  if (!isRecord(settings) || errors.length > 0) return [];
  switch (harness) {
    case 'claude':
      return [...listSyntax(text, true), ...listClaudeFaults(settings)];
    case 'codex':
      return [...listSyntax(text, true), ...listCodexFaults(settings)];
    case 'gemini':
      return listSyntax(text, false);
  }
}

/** No harness takes a comma behind the last of a list or an object; not all take comments. */
function listSyntax(text: string, disallowComments: boolean): FormFault[] {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments, allowTrailingComma: false });
  return errors.length === 0 ? [] : [{ what: disallowComments ? 'comments or a last comma' : 'a last comma' }];
}

type Kind = 'text' | 'switch' | 'number' | 'object' | 'list';

const IS_OF: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  switch: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && value >= 0,
  object: isRecord,
  list: Array.isArray,
};

const NOT: Readonly<Record<Kind, string>> = {
  text: 'not a text',
  switch: 'not true or false',
  number: 'not a number',
  object: 'not an object',
  list: 'not a list',
};

/** What stands at a key is of a kind, or nothing stands there. */
function judge(object: Record<string, unknown>, key: string, kind: Kind, at = ''): FormFault[] {
  const value = object[key];
  return value === undefined || IS_OF[kind](value) ? [] : [{ what: `${at}${key}: ${NOT[kind]}` }];
}

/** Keys of Claude Code that are often set, with what it wants there; of others, and of those that it does not know, nothing is said. */
const CLAUDE_KEYS: Readonly<Record<string, Kind>> = {
  agent: 'text',
  alwaysThinkingEnabled: 'switch',
  apiKeyHelper: 'text',
  attribution: 'object',
  cleanupPeriodDays: 'number',
  disableAllHooks: 'switch',
  enableAllProjectMcpServers: 'switch',
  enabledPlugins: 'object',
  env: 'object',
  includeCoAuthoredBy: 'switch',
  language: 'text',
  model: 'text',
  outputStyle: 'text',
  permissions: 'object',
  respectGitignore: 'switch',
  sandbox: 'object',
  spinnerTipsEnabled: 'switch',
  statusLine: 'object',
};

/** The lists of rules below `permissions`. */
const RULES = ['allow', 'deny', 'ask'];

const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'manual', 'plan'];

function listClaudeFaults(settings: Record<string, unknown>): FormFault[] {
  return [
    ...Object.entries(CLAUDE_KEYS).flatMap(([key, kind]) => judge(settings, key, kind)),
    ...listClaudeRules(isRecord(settings['permissions']) ? settings['permissions'] : {}),
    ...listClaudeHooks(settings['hooks']),
  ];
}

function listClaudeRules(permissions: Record<string, unknown>): FormFault[] {
  const { defaultMode, additionalDirectories: directories } = permissions;
  const isMode = defaultMode === undefined || MODES.some((mode) => mode === defaultMode);
  const isUsable = !Array.isArray(directories) || directories.every((one) => typeof one === 'string');
  return [
    ...(isMode ? [] : [{ what: 'permissions.defaultMode: not a mode' }]),
    ...judge(permissions, 'additionalDirectories', 'list', 'permissions.'),
    ...(isUsable ? [] : [{ what: 'permissions.additionalDirectories: not a list of texts' }]),
    ...RULES.flatMap((key): FormFault[] => {
      const rules = permissions[key];
      if (!Array.isArray(rules)) return judge(permissions, key, 'list', 'permissions.');
      return rules.flatMap((rule: unknown, at) =>
        typeof rule === 'string' ? [] : [{ what: `permissions.${key}[${at}]: not a text`, borneSince: '2.1.47' }],
      );
    }),
  ];
}

function listClaudeHooks(hooks: unknown): FormFault[] {
  if (hooks === undefined) return [];
  if (!isRecord(hooks)) return [{ what: 'hooks: not an object', borneSince: '2.1.328' }];
  return Object.entries(hooks).flatMap(([event, groups]): FormFault[] => {
    if (!Array.isArray(groups)) return [{ what: `hooks.${event}: not a list`, borneSince: '2.1.157' }];
    return groups
      .flatMap((group: unknown, at) => listGroupFaults(group, `hooks.${event}[${at}]`, CLAUDE_HOOKS))
      .map((what) => ({ what, borneSince: '2.1.257' }));
  });
}

/** The events of Codex CLI that dev-cli hooks into; it bears others, and drops the file for a key that it does not know beside `hooks`. */
function listCodexFaults({ hooks, description: _, ...others }: Record<string, unknown>): FormFault[] {
  const unknown = Object.keys(others).map((key) => ({ what: `${key}: not known` }));
  if (hooks === undefined) return unknown;
  if (!isRecord(hooks)) return [...unknown, { what: 'hooks: not an object' }];
  const known = Object.entries(hooks).flatMap(([event, groups]): FormFault[] => {
    if (!CODEX_EVENTS.includes(event)) return [];
    if (!Array.isArray(groups)) return [{ what: `hooks.${event}: not a list` }];
    return groups
      .flatMap((group: unknown, at) => listGroupFaults(group, `hooks.${event}[${at}]`, CODEX_HOOKS))
      .map((what) => ({ what }));
  });
  return [...unknown, ...known];
}

const CODEX_EVENTS = Object.values(HARNESSES.codex.hooks).map(({ native }) => native);

/** Where the two harnesses that share the form of hooks differ. */
interface HookForm {
  /** The types that it knows; absent: of one that it does not know, only the entry is passed over. */
  types?: readonly string[];
  /** Whether a group may go without a list of hooks. */
  mayBeEmpty: boolean;
  isTimeout: (seconds: number) => boolean;
}

const CLAUDE_HOOKS: HookForm = { mayBeEmpty: false, isTimeout: (seconds) => seconds > 0 };
const CODEX_HOOKS: HookForm = {
  types: ['command', 'mcp_tool', 'prompt', 'agent'],
  mayBeEmpty: true,
  isTimeout: (seconds) => Number.isSafeInteger(seconds) && seconds >= 0,
};

/** What is wrong with a group of hooks, in the form that Claude Code and Codex CLI share. */
function listGroupFaults(group: unknown, at: string, form: HookForm): string[] {
  if (!isRecord(group)) return [`${at}: not an object`];
  const { matcher, hooks = form.mayBeEmpty ? [] : undefined } = group;
  const faults = matcher === undefined || typeof matcher === 'string' ? [] : [`${at}.matcher: not a text`];
  if (!Array.isArray(hooks)) return [...faults, `${at}.hooks: not a list`];
  return [...faults, ...hooks.flatMap((hook: unknown, n) => listHookFaults(hook, `${at}.hooks[${n}]`, form))];
}

function listHookFaults(hook: unknown, at: string, { types, isTimeout }: HookForm): string[] {
  if (!isRecord(hook)) return [`${at}: not an object`];
  const { type, command, timeout } = hook;
  if (typeof type !== 'string') return [`${at}.type: not a text`];
  if (types !== undefined && !types.includes(type)) return [`${at}.type: not known`];
  return [
    ...(type === 'command' && typeof command !== 'string' ? [`${at}.command: not a text`] : []),
    ...(timeout === undefined || (typeof timeout === 'number' && isTimeout(timeout))
      ? []
      : [`${at}.timeout: not a number of seconds`]),
  ];
}
