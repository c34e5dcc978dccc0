import { isRecord, isSameJson, type Json } from '../../base/json.js';
import type { Expected, Matcher } from './fixture.js';

/** What a case found to be otherwise. */
export interface Failure {
  /** What was looked at: a path in the reply, or a file and a path in it. */
  path: string;
  expected: string;
  actual: string;
  /** The requirement that it breaks, whatever the case is about. */
  requirement?: string;
}

/** What is expected of a call that was refused. */
export const NO_REFUSAL = 'no refusal';

/** Values that earlier steps answered, for `ref`. */
export type Replies = readonly Json[];

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;
const LONGEST = 200;

/** Checks values by path. @param about what the paths begin at, as failures have it @param ofReply its fields are a requirement */
export function checkValues(
  value: unknown,
  expected: Readonly<Record<string, Expected>>,
  about: string,
  replies: Replies,
  ofReply = false,
): Failure[] {
  return Object.entries(expected).flatMap(([path, wanted]): Failure[] => {
    const actual = follow(value, path);
    const misfit = findMisfit(actual, wanted, replies);
    if (misfit === null) return [];
    const isFields = isRecord(wanted) && 'keys' in wanted && ofReply;
    return [
      {
        path: `${about}${path.slice(1)}`,
        expected: misfit,
        actual: show(actual),
        ...(isFields && { requirement: 'all.10' }),
      },
    ];
  });
}

/** The value at a path: `$`, `.name`, `[n]`, `[-1]`, `.length`; undefined where there is none. @throws Error for another path */
function follow(value: unknown, path: string): unknown {
  return readPath(path).reduce<unknown>((at, step) => {
    if (typeof step === 'number') return Array.isArray(at) ? at.at(step) : undefined;
    if (step === 'length' && (Array.isArray(at) || typeof at === 'string')) return at.length;
    return isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

/** The steps of a path. @throws Error */
export function readPath(path: string): (string | number)[] {
  const steps = [...path.slice(1).matchAll(/\.([A-Za-z_][\w-]*)|\[(-?\d+)\]/g)];
  const read = steps.map(([whole]) => whole).join('');
  if (!path.startsWith('$') || read !== path.slice(1)) throw new Error(`${path} is no path`);
  return steps.map(([, name, index]) => name ?? Number(index));
}

/** What was expected in place of a value; null where it fits. */
function findMisfit(actual: unknown, expected: Expected, replies: Replies): string | null {
  const fits = isRecord(expected) ? match(actual, expected, replies) : (actual ?? null) === expected;
  return fits ? null : describe(expected);
}

function match(actual: unknown, matcher: Matcher, replies: Replies): boolean {
  if ('equals' in matcher) return actual !== undefined && isSameJson(actual, matcher.equals);
  if ('keys' in matcher) return isRecord(actual) && isSameJson(Object.keys(actual).sort(), [...matcher.keys].sort());
  if ('absent' in matcher) return actual === undefined;
  if ('ref' in matcher) return isSameJson(actual, resolveReference(matcher.ref, replies));
  if ('contains' in matcher) {
    if (typeof actual === 'string') return actual.includes(String(matcher.contains));
    return Array.isArray(actual) && actual.some((one) => isSameJson(one, matcher.contains));
  }
  switch (matcher.type) {
    case 'iso8601':
      return typeof actual === 'string' && ISO.test(actual) && !Number.isNaN(Date.parse(actual));
    case 'string': {
      const { minLength = 0, pattern } = matcher;
      const fits = typeof actual === 'string' && actual.length >= minLength;
      return fits && (pattern === undefined || new RegExp(pattern).test(actual));
    }
    case 'number': {
      const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = matcher;
      return typeof actual === 'number' && actual >= min && actual <= max;
    }
    case 'boolean':
      return typeof actual === 'boolean';
  }
}

/** A value that an earlier step answered: `2:$.task.id`. @throws Error for a step that has not answered */
export function resolveReference(ref: string, replies: Replies): unknown {
  const [, step = '', path = ''] = /^(\d+):(\$.*)$/.exec(ref) ?? [];
  const reply = replies[Number(step) - 1];
  if (reply === undefined) throw new Error(`${ref} refers to no earlier step`);
  return follow(reply, path);
}

function describe(expected: Expected): string {
  if (!isRecord(expected)) return expected === null ? 'null, or nothing' : show(expected);
  if ('equals' in expected) return show(expected.equals);
  if ('keys' in expected) return `an object with exactly ${expected.keys.join(', ')}`;
  if ('absent' in expected) return 'nothing';
  return show(expected);
}

/** A value in one line, bounded. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
