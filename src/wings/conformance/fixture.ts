import type { Json, JsonObject } from '../../base/json.js';
import { parsePath, REFERENCE } from './paths.js';

/** Parses a suite's fixtures: what each case sets up, calls and expects (neutral.md, Fixtures). */

/** An expected value: a scalar, or a matcher. */
export type ExpectedValue = null | boolean | number | string | Matcher;

/** `type` matchers exist in both formats, the others only in the second. */
export type Matcher =
  | {
      type: 'iso8601' | 'string' | 'number' | 'boolean';
      min?: number;
      max?: number;
      minLength?: number;
      pattern?: string;
    }
  | { equals: Json }
  | { keys: string[] }
  | { contains: Json }
  | { absent: true }
  | { ref: string };

/**
 * An expected file: null if it must not exist, `same` if the call must not change it, an exact text, or values by path.
 */
export type ExpectedFile = null | 'same' | { text: string } | Record<string, ExpectedValue>;

/** The expected result of a call. */
interface Expectation {
  returns: Record<string, ExpectedValue>;
  files: Record<string, ExpectedFile>;
  /** Whether the call must be refused. */
  error: boolean;
  errorContains?: string;
}

export interface CaseStep {
  kind: 'tool' | 'event';
  name: string;
  params: JsonObject;
  expects: Expectation;
}

/** A case of either format. */
export interface Case {
  id: string;
  description: string;
  suite: string;
  /** The folder of the case's file, and the path of the file, both relative to the suite. */
  folder: string;
  file: string;
  covers: { state_schemas?: Record<string, string[]>; return_value?: Record<string, string[]> };
  uncovered: string[];
  /** Requirements that the case proves. */
  requires: string[];
  /** Whether the case tests a decision of dev-cli on something that the contract leaves open. */
  strict: boolean;
  git: string;
  /** Files to create before the first call: JSON, or text. */
  before: Record<string, { json: Json } | { text: string }>;
  steps: CaseStep[];
}

/** A call as its fixture contains it, with its expectations. */
interface Called {
  action?: { tool: string; params: JsonObject };
  event?: { type: string; params?: JsonObject };
  assert_return?: Record<string, ExpectedValue>;
  assert_state?: Record<string, ExpectedFile>;
  error?: boolean;
  error_contains?: string;
}

/** A case as its fixture contains it, valid by the schema of its format. */
interface Written extends Called {
  test_id: string;
  description: string;
  covers?: Case['covers'];
  uncovered_params?: string[];
  requires?: string[];
  strict?: boolean;
  precondition?: { state_files?: Record<string, Json>; text?: Record<string, string>; git?: string };
  steps?: Called[];
  postcondition?: {
    return_value?: Record<string, ExpectedValue>;
    state_files?: Record<string, ExpectedFile>;
    error?: boolean;
    error_contains?: string;
  };
}

/** The default branch of a case. It has no commits yet, and its name contains a slash. */
const BRANCH = 'conformance/case';

/** Parses a case. @param written the fixture @param harness the id that replaces `{HARNESS_ID}` */
export function readCase(written: unknown, at: Pick<Case, 'suite' | 'folder' | 'file'>, harness: string): Case {
  const one = replaceTokens(written as Json, harness) as unknown as Written;
  const { precondition = {}, postcondition = {}, steps: listed = [one], ...rest } = one;
  const steps = listed.map((step, n) => toStep(step, n === listed.length - 1 ? postcondition : {}));
  for (const [n, { params, expects }] of steps.entries()) {
    requireSound(params, n);
    requireSound([expects.returns, expects.files], n + 1);
  }
  const json = Object.entries(precondition.state_files ?? {}).filter(([, value]) => value !== null);
  const expected = steps.flatMap(({ expects }) => Object.keys(expects.files));
  for (const path of [...json.map(([at]) => at), ...Object.keys(precondition.text ?? {}), ...expected]) {
    if (!isInside(path)) throw new Error(`${path} leads out of the directory of a case`);
  }
  return {
    ...at,
    id: rest.test_id,
    description: rest.description,
    covers: rest.covers ?? {},
    uncovered: rest.uncovered_params ?? [],
    requires: rest.requires ?? [],
    strict: rest.strict === true,
    git: precondition.git ?? BRANCH,
    before: {
      ...Object.fromEntries(json.map(([path, value]) => [path, { json: value }])),
      ...Object.fromEntries(Object.entries(precondition.text ?? {}).map(([path, text]) => [path, { text }])),
    },
    steps,
  };
}

/** @param after expectations to add to those of the step; for the last step only */
function toStep(step: Called, after: NonNullable<Written['postcondition']>): CaseStep {
  const { action, event } = step;
  const returns = { ...step.assert_return, ...after.return_value };
  const errorContains = after.error_contains ?? step.error_contains;
  const says = Object.keys(returns).some((path) => path === '$.error' || path.startsWith('$.error.'));
  const expects: Expectation = {
    returns,
    files: { ...step.assert_state, ...after.state_files },
    error: step.error === true || after.error === true || errorContains !== undefined || says,
    ...(errorContains !== undefined && { errorContains }),
  };
  if (action !== undefined) return { kind: 'tool', name: action.tool, params: action.params, expects };
  return { kind: 'event', name: event?.type ?? '', params: event?.params ?? {}, expects };
}

/**
 * Checks the patterns and references in an expected value.
 * @param answered how many earlier steps a reference can name here
 * @throws Error for an invalid pattern or reference
 */
function requireSound(value: unknown, answered: number): void {
  if (typeof value !== 'object' || value === null) return;
  const { ref, type, pattern } = value as Record<string, unknown>;
  if (type === 'string' && typeof pattern === 'string') new RegExp(pattern);
  if (typeof ref === 'string' && Object.keys(value).length === 1) {
    const [, step = '', path = ''] = REFERENCE.exec(ref) ?? [];
    if (step === '' || Number(step) < 1 || Number(step) > answered) throw new Error(`${ref} refers to no earlier step`);
    parsePath(path);
  }
  for (const [key, member] of Object.entries(value)) {
    if (key !== 'equals' && key !== 'contains') requireSound(member, answered);
  }
}

function isInside(path: string): boolean {
  return !/^[/\\]|^[A-Za-z]:|\0/.test(path) && !path.split(/[/\\]/).includes('..');
}

/** Returns whether a case expects nothing, so that it would pass whatever the server does. */
export function asksNothing({ steps }: Pick<Case, 'steps'>): boolean {
  return steps.every(
    ({ expects: { returns, files, error } }) => !error && Object.keys({ ...returns, ...files }).length === 0,
  );
}

const TOKEN = /\{([A-Z][A-Z_]*)\}/g;

/** @throws Error for an unknown token */
function replaceTokens(value: Json, harness: string): Json {
  const values: Readonly<Record<string, string>> = { STATE_ROOT: '.nexus/state', HARNESS_ID: harness };
  const replace = (text: string): string =>
    text.replace(TOKEN, (token, name: string) => {
      const found = values[name];
      if (found === undefined) throw new Error(`${token} is no token`);
      return found;
    });
  const walk = (one: Json): Json => {
    if (typeof one === 'string') return replace(one);
    if (Array.isArray(one)) return one.map(walk);
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(Object.entries(one).map(([key, member]) => [replace(key), walk(member)]));
  };
  return walk(value);
}
