import { isRecord } from '../../../base/json.js';
import { type PreparedCondition, prepareCondition } from '../../../recipe/conditions/conditions.js';
import { listNamePaths } from '../../../recipe/conditions/paths.js';
import { type Declared, listCandidateValues, WHOLE } from './candidates.js';

/**
 * A value that conditions read, with just enough candidates to distinguish all conditions: exploring them explores
 * every outcome of every condition, and two conditions about one value never contradict each other.
 */
export interface Value {
  /** The names that lead to the value, such as `size`, or `agents`, `judge`, `verdict`. */
  path: readonly string[];
  /** The candidates. Null comes first if the value can be unset. */
  values: readonly unknown[];
}

/** A condition and the values that it reads. */
export interface Condition {
  source: string;
  /** The values that the condition reads, as indices into the list of all values. */
  looksAt: readonly number[];
  /**
   * Returns whether it holds for these values, given in the order of `looksAt`. A condition that cannot be evaluated
   * does not hold.
   */
  holds(values: readonly unknown[]): boolean;
  /** Like `holds`, but takes the index of each value among its candidates, and caches results. */
  holdsAt(indices: readonly number[]): boolean;
}

/**
 * Functions for whose arguments there are candidates; a condition with any other function, or with an item of a list,
 * is tried as true and as false.
 */
const KNOWN_CALLS = ['size', 'contains', 'startsWith', 'endsWith', 'containsWord'];
/** Maximum combinations that are compared to find values that no condition distinguishes. */
const COMBINATIONS = 400;

/** Finds the values that a recipe's conditions read. */
export function findValues(
  recipe: Declared,
  sources: readonly string[],
): { values: readonly Value[]; conditions: ReadonlyMap<string, Condition> } {
  const found = [...new Set(sources)].map((source) => ({ source, ...read(source) }));
  const paths = new Map(found.flatMap(({ paths: own }) => own).map((path) => [path.join('\n'), path]));
  const index = new Map([...paths.keys()].map((key, at) => [key, at]));
  const values = [...paths.values()].map((path): Value => {
    const literals = found
      .filter(({ paths: own }) => own.some((one) => one.join('\n') === path.join('\n')))
      .flatMap(({ prepared }) => listLiterals(prepared.ast));
    return { path, values: listCandidateValues(recipe, path, literals) };
  });
  let merged: readonly Value[] = values;
  const conditions = found.map(({ source, paths: own, prepared }): Condition => {
    const looksAt = own.map((path) => index.get(path.join('\n')) as number);
    const holds = remember((given) => evaluate(prepared, own, given));
    const holdsAt = byIndex((indices) => holds(indices.map((at, place) => merged[looksAt[place] ?? 0]?.values[at])));
    return { source, looksAt, holds, holdsAt };
  });
  merged = values.map((value, at) => ({ ...value, values: mergeAlike(values, at, conditions) }));
  return {
    values: merged,
    conditions: new Map(conditions.map((condition) => [condition.source, condition])),
  };
}

function byIndex(find: (indices: readonly number[]) => boolean): (indices: readonly number[]) => boolean {
  const known = new Map<string, boolean>();
  return (indices) => {
    const key = indices.join();
    const before = known.get(key);
    if (before !== undefined) return before;
    const decided = find(indices);
    known.set(key, decided);
    return decided;
  };
}

function read(source: string): { prepared: PreparedCondition; paths: (readonly string[])[] } {
  const prepared = prepareCondition(source);
  if (!isPlain(prepared.ast)) return { prepared, paths: [[WHOLE, source]] };
  const paths = [...listNamePaths(prepared.ast), ...listSingleNames(prepared.ast).map((name) => [name])];
  return { prepared, paths: [...new Map(paths.map((path) => [path.join('\n'), path])).values()] };
}

function isPlain(node: unknown): boolean {
  if (Array.isArray(node)) return node.every(isPlain);
  if (!isRecord(node) || typeof node['op'] !== 'string') return true;
  const args: unknown = node['args'];
  // There are no candidates for the items of a list.
  if (node['op'] === '[]' && !(Array.isArray(args) && isName(args[1]))) return false;
  if (node['op'] !== 'rcall' && node['op'] !== 'call') return isPlain(args);
  return Array.isArray(args) && KNOWN_CALLS.includes(String(args[0])) && isPlain(args.slice(1));
}

