import { desugar } from './text.js';

/** The language of conditions: CEL with the additions of the recipe language (recipes.md, Conditions). */

/** The largest length of a condition, in characters. */
export const MAX_LENGTH = 1000;
const LIMITS = { maxAstNodes: 200, maxDepth: 30, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 8 };
/** The names with which an expression can begin. */
export const ROOT_NAMES = [
  'mode',
  'vars',
  'goal',
  'preferences',
  'round',
  'size',
  'draft',
  'agents',
  'blocks',
  'result',
  'todo',
] as const;

/**
 * Loads the CEL library by a plain `require`, which the bundler turns into a module that is not run before it is first
 * used. An import statement would add a quarter to the time of every call, and import() is asynchronous while decisions
 * are not.
 */
export const loadCel = (): typeof import('@marcbachmann/cel-js') => require('@marcbachmann/cel-js');
export type CelEnvironment = InstanceType<ReturnType<typeof loadCel>['Environment']>;

/** Creates an environment without any names. */
export function createEnvironment(): CelEnvironment {
  return addOperations(new (loadCel().Environment)({ limits: LIMITS }));
}

/** Adds the recipe language's own parts: the word test behind `result contains`, comparison with null, and `!null`. */
function addOperations(environment: CelEnvironment): CelEnvironment {
  for (const type of ['string', 'bool', 'int', 'double']) {
    environment.registerOperator(`${type} == null`, (value: unknown) => value === null);
  }
  return environment
    .registerOperator('!null', () => true)
    .registerFunction('containsWord(dyn, string): bool', (text: unknown, word: string) => containsWord(text, word));
}

/** Whether `text` contains `word` as a whole word, ignoring case. A missing text contains no word. */
function containsWord(text: unknown, word: string): boolean {
  if (typeof text !== 'string') return false;
  const literal = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, 'iu').test(text);
}

/** Expands `result contains WORD` to a function call. */
export function expandSugar(source: string): string {
  return desugar(source, (word) => `containsWord(result, ${JSON.stringify(word)})`);
}

/** Returns the library's message on one line. */
export function summarizeError(error: unknown): string {
  if (error instanceof Error && 'summary' in error && typeof error.summary === 'string') return error.summary;
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
