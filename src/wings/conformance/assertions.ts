import { isRecord, isSameJson, type Json } from '../../base/json.js';
import type { ExpectedValue, Matcher } from './fixture.js';
import { getValueAt, REFERENCE } from './paths.js';

/** A failed assertion of a case. */
export interface AssertionFailure {
  /** What was checked: a path in the reply, or a file and a path in it. */
  path: string;
  expected: string;
  actual: string;
  /** The requirement that the failure violates, if that is not one of those which the case names. */
  requirement?: string;
}

/** The expectation that a report shows if a call was refused unexpectedly. */
export const NO_REFUSAL = 'no refusal';

/** Replies of earlier steps, to which `ref` matchers refer. */
export type Replies = readonly Json[];

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;
const LONGEST = 200;

/**
 * Checks values by path.
 * @param about begins the paths in failures
 * @param ofReply whether a failed `keys` matcher violates the requirement on reply fields
 */
export function checkValues(
  value: unknown,
  expected: Readonly<Record<string, ExpectedValue>>,
  about: string,
  replies: Replies,
  ofReply = false,
): AssertionFailure[] {
  return Object.entries(expected).flatMap(([path, wanted]): AssertionFailure[] => {
    const actual = getValueAt(value, path);
    const misfit = findMisfit(actual, wanted, replies);
    if (misfit === null) return [];
    const isFields = isRecord(wanted) && 'keys' in wanted && ofReply;
    return [
      {
        path: `${about}${path.slice(1)}`,
        expected: misfit,
        actual: renderShortValue(actual),
        ...(isFields && { requirement: 'all.10' }),
      },
    ];
  });
}

/** Describes the expectation if a value does not meet it; null if it does. */
function findMisfit(actual: unknown, expected: ExpectedValue, replies: Replies): string | null {
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

/** Returns the value to which a reference such as `2:$.task.id` points in the reply of an earlier step. */
export function resolveReference(ref: string, replies: Replies): unknown {
  const [, step = '', path = ''] = REFERENCE.exec(ref) ?? [];
  return getValueAt(replies[Number(step) - 1], path);
}

function describe(expected: ExpectedValue): string {
  if (!isRecord(expected)) return expected === null ? 'null, or nothing' : renderShortValue(expected);
  if ('equals' in expected) return renderShortValue(expected.equals);
  if ('keys' in expected) return `an object with exactly ${expected.keys.join(', ')}`;
  if ('absent' in expected) return 'nothing';
  return renderShortValue(expected);
}

/** Renders a value on one line, cut to `LONGEST`. */
export function renderShortValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
