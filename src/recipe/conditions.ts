import type { ASTNode } from '@marcbachmann/cel-js';
import { DevCliError } from '../base/errors.js';
import { isRecord, type JsonObject } from '../base/json.js';
import { findSuggestion } from '../base/suggest.js';
import { listComparisons, listPaths } from './condition-paths.js';
import { desugar } from './condition-text.js';
import type { PreferenceSpec } from './resolved.js';

/** The names that a recipe's conditions may use. */
export interface DeclaredNames {
  /** Keys of `mode`. */
  mode: readonly string[];
  /** Vars with their defaults, which give their types. */
  vars: JsonObject;
  /** Preferences by name. */
  preferences: Readonly<Record<string, PreferenceSpec>>;
  /** Sections under `draft`. */
  sections: readonly string[];
  /** Ids under `agents`. */
  agents: readonly string[];
  /** Conditions of a handler: they also see the todo, as `todo {id, type, risk}` (engine.md, Own handlers). */
  todo?: boolean;
  /** Conditions of a phase: they are decided before its recipe runs and see nothing of it (recipes.md §4). */
  phase?: boolean;
}

const MAX_LENGTH = 1000;
const LIMITS = { maxAstNodes: 200, maxDepth: 30, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 8 };
const NAMES = ['mode', 'vars', 'goal', 'preferences', 'round', 'draft', 'agents', 'result', 'todo'] as const;
/** Names that exist only while a recipe runs. */
const WHILE_RUNNING: readonly string[] = ['round', 'draft', 'agents', 'result'];
/** The values that the fields of a todo can have; null for any text. */
const TODO: Record<'id' | 'type' | 'risk', readonly string[] | null> = {
  id: null,
  type: ['work', 'verification'],
  risk: ['low', 'medium', 'high'],
};

// A plain `require`: the bundler turns it into a module that runs at its first use. An import statement would cost
// every call a quarter of its time, and import() is asynchronous while decisions are not.
const cel = (): typeof import('@marcbachmann/cel-js') => require('@marcbachmann/cel-js');
type Environment = InstanceType<ReturnType<typeof cel>['Environment']>;

/**
 * Evaluates a condition (recipes.md §2). A name missing from the scope is null, an operation on null gives null, and a
 * condition that is null is false.
 * @param scope `mode`, `vars`, `goal`, `preferences`, `round`, `draft`, `agents`, `result`; for a handler also `todo`
 * @throws DevCliError `RECIPE_INVALID` when the condition does not parse, cannot be evaluated, or is no boolean
 */
export function evaluateCondition(source: string, scope: Readonly<Record<string, unknown>>): boolean {
  const environment = addOperations(new (cel().Environment)({ limits: LIMITS }));
  for (const name of NAMES) environment.registerVariable(name, 'dyn');
  let value: unknown;
  if (source.length > MAX_LENGTH) throw buildConditionError(source, `it has more than ${MAX_LENGTH} characters`);
  try {
    const expression = environment.parse(expandSugar(source));
    value = expression(toCelValue(completeScope(scope, expression.ast)) as Record<string, unknown>);
  } catch (error) {
    if (isAboutNull(error)) return false;
    throw buildConditionError(source, summarizeError(error), error);
  }
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) return false;
  throw buildConditionError(source, 'it gives no truth value');
}

/**
 * Creates a check for the conditions of one recipe. It returns a sentence for each fault of a condition (syntax,
 * undeclared names, types), and an empty list for a valid one.
 */
export function createConditionChecker(declared: DeclaredNames): (source: string) => string[] {
  const environment = createTypedEnvironment(declared);
  return (source) => {
    if (source.length > MAX_LENGTH) return [`A condition has at most ${MAX_LENGTH} characters.`];
    const result = environment.check(expandSugar(source));
    if (!result.valid) return [explain(result.error, declared)];
    const impossible = declared.todo === true ? findImpossibleWords(environment.parse(expandSugar(source)).ast) : [];
    if (impossible.length > 0) return impossible;
    if (result.type === 'bool' || result.type === 'dyn') return [];
    return [`A condition is true or false; this one is of type ${result.type}.`];
  };
}

