import type { ASTNode } from '@marcbachmann/cel-js';
import type { JsonObject } from '../../base/json.js';
import { findSuggestion } from '../../base/suggest.js';
import { SIZES } from '../../documents/size-rules.js';
import type { PreferenceSpec } from '../resolved.js';
import { listPossibleWords, typeBlocks } from './block-typing.js';
import { findValuePathFault, type ReadableBlock, type ReadPosition } from './block-values.js';
import {
  type CelEnvironment,
  createEnvironment,
  expandSugar,
  MAX_LENGTH,
  ROOT_NAMES,
  summarizeError,
} from './language.js';
import { listComparisons, listMatchPatterns, listNamePaths, listOrderings, usesWhole } from './paths.js';

/** The possible values of each part of a mode. */
const MODES: ReadonlyMap<string, readonly string[]> = new Map([
  ['depth', ['standard', 'quick']],
  ['interaction', ['interactive', 'autopilot']],
]);
/** The possible statuses of an agent (src/run/recipe-state.ts). */
const AGENT_WORDS: readonly string[] = ['pending', 'done', 'failed', 'stale'];

/** The names that a recipe's conditions may use. */
export interface DeclaredNames {
  /** Keys of `mode`. */
  mode: readonly string[];
  /** Vars with their defaults, which determine their types. */
  vars: JsonObject;
  /** Preferences by name. */
  preferences: Readonly<Record<string, PreferenceSpec>>;
  /** Sections under `draft`. */
  sections: readonly string[];
  /** Ids under `agents`. */
  agents: readonly string[];
  /** Blocks whose values may be read, in order; absent for conditions outside blocks. */
  blocks?: readonly ReadableBlock[];
  /** True for conditions of a handler: they see `todo {id, type, risk}` but no `size` (engine.md, Own handlers). */
  todo?: boolean;
  /** True for a phase's condition, which is evaluated before the phase runs and so sees no results (recipes.md §4). */
  phase?: boolean;
}

/** Names that only exist while a recipe runs. */
const WHILE_RUNNING: readonly string[] = ['round', 'size', 'draft', 'agents', 'blocks', 'result'];
/** The possible values of a todo's fields; null if any text is possible. */
const TODO: Record<'id' | 'type' | 'risk', readonly string[] | null> = {
  id: null,
  type: ['work', 'verification'],
  risk: ['low', 'medium', 'high'],
};

/**
 * Creates a checker for the conditions of one recipe. It returns a sentence for each fault of a condition (syntax,
 * undeclared names, types), and an empty list for a valid one.
 * @param at the position of the block whose condition it is
 */
export function createConditionChecker(declared: DeclaredNames): (source: string, at?: ReadPosition) => string[] {
  const environment = createTypedEnvironment(declared);
  return (source, at) => {
    if (source.length > MAX_LENGTH) return [`A condition has at most ${MAX_LENGTH} characters.`];
    const misplaced = at === undefined ? [] : findMisplaced(environment, source, declared.blocks ?? [], at);
    if (misplaced.length > 0) return misplaced;
    const result = environment.check(expandSugar(source));
    if (!result.valid) return [explain(result.error, declared) + explainOperators(source)];
    const { ast } = environment.parse(expandSugar(source));
    const faults = [
      ...findImpossibleWords(ast, declared),
      ...findOrderedWords(ast, declared),
      ...listMatchPatterns(ast).flatMap((one) => findPatternFault(one) ?? []),
    ];
    if (faults.length > 0) return faults;
    if (result.type === 'bool' || result.type === 'dyn') return [];
    return [`A condition is true or false; this one is of type ${result.type}.`];
  };
}

/** Reports block values that cannot be read at this position. */
function findMisplaced(
  environment: CelEnvironment,
  source: string,
  blocks: readonly ReadableBlock[],
  at: ReadPosition,
): string[] {
  let ast: ASTNode;
  try {
    ast = environment.parse(expandSugar(source)).ast;
  } catch {
    // `environment.check` reports the syntax error.
    return [];
  }
  if (usesWhole(ast, 'blocks')) return ['Name a block by its id in quotes: `blocks["ID"]`.'];
  const paths = listNamePaths(ast).flatMap(([root, ...path]) => (root === 'blocks' ? [path] : []));
  return [...new Set(paths.flatMap((path) => findValuePathFault(blocks, path, at) ?? []))];
}

function createTypedEnvironment(declared: DeclaredNames): CelEnvironment {
  const environment = createEnvironment();
  // Lets a condition compare a value of unknown type with null. Only this check needs it: at run time every value has
  // a definite type.
  environment.registerOperator('dyn == null', (value: unknown) => value === null);
  const each = <T>(names: readonly string[], type: T) => Object.fromEntries(names.map((name) => [name, type]));
  const schemas = {
    mode: each(declared.mode, 'string'),
    vars: Object.fromEntries(Object.entries(declared.vars).map(([name, value]) => [name, nameType(value)])),
    preferences: Object.fromEntries(
      Object.entries(declared.preferences).map(([name, spec]) => [name, namePreferenceType(spec)]),
    ),
    draft: each(declared.sections, { filled: 'bool', text: 'string' }),
    blocks: typeBlocks(declared.blocks ?? []),
    agents: each(declared.agents, { status: 'string', verdict: 'string', summary: 'string', questions: 'int' }),
  };
  for (const [name, schema] of Object.entries(schemas)) {
    if (isVisible(name, declared)) environment.registerVariable({ name, schema });
  }
  if (declared.todo) environment.registerVariable({ name: 'todo', schema: each(Object.keys(TODO), 'string') });
  environment.registerVariable('goal', 'string');
  if (declared.phase === true) return environment;
  if (isVisible('size', declared)) environment.registerVariable('size', 'string');
  return environment.registerVariable('round', 'int').registerVariable('result', 'string');
}

