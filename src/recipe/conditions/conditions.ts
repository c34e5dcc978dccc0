// door: conditions

import type { ASTNode } from '@marcbachmann/cel-js';
import { DevCliError } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import { createEnvironment, expandSugar, loadCel, MAX_LENGTH, ROOT_NAMES, summarizeError } from './language.js';
import { listNamePaths } from './paths.js';
import { evaluatePlain } from './plain.js';

/**
 * Evaluates a condition (recipes.md §2). A name missing from the scope is null, an operation on null gives null, and a
 * condition that is null is false.
 * @param scope `mode`, `vars`, `goal`, `preferences`, `round`, `size`, `draft`, `agents`, `blocks`, `result`; for a
 * handler also `todo`
 * @throws DevCliError `RECIPE_INVALID` when the condition does not parse, cannot be evaluated, or is not a boolean
 */
export function evaluateCondition(source: string, scope: Readonly<Record<string, unknown>>): boolean {
  return evaluatePlain(source, scope) ?? prepareCondition(source).evaluate(scope);
}

/** A condition that is parsed once and evaluated for many scopes. */
export interface PreparedCondition {
  /** The condition's syntax tree, which paths.ts reads. */
  ast: ASTNode;
  /** Evaluates like `evaluateCondition`. */
  evaluate(scope: Readonly<Record<string, unknown>>): boolean;
}

/**
 * Parses a condition.
 * @throws DevCliError `RECIPE_INVALID` when it does not parse
 */
export function prepareCondition(source: string): PreparedCondition {
  if (source.length > MAX_LENGTH) throw buildConditionError(source, `it has more than ${MAX_LENGTH} characters`);
  const environment = createEnvironment();
  for (const name of ROOT_NAMES) environment.registerVariable(name, 'dyn');
  const expression = attempt(source, () => environment.parse(expandSugar(source)));
  return {
    ast: expression.ast,
    evaluate(scope) {
      let value: unknown;
      try {
        value = expression(toCelValue(completeScope(scope, expression.ast)) as Record<string, unknown>);
      } catch (error) {
        if (isAboutNull(error)) return false;
        throw buildConditionError(source, summarizeError(error), error);
      }
      if (typeof value === 'boolean') return value;
      if (value === null || value === undefined) return false;
      throw buildConditionError(source, 'it is neither true nor false');
    },
  };
}

function attempt<T>(source: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw buildConditionError(source, summarizeError(error), error);
  }
}

/** Completes the scope with null for every name that the expression uses and the scope does not set. */
function completeScope(scope: Readonly<Record<string, unknown>>, ast: ASTNode): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const name of ROOT_NAMES) whole[name] = scope[name] ?? null;
  for (const path of listNamePaths(ast)) if (path[0] !== undefined && path[0] in whole) setNull(whole, path);
  return whole;
}

function setNull(scope: Record<string, unknown>, path: readonly string[]): void {
  let holder = scope;
  for (const [index, key] of path.entries()) {
    const present = Object.hasOwn(holder, key) ? holder[key] : undefined;
    const last = index === path.length - 1;
    if (last && present === undefined) holder[key] = null;
    if (last || (present !== null && present !== undefined && !isRecord(present))) return;
    holder[key] = { ...present };
    holder = holder[key] as Record<string, unknown>;
  }
}

/** Converts whole numbers to BigInt, as the library requires. */
function toCelValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCelValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toCelValue(member)]));
}

function buildConditionError(source: string, why: string, cause?: unknown): DevCliError {
  return new DevCliError(
    'RECIPE_INVALID',
    `The condition ${JSON.stringify(source.slice(0, 200))} cannot be evaluated: ${why}.`,
    {
      fix: ['Correct the condition in the recipe. To find it: ', { command: 'recipe lint', input: {} }],
      cause,
    },
  );
}

/**
 * Whether an operation failed because an operand was null; the library's message names the operand types. A missing
 * entry of a list or map counts as null, too.
 */
function isAboutNull(error: unknown): boolean {
  return error instanceof loadCel().EvaluationError && /\bnull\b|^No such key: /.test(summarizeError(error));
}
