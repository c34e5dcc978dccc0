import { isRecord } from '../../base/json.js';

/** What Claude Code cannot use in its settings, as far as hooks and permissions go (harness.md, Doctor). */

/** The lists of rules below `permissions`. */
const RULES = ['allow', 'deny', 'ask', 'additionalDirectories'];

/**
 * Lists entries that have another form than Claude Code takes, each as `path: what is wrong`. Keys that it does not know it passes
 * over, and so does this.
 */
export function listInvalidEntries(settings: Record<string, unknown>): string[] {
  return [...listInvalidHooks(settings['hooks']), ...listInvalidRules(settings['permissions'])];
}

function listInvalidHooks(hooks: unknown): string[] {
  if (hooks === undefined) return [];
  if (!isRecord(hooks)) return ['hooks: not an object'];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    Array.isArray(groups)
      ? groups.flatMap((group: unknown, at) => listInvalidGroup(group, `hooks.${event}[${at}]`))
      : [`hooks.${event}: not a list`],
  );
}

function listInvalidGroup(group: unknown, at: string): string[] {
  if (!isRecord(group)) return [`${at}: no object`];
  const { matcher, hooks } = group;
  const faults = matcher === undefined || typeof matcher === 'string' ? [] : [`${at}.matcher: not a text`];
  if (!Array.isArray(hooks)) return [...faults, `${at}.hooks: not a list`];
  return [...faults, ...hooks.flatMap((hook: unknown, index) => listInvalidHook(hook, `${at}.hooks[${index}]`))];
}

function listInvalidHook(hook: unknown, at: string): string[] {
  if (!isRecord(hook)) return [`${at}: no object`];
  const { type, command, timeout } = hook;
  if (typeof type !== 'string') return [`${at}.type: not a text`];
  return [
    ...(type === 'command' && typeof command !== 'string' ? [`${at}.command: not a text`] : []),
    ...(timeout === undefined || (typeof timeout === 'number' && timeout > 0) ? [] : [`${at}.timeout: not a number`]),
  ];
}

function listInvalidRules(permissions: unknown): string[] {
  if (permissions === undefined) return [];
  if (!isRecord(permissions)) return ['permissions: not an object'];
  return RULES.flatMap((name) => {
    const rules = permissions[name];
    if (rules === undefined) return [];
    if (!Array.isArray(rules)) return [`permissions.${name}: not a list`];
    return rules.flatMap((rule: unknown, at) =>
      typeof rule === 'string' ? [] : [`permissions.${name}[${at}]: not a text`],
    );
  });
}