/** Whether what stands in brackets is a name, as in `blocks["look"]`. */
function isName(node: unknown): boolean {
  return isRecord(node) && node['op'] === 'value' && typeof node['args'] === 'string';
}

const SINGLE = ['size', 'goal', 'round', 'result'];

function listSingleNames(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(listSingleNames);
  if (!isRecord(node) || typeof node['op'] !== 'string') return [];
  if (node['op'] === 'id') return SINGLE.filter((name) => name === node['args']);
  return listSingleNames(node['args']);
}

function listLiterals(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(listLiterals);
  if (!isRecord(node) || typeof node['op'] !== 'string') return [];
  // The text in brackets is a name, not a literal.
  if (node['op'] === '[]' && Array.isArray(node['args'])) return listLiterals(node['args'][0]);
  if (node['op'] === '-_') return listLiterals(node['args']).map((one) => (typeof one === 'number' ? -one : one));
  if (node['op'] !== 'value') return listLiterals(node['args']);
  const literal = node['args'];
  return [typeof literal === 'bigint' ? Number(literal) : literal];
}

function evaluate(
  prepared: PreparedCondition,
  paths: readonly (readonly string[])[],
  given: readonly unknown[],
): boolean {
  if (paths[0]?.[0] === WHOLE) return given[0] === true;
  const scope: Record<string, unknown> = {};
  // Sets a nested value after the value that contains it.
  const order = paths.map((_, at) => at).sort((a, b) => (paths[a]?.length ?? 0) - (paths[b]?.length ?? 0));
  for (const at of order) setAt(scope, paths[at] ?? [], given[at]);
  try {
    return prepared.evaluate(scope);
  } catch {
    return false;
  }
}

function setAt(scope: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let holder = scope;
  for (const key of path.slice(0, -1)) {
    const inner = Object.hasOwn(holder, key) && isRecord(holder[key]) ? { ...holder[key] } : {};
    holder[key] = inner;
    holder = inner;
  }
  const last = path.at(-1);
  if (last !== undefined) holder[last] = value;
}

function remember(decide: (given: readonly unknown[]) => boolean): (given: readonly unknown[]) => boolean {
  const known = new Map<string, boolean>();
  return (given) => {
    const key = JSON.stringify(given);
    const before = known.get(key);
    if (before !== undefined) return before;
    const decided = decide(given);
    known.set(key, decided);
    return decided;
  };
}

/** Keeps only the first of several candidates that no condition distinguishes; always keeps null. */
function mergeAlike(all: readonly Value[], at: number, conditions: readonly Condition[]): unknown[] {
  const { path = [], values: own = [] } = all[at] ?? {};
  // A candidate for rounds stands for all numbers up to the next candidate, and a status occurs even if no condition
  // distinguishes it; so neither kind is merged.
  if (path[0] === 'round' || (path[0] === 'blocks' && path[2] === 'rounds')) return [...own];
  if ((path[0] === 'blocks' || path[0] === 'agents') && path[2] === 'status') return [...own];
  const about = conditions.filter(({ looksAt }) => looksAt.includes(at));
  const seen = new Set<string>();
  return own.filter((value) => {
    if (value === null) return true;
    const signature = about.map(({ looksAt, holds }) => {
      const others = looksAt.map((index) => (index === at ? [value] : (all[index]?.values ?? [])));
      const size = others.reduce((product, { length }) => product * length, 1);
      return size > COMBINATIONS ? JSON.stringify(value) : combine(others).map((given) => (holds(given) ? '1' : '0'));
    });
    const key = JSON.stringify(signature);
    return !seen.has(key) && seen.add(key);
  });
}

/** Returns all combinations of one element of each list. */
function combine(choices: readonly (readonly unknown[])[]): unknown[][] {
  return choices.reduce<unknown[][]>(
    (before, options) => before.flatMap((taken) => options.map((option) => [...taken, option])),
    [[]],
  );
}
