import { isRecord } from '../../base/json.js';
import { prepareCondition } from './conditions.js';
import { readNamePath } from './paths.js';

/**
 * Finds conditions that can never hold (recipes.md §2). It tries every combination of values that could make a
 * difference. A condition that does more than compare, or needs too many tries, counts as satisfiable.
 */

/** The largest number of tries for one condition. */
const MOST = 5_000;
/** Values tried besides those in the condition: a text no condition contains, booleans, unset (null), and numbers. */
const OTHERS = ['\u0001', true, false, null, 0, 1];

/**
 * Finds why a condition can never hold: it is a false constant, or contradicts itself.
 * @returns null if it may hold
 * @throws DevCliError `RECIPE_INVALID` when the condition does not parse
 */
export function findImpossible(condition: string): 'constant' | 'contradiction' | null {
  const { ast, evaluate } = prepareCondition(condition);
  const paths = new Map<string, string[]>();
  const values = new Set<unknown>(OTHERS);
  if (!collect(ast, paths, values)) return null;
  const places = [...paths.values()];
  const isNested = places.some((one) => places.some((other) => other.length > one.length && startsWith(other, one)));
  const numbers = [...values].filter((value) => typeof value === 'number');
  const candidates = [...values, ...spread(numbers)];
  const tries = candidates.length ** places.length;
  if (isNested || tries > MOST) return null;
  for (let number = 0; number < tries; number += 1) {
    const scope = {};
    for (const [index, path] of places.entries()) {
      put(scope, path, candidates[Math.floor(number / candidates.length ** index) % candidates.length]);
    }
    if (holds(evaluate, scope)) return null;
  }
  return places.length === 0 ? 'constant' : 'contradiction';
}

/** Whether a condition holds; false if the values cannot be compared because their types do not match. */
function holds(evaluate: (scope: Record<string, unknown>) => boolean, scope: Record<string, unknown>): boolean {
  try {
    return evaluate(scope);
  } catch {
    return false;
  }
}

/** Collects the paths in an expression and the literals it names; false if the expression does more than compare. */
function collect(node: unknown, paths: Map<string, string[]>, values: Set<unknown>): boolean {
  if (!isRecord(node)) return false;
  const path = readNamePath(node);
  if (path !== null) {
    paths.set(path.join('\0'), path);
    return true;
  }
  const { op, args } = node;
  if (op === 'value') {
    values.add(typeof args === 'bigint' ? Number(args) : args);
    return true;
  }
  const parts = Array.isArray(args) ? args : [args];
  if (op === 'in') {
    const [one, list] = parts;
    return (
      isRecord(list) &&
      list['op'] === 'list' &&
      [one, list['args']].flat().every((part) => collect(part, paths, values))
    );
  }
  return COMPARING.includes(String(op)) && parts.every((one) => collect(one, paths, values));
}

const COMPARING = ['&&', '||', '!_', '==', '!=', '<', '<=', '>', '>='];

/** Lists more numbers to try: one below the given ones, one above them, and one between each two neighbours. */
function spread(numbers: readonly number[]): number[] {
  const sorted = numbers.toSorted((one, other) => one - other);
  const between = sorted.slice(1).map((number, index) => (number + (sorted[index] ?? 0)) / 2);
  return sorted.length === 0 ? [] : [(sorted[0] ?? 0) - 1, ...between, (sorted.at(-1) ?? 0) + 1];
}

const startsWith = (path: readonly string[], start: readonly string[]) => start.every((name, at) => path[at] === name);

function put(scope: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) scope[name] = value;
  else {
    const inside = isRecord(scope[name]) ? scope[name] : {};
    scope[name] = inside;
    put(inside, rest, value);
  }
}
