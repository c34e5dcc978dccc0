import { VERDICTS } from '../../../documents/report.js';
import { SIZES } from '../../../documents/size-rules.js';
import { listPossibleWords } from '../../../recipe/conditions/block-typing.js';
import {
  listClosedMembers,
  listReadableBlocks,
  type ReadableBlock,
  toSchema,
} from '../../../recipe/conditions/block-values.js';
import { needsVerdict } from '../../../recipe/declared.js';
import type { ResolvedRecipe } from '../../../recipe/resolved.js';
import { BUILTIN_PREFERENCES } from '../../../recipe/settings/builtin-preferences.js';

/**
 * Lists candidates for the values that conditions read; values.ts then drops candidates that no condition
 * distinguishes.
 */

/** The status of an agent whose block has to be redone. */
export const STALE = 'stale';
/** A condition that is not split into values is itself a value, true or false. Its path begins with this element. */
export const WHOLE = '?';

/** The parts of a recipe that determine possible values. */
export type Declared = Pick<ResolvedRecipe, 'blocks' | 'mode' | 'vars' | 'preferences'>;

/**
 * Lists the candidates of one value; null comes first if the value can be unset.
 * @param literals the literals in the conditions that read the value
 */
export function listCandidateValues(
  recipe: Declared,
  path: readonly string[],
  literals: readonly unknown[],
): unknown[] {
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

/** Lists the texts to try: the literals, every pair of them joined, and one other text. */
function listTexts(named: readonly string[]): string[] {
  const words = unique(named);
  const joined =
    words.length > 4
      ? []
      : words.flatMap((one) => words.filter((other) => other !== one).map((two) => `${one} ${two}`));
  return unique([...words, ...joined, 'something else']);
}

/** Lists the numbers to try, in ascending order: the given ones, their neighbours, and one between each two. */
function listNumbers(named: readonly number[]): number[] {
  const sorted = unique(named).sort((a, b) => a - b);
  const between = sorted.slice(1).map((one, at) => (one + (sorted[at] ?? one)) / 2);
  return unique([0, 1, ...between, ...sorted.flatMap((one) => [one - 1, one, one + 1])]).sort((a, b) => a - b);
}

/**
 * Lists an agent's possible verdicts: OKAY and REJECT if its report must have a verdict; none if it writes no report.
 */
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
  // `auto` is resolved before a run begins, so a condition never reads it.
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

/** The highest exit code of a command. */
const LARGEST_EXIT = 255;
/** Maximum items of a list, or characters of a text, to try. */
const LONGEST = 100;

type ValueName = 'list' | 'bool' | 'string' | 'int' | 'double';

const TYPES: Readonly<Record<string, ValueName | undefined>> = {
  array: 'list',
  boolean: 'bool',
  string: 'string',
  integer: 'int',
  number: 'double',
};

/** Returns the type that a schema gives a value; null if the schema leaves it open. */
function findType(blocks: readonly ReadableBlock[], [id, _, ...keys]: readonly string[]): ValueName | null {
  const data = blocks.find((block) => block.id === id)?.data ?? {};
  const schema = keys.reduce((holder, key) => toSchema(listClosedMembers(holder)?.[key]), data);
  return typeof schema['type'] === 'string' ? (TYPES[schema['type']] ?? null) : null;
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