function createTypedEnvironment(declared: DeclaredNames): Environment {
  const environment = addOperations(new (cel().Environment)({ limits: LIMITS }));
  const each = <T>(names: readonly string[], type: T) => Object.fromEntries(names.map((name) => [name, type]));
  const schemas = {
    mode: each(declared.mode, 'string'),
    vars: Object.fromEntries(Object.entries(declared.vars).map(([name, value]) => [name, nameType(value)])),
    preferences: Object.fromEntries(
      Object.entries(declared.preferences).map(([name, spec]) => [name, namePreferenceType(spec)]),
    ),
    draft: each(declared.sections, { filled: 'bool', text: 'string' }),
    agents: each(declared.agents, { status: 'string', verdict: 'string', summary: 'string', questions: 'int' }),
  };
  for (const [name, schema] of Object.entries(schemas)) {
    if (isVisible(name, declared)) environment.registerVariable({ name, schema });
  }
  if (declared.todo) environment.registerVariable({ name: 'todo', schema: each(Object.keys(TODO), 'string') });
  environment.registerVariable('goal', 'string');
  if (declared.phase === true) return environment;
  return environment.registerVariable('round', 'int').registerVariable('result', 'string');
}

function isVisible(name: string, { todo, phase }: DeclaredNames): boolean {
  if (name === 'todo') return todo === true;
  return phase !== true || !WHILE_RUNNING.includes(name);
}

/** Reports words that a field of a todo is compared with but never has: such a condition would silently never hold. */
function findImpossibleWords(ast: ASTNode): string[] {
  return listComparisons(ast).flatMap(({ path, words }) => {
    const [root, field = ''] = path;
    const known = root === 'todo' && Object.hasOwn(TODO, field) ? TODO[field as keyof typeof TODO] : null;
    if (known === null) return [];
    return words
      .filter((word) => !known.includes(word))
      .map(
        (word) =>
          `todo.${field} is one of ${known.join(', ')}, never ${JSON.stringify(word)}${renderNearest(word, known)}.`,
      );
  });
}

/** Adds what the recipe language has beyond CEL: the word test behind the sugar, comparison with null, and `!null`. */
function addOperations(environment: Environment): Environment {
  for (const type of ['string', 'bool', 'int', 'double']) {
    environment.registerOperator(`${type} == null`, (value: unknown) => value === null);
  }
  return environment
    .registerOperator('!null', () => true)
    .registerFunction('containsWord(dyn, string): bool', (text: unknown, word: string) => containsWord(text, word));
}

/** Whether `text` contains `word` as a whole word, in any case; an absent text contains none. */
function containsWord(text: unknown, word: string): boolean {
  if (typeof text !== 'string') return false;
  const literal = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, 'iu').test(text);
}

function expandSugar(source: string): string {
  return desugar(source, (word) => `containsWord(result, ${JSON.stringify(word)})`);
}

/** Completes the scope with null for every name that the expression uses but nobody set. */
function completeScope(scope: Readonly<Record<string, unknown>>, ast: ASTNode): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const name of NAMES) whole[name] = scope[name] ?? null;
  for (const path of listPaths(ast)) if (path[0] !== undefined && path[0] in whole) setNull(whole, path);
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

/** Converts whole numbers to BigInt, as the library expects them. */
function toCelValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCelValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toCelValue(member)]));
}

function buildConditionError(source: string, why: string, cause?: unknown): DevCliError {
  return new DevCliError(
    'RECIPE_INVALID',
    `The condition ${JSON.stringify(source.slice(0, 200))} cannot be decided: ${why}.`,
    {
      fix: ['Correct the condition in the recipe. Where it is: ', { command: 'recipe lint', input: {} }],
      cause,
    },
  );
}

/** Whether an operation failed because an operand was null: the library's message names the operand types. */
function isAboutNull(error: unknown): boolean {
  return error instanceof cel().EvaluationError && /\bnull\b/.test(summarizeError(error));
}

function summarizeError(error: unknown): string {
  if (error instanceof Error && 'summary' in error && typeof error.summary === 'string') return error.summary;
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

function explain(error: unknown, declared: DeclaredNames): string {
  const summary = summarizeError(error);
  const unknown = /^Unknown variable: (.+)$/.exec(summary)?.[1];
  if (unknown !== undefined) {
    const names = NAMES.filter((name) => isVisible(name, declared));
    return `The condition uses ${unknown}, which is not declared${renderNearest(unknown, names)}; it may use ${names.join(', ')}.`;
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
  return `The condition does not hold up: ${summary.replace(/^found /, '').replace(/\$agents\.[^\s)]*/g, 'agent')}.`;
}

function renderNearest(word: string, known: readonly string[]): string {
  const meant = findSuggestion(word, known);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}
