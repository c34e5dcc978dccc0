import { isRecord } from '../../base/json.js';
import { VERDICTS } from '../../documents/report.js';
import { SIZES } from '../../documents/size-rules.js';
import { listPossibleWords } from '../../recipe/block-typing.js';
import { listClosedMembers, listReadableBlocks, type ReadableBlock, toSchema } from '../../recipe/block-values.js';
import { BUILTIN_PREFERENCES } from '../../recipe/builtin-preferences.js';
import { listPaths } from '../../recipe/condition-paths.js';
import { type PreparedCondition, prepareCondition } from '../../recipe/conditions.js';
import type { ResolvedRecipe } from '../../recipe/resolved.js';
import { needsVerdict } from '../../recipe/verdict.js';

/**
 * The values that conditions look at, each with as few values to try as tell all conditions apart: exploring them explores
 * every outcome of every condition, and two conditions about one value never contradict each other.
 */
export interface Value {
  /** The names that lead to it: `size`, or `agents`, `judge`, `verdict`. */
  path: readonly string[];
  /** Null, where it can be unset, is the first. */
  values: readonly unknown[];
}

/** A condition and the values that it looks at. */
export interface Condition {
  source: string;
  /** Indices into the values. */
  looksAt: readonly number[];
  /** Whether it holds for these values, given in the order of `looksAt`. What cannot be evaluated does not hold. */
  holds(values: readonly unknown[]): boolean;
  /** The same for the indices of values, remembered. */
  holdsAt(indices: readonly number[]): boolean;
}

/** Functions that the values to try are made for; a condition with others is tried as true and as false. */
const KNOWN_CALLS = ['size', 'contains', 'startsWith', 'endsWith', 'containsWord'];
/** Combinations of values that are compared at most, to find those that no condition tells apart. */
const COMBINATIONS = 400;
/** The status of an agent whose block is to be done again. */
export const STALE = 'stale';
/** The first name of the value of a condition that is tried as a whole. */
export const WHOLE = '?';