function isVisible(name: string, { todo, phase, blocks }: DeclaredNames): boolean {
  if (name === 'todo') return todo === true;
  if (name === 'blocks') return blocks !== undefined;
  if (name === 'size' && todo === true) return false;
  return phase !== true || !WHILE_RUNNING.includes(name);
}

/** Reports comparisons with words that the value can never be, since nothing else would reveal the mistake. */
function findImpossibleWords(ast: ASTNode, declared: DeclaredNames): string[] {
  return listComparisons(ast).flatMap(({ path, words }) => {
    const known = listKnownWords(path, declared);
    if (known === null) return [];
    return words
      .filter((word) => !known.includes(word))
      .map(
        (word) =>
          `${path.join('.')} is one of ${known.join(', ')}, never ${JSON.stringify(word)}${renderNearest(word, known)}.`,
      );
  });
}

/** Reports `<` and `>` on words such as `low` and `high`, since these operators compare alphabetically, not by rank. */
function findOrderedWords(ast: ASTNode, declared: DeclaredNames): string[] {
  return listOrderings(ast).flatMap(({ path, op }) => {
    const known = listKnownWords(path, declared);
    if (known === null) return [];
    const name = path.join('.');
    return `${name} is one of ${known.join(', ')}; \`${op}\` would compare them alphabetically. Compare with == or in instead.`;
  });
}

/**
 * Matches a repeated group that itself contains a repetition. Such a pattern takes exponential time on a text that
 * nearly matches it.
 */
const NESTED_REPETITION = /\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)[+*{]/;

/**
 * Returns why a pattern of `matches` is not safe to use, or null.
 * @param pattern null if it is not a string literal
 */
function findPatternFault(pattern: string | null): string | null {
  if (pattern === null) return '`matches` needs a literal pattern, so that it can be checked.';
  try {
    new RegExp(pattern);
  } catch (error) {
    return `The pattern of \`matches\` cannot be read: ${summarizeError(error)}.`;
  }
  if (!NESTED_REPETITION.test(pattern)) return null;
  return `The pattern ${JSON.stringify(pattern)} nests one repetition in another: matching may never end.`;
}

function listPreferenceWords(spec: PreferenceSpec | undefined): readonly string[] | null {
  const words = (spec?.values ?? []).filter((value) => typeof value === 'string');
  return words.length === 0 ? null : words;
}

function listKnownWords(
  [root, ...path]: readonly string[],
  { todo, blocks, preferences }: DeclaredNames,
): readonly string[] | null {
  if (root === 'blocks') return listPossibleWords(blocks ?? [], path);
  const [field = '', member] = path;
  if (root === 'size' && field === '') return SIZES;
  if (root === 'mode') return MODES.get(field) ?? null;
  if (root === 'agents' && member === 'status') return AGENT_WORDS;
  if (root === 'preferences') return listPreferenceWords(preferences[field]);
  const isOfTodo = todo === true && root === 'todo' && Object.hasOwn(TODO, field);
  return isOfTodo ? TODO[field as keyof typeof TODO] : null;
}

function nameType(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'double';
  return 'dyn';
}

function namePreferenceType(spec: PreferenceSpec): string {
  if (spec.values?.some((value) => typeof value === 'boolean')) return 'dyn';
  return spec.type;
}

function explain(error: unknown, declared: DeclaredNames): string {
  const summary = summarizeError(error);
  const unknown = /^Unknown variable: (.+)$/.exec(summary)?.[1];
  if (unknown !== undefined) {
    const names = ROOT_NAMES.filter((name) => isVisible(name, declared));
    const isName = ROOT_NAMES.some((name) => name === unknown);
    const meant = renderNearest(unknown, names) || (isName ? '' : ` (a text needs quotes: "${unknown}")`);
    return `The condition uses ${unknown}, which is not declared${meant}; it may use ${names.join(', ')}.`;
  }
  const key = /^No such key: (.+)$/.exec(summary)?.[1];
  if (key !== undefined) {
    const names = [declared.mode, Object.keys(declared.vars), Object.keys(declared.preferences), declared.sections];
    const todo = declared.todo ? Object.keys(TODO) : [];
    const known = [
      ...names.flat(),
      ...todo,
      ...declared.agents,
      'status',
      'verdict',
      'summary',
      'questions',
      'filled',
      'text',
    ];
    return `The condition uses ${key}, which is not declared${renderNearest(key, known)}.`;
  }
  return `The condition is not valid: ${summary
    .replace(/^found /, '')
    .replace(/\$agents\.[^\s)]*/g, 'agent')
    .replace(/\$blocks\.[^\s)]*/g, 'object')}.`;
}

/** Operators of other languages, outside string literals. */
const FOREIGN_OPERATOR = /\b(?:and|or|not)\b|(?<![=!<>])=(?!=)/i;

/** Explains the operators to an author who used those of another language; empty if none were used. */
function explainOperators(source: string): string {
  const bare = source.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return FOREIGN_OPERATOR.test(bare) ? ' Write && for "and", || for "or", ! for "not", == for "equals".' : '';
}

function renderNearest(word: string, known: readonly string[]): string {
  const meant = findSuggestion(word, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}
