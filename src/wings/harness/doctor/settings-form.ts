import { type ParseError, parse } from 'jsonc-parser';
import { omitUndefined } from '../../../base/defined.js';
import { isRecord } from '../../../base/json.js';

/**
 * Finds entries that a harness cannot use in the settings shared with `install` (harness.md, Doctor). The rules were
 * verified with the harnesses themselves: for some faults they drop the whole file, for others only the entry.
 */

/** An entry that a harness cannot use. */
export interface FormFault {
  /** In the form `path: what is wrong`. */
  what: string;
  /** The first version known to skip only the entry; absent if every version drops the whole file. */
  borneSince?: string;
}

/** Reports syntax that harnesses reject: no harness accepts a trailing comma, and not all accept comments. */
export function listSyntax(text: string, disallowComments: boolean): FormFault[] {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments, allowTrailingComma: false });
  return errors.length === 0 ? [] : [{ what: disallowComments ? 'comments or a trailing comma' : 'a trailing comma' }];
}

const KINDS = {
  text: { is: (value: unknown) => typeof value === 'string', not: 'not a text' },
  switch: { is: (value: unknown) => typeof value === 'boolean', not: 'not true or false' },
  number: { is: (value: unknown) => typeof value === 'number' && value >= 0, not: 'not a number' },
  object: { is: isRecord, not: 'not an object' },
  list: { is: Array.isArray, not: 'not a list' },
};
type Kind = keyof typeof KINDS;

/** Reports a value that does not have the expected kind; a missing value is not a fault. */
export function checkValueKind(object: Record<string, unknown>, key: string, kind: Kind, at = ''): FormFault[] {
  const value = object[key];
  return value === undefined || KINDS[kind].is(value) ? [] : [{ what: `${at}${key}: ${KINDS[kind].not}` }];
}

/** The differences between harnesses that use Claude Code's form of hooks. */
export interface HookForm {
  /** The hook types that the harness knows; absent if it skips only the entry of an unknown type. */
  types?: readonly string[];
  /** The events whose hooks the harness checks; absent if it checks all. */
  events?: readonly string[];
  /** Whether an entry of an event may come without its list `hooks`. */
  mayBeEmpty: boolean;
  isTimeout: (seconds: number) => boolean;
  /**
   * The first versions that skip only the faulty part instead of the whole file: all of `hooks` if it is not an object,
   * an event that is not a list, or one invalid entry.
   */
  borneSince?: { hooks: string; event: string; entry: string };
}

/** Lists the faults of hooks in Claude Code's form. */
export function listHooksFaults(hooks: unknown, form: HookForm): FormFault[] {
  const { events, borneSince: since } = form;
  const fault = (what: string, borneSince?: string): FormFault => ({ what, ...omitUndefined({ borneSince }) });
  if (hooks === undefined) return [];
  if (!isRecord(hooks)) return [fault('hooks: not an object', since?.hooks)];
  return Object.entries(hooks).flatMap(([event, groups]) => {
    if (events?.includes(event) === false) return [];
    if (!Array.isArray(groups)) return [fault(`hooks.${event}: not a list`, since?.event)];
    return groups
      .flatMap((group: unknown, at) => listGroupFaults(group, `hooks.${event}[${at}]`, form))
      .map((what) => fault(what, since?.entry));
  });
}

function listGroupFaults(group: unknown, at: string, form: HookForm): string[] {
  if (!isRecord(group)) return [`${at}: not an object`];
  const { matcher, hooks = form.mayBeEmpty ? [] : undefined } = group;
  const faults = matcher === undefined || typeof matcher === 'string' ? [] : [`${at}.matcher: not a string`];
  if (!Array.isArray(hooks)) return [...faults, `${at}.hooks: not a list`];
  return [...faults, ...hooks.flatMap((hook: unknown, n) => listHookFaults(hook, `${at}.hooks[${n}]`, form))];
}

function listHookFaults(hook: unknown, at: string, { types, isTimeout }: HookForm): string[] {
  if (!isRecord(hook)) return [`${at}: not an object`];
  const { type, command, timeout } = hook;
  if (typeof type !== 'string') return [`${at}.type: not a string`];
  if (types !== undefined && !types.includes(type)) return [`${at}.type: not known`];
  return [
    ...(type === 'command' && typeof command !== 'string' ? [`${at}.command: not a string`] : []),
    ...(timeout === undefined || (typeof timeout === 'number' && isTimeout(timeout))
      ? []
      : [`${at}.timeout: not a number of seconds`]),
  ];
}