/** Finds the values of a recipe's conditions. */
export function findValues(
  recipe: Pick<ResolvedRecipe, 'blocks' | 'mode' | 'vars' | 'preferences'>,
  sources: readonly string[],
): { values: readonly Value[]; conditions: ReadonlyMap<string, Condition> } {
  const found = [...new Set(sources)].map((source) => ({ source, ...read(source) }));
  const paths = new Map(found.flatMap(({ paths: own }) => own).map((path) => [path.join('\n'), path]));
  const index = new Map([...paths.keys()].map((key, at) => [key, at]));
  const values = [...paths.values()].map((path): Value => {
    const literals = found
      .filter(({ paths: own }) => own.some((one) => one.join('\n') === path.join('\n')))
      .flatMap(({ prepared }) => listLiterals(prepared.ast));
    return { path, values: listCandidates(recipe, path, literals) };
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
  const paths = [...listPaths(prepared.ast), ...listSingleNames(prepared.ast).map((name) => [name])];
  return { prepared, paths: [...new Map(paths.map((path) => [path.join('\n'), path])).values()] };
}

function isPlain(node: unknown): boolean {
  if (Array.isArray(node)) return node.every(isPlain);
  if (!isRecord(node) || typeof node['op'] !== 'string') return true;
  const args: unknown = node['args'];
  if (node['op'] !== 'rcall' && node['op'] !== 'call') return isPlain(args);
  return Array.isArray(args) && KNOWN_CALLS.includes(String(args[0])) && isPlain(args.slice(1));
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
  // What stands in brackets is a name.
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
  // A value inside another one is set after it.
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

type Declared = Pick<ResolvedRecipe, 'blocks' | 'mode' | 'vars' | 'preferences'>;

function listCandidates(recipe: Declared, path: readonly string[], literals: readonly unknown[]): unknown[] {
  const [root = '', name = '', ...rest] = path;
  const texts = listTexts(literals.filter((one) => typeof one === 'string'));
  const numbers = listNumbers(literals.filter((one) => typeof one === 'number'));
  const count = numbers.filter((one) => one >= 0 && Number.isInteger(one));
  switch (root) {
    case WHOLE:
      return [true, false];
    case 'size':
      return [...SIZES];
    case 'mode':
      return recipe.mode[name] === undefined ? [...(OPEN_MODES[name] ?? texts)] : [recipe.mode[name]];
    case 'goal':
    case 'result':
      return ['', ...texts];
    case 'round':
      return count.filter((one) => one > 0);
    case 'vars':
      return unique([
        recipe.vars[name],
        ...(typeof recipe.vars[name] === 'string' ? texts : [...numbers, true, false]),
      ]);
    case 'preferences':
      return listPreferenceValues(recipe, name, texts, numbers);
    case 'todo':
      return TODO_WORDS[name] ?? texts;
    case 'draft':
      return rest[0] === 'filled' ? [true, false] : ['', ...texts];
    case 'agents':
      if (rest[0] === 'status') return [null, 'done', 'failed', STALE];
      if (rest[0] === 'verdict') return listVerdicts(recipe, name, texts);
      return rest[0] === 'questions' ? [null, ...count] : [null, ...texts];
    default:
      return listBlockValues(recipe, path.slice(1), { texts, numbers, count });
  }
}

/** Texts to try: those that are named, two of them in one, and another. */
function listTexts(named: readonly string[]): string[] {
  const words = unique(named);
  const joined =
    words.length > 4
      ? []
      : words.flatMap((one) => words.filter((other) => other !== one).map((two) => `${one} ${two}`));
  return unique([...words, ...joined, 'something else']);
}

/** Numbers to try, in order: around those that are named, and between them. */
function listNumbers(named: readonly number[]): number[] {
  const sorted = unique(named).sort((a, b) => a - b);
  const between = sorted.slice(1).map((one, at) => (one + (sorted[at] ?? one)) / 2);
  return unique([0, 1, ...between, ...sorted.flatMap((one) => [one - 1, one, one + 1])]).sort((a, b) => a - b);
}

/** What the verdict of an agent can be: where one is demanded, one of two words; none without a report. */
function listVerdicts({ blocks }: Declared, agent: string, texts: readonly string[]): unknown[] {
  const reports = blocks.flatMap((block) =>
    'agents' in block
      ? block.agents.flatMap(({ id, output }) => (id === agent && output !== undefined ? [{ block, output }] : []))
      : [],
  );
  if (reports.length === 0) return [null];
  const isDemanded = reports.every(({ block, output }) => needsVerdict(block, output));
  return [null, ...(isDemanded ? VERDICTS : texts)];
}

const TODO_WORDS: Readonly<Record<string, string[] | undefined>> = {
  type: ['work', 'verification'],
  risk: ['low', 'medium', 'high'],
};

const OPEN_MODES: Readonly<Record<string, readonly string[] | undefined>> = {
  depth: ['standard', 'quick'],
  interaction: ['interactive', 'autopilot'],
};

function listPreferenceValues(recipe: Declared, name: string, texts: string[], count: number[]): unknown[] {
  const spec = recipe.preferences[name] ?? BUILTIN_PREFERENCES[name];
  // `auto` is decided before a run begins.
  if (spec?.values !== undefined) return spec.values.filter((one) => name !== 'pull_request' || one !== 'auto');
  if (spec?.type === 'bool') return [spec.default === true, spec.default !== true];
  return unique([
    ...(spec?.default === undefined ? [null] : [spec.default]),
    ...(spec?.type === 'int' ? count : texts),
  ]);
}

function listBlockValues(
  recipe: Declared,
  path: readonly string[],
  { texts, numbers, count }: { texts: string[]; numbers: number[]; count: number[] },
): unknown[] {
  const member = path[1];
  if (member === 'status') return ['pending', 'done', 'skipped', 'failed'];
  if (member === 'rounds') return count;
  if (member === 'exit') return [null, ...count.filter((one) => one <= LARGEST_EXIT)];
  const blocks = listReadableBlocks(recipe.blocks);
  const words = listPossibleWords(blocks, path);
  if (words !== null) return [null, ...words];
  const lengths = count.filter((length) => length <= LONGEST);
  const ofType: Readonly<Record<ValueName, readonly unknown[]>> = {
    list: lengths.map((length) => Array.from({ length }, () => 'x')),
    bool: [true, false],
    string: [...texts, ...lengths.map((length) => 'x'.repeat(length))],
    int: numbers.filter(Number.isInteger),
    double: numbers,
  };
  const type = member === 'data' ? findType(blocks, path) : null;
  return [null, ...(type === null ? unique(Object.values(ofType).flat()) : ofType[type])];
}

/** The greatest exit status of a command. */
const LARGEST_EXIT = 255;
/** Items of a list, or characters of a text, that are tried at most. */
const LONGEST = 100;

type ValueName = 'list' | 'bool' | 'string' | 'int' | 'double';

const TYPES: Readonly<Record<string, ValueName | undefined>> = {
  array: 'list',
  boolean: 'bool',
  string: 'string',
  integer: 'int',
  number: 'double',
};

/** The type that a schema gives a value; null where it leaves that open. */
function findType(blocks: readonly ReadableBlock[], [id, _, ...keys]: readonly string[]): ValueName | null {
  const data = blocks.find((block) => block.id === id)?.data ?? {};
  const schema = keys.reduce((holder, key) => toSchema(listClosedMembers(holder)?.[key]), data);
  return typeof schema['type'] === 'string' ? (TYPES[schema['type']] ?? null) : null;
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Of values that no condition tells apart keeps the first; null is kept. */
function mergeAlike(all: readonly Value[], at: number, conditions: readonly Condition[]): unknown[] {
  const { path = [], values: own = [] } = all[at] ?? {};
  // A round stands for all up to the next; a block or an agent has a status whether or not any condition tells it apart.
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

/** Every way to take one of each. */
function combine(choices: readonly (readonly unknown[])[]): unknown[][] {
  return choices.reduce<unknown[][]>(
    (before, options) => before.flatMap((taken) => options.map((option) => [...taken, option])),
    [[]],
  );
}
