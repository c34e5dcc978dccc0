import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { CapturedRecipe } from '../captured.js';
import { lintRecipe } from '../lint/lint.js';
import { type RecipeProblem, sortProblems } from '../source/problem.js';
import { quoteWord } from '../source/yaml.js';
import { captureRecipe } from './capture.js';
import { compileRecipe } from './compile.js';
import type { CompiledRecipe } from './compiled.js';
import { findHome, type Library } from './library.js';
import {
  describeFile,
  findRecipe,
  type LibraryFile,
  listLibrary,
  listRecipeFiles,
  readOrExplain,
} from './recipe-files.js';
import { isKnownSound } from './shipped-texts.js';

/** A recipe and everything that is wrong with it. */
export interface LoadedRecipe {
  /** Null exactly if `problems` contains errors. */
  captured: CapturedRecipe | null;
  /** Errors and warnings by file and line. */
  problems: RecipeProblem[];
  /** The path of the recipe as shown to the user. */
  file: string;
  /** The text of every file that a problem can refer to, by its path as shown to the user. */
  texts: Record<string, string>;
  /** Type and description as written in the file; empty if they cannot be read. */
  header: CompiledRecipe['header'];
}

/** One line of `recipe list`. */
export interface ListedRecipe {
  name: string;
  /** Type and description as written in the file; empty if they cannot be read. */
  type: string;
  description: string;
  /** The path as shown to the user. */
  file: string;
  /** Whether the recipe is shipped with dev-cli. */
  shipped: boolean;
  /** The variables that `--set` accepts, with their defaults or null; absent if there are none or errors were found. */
  variables?: JsonObject;
  /** The files with the same name that this file replaces. */
  shadows?: string[];
  /** The first error in the recipe, with its position, or why the file is never used. */
  problem?: string;
}

/**
 * Loads a recipe by name: parse → schema → resolve → lint (recipes.md §6).
 * @throws DevCliError `UNKNOWN_RECIPE`, `PREFERENCES_INVALID`, `IO`; faults inside the files are in `problems`
 */
export function loadRecipe(library: Library, name: string): LoadedRecipe {
  return load(library, findRecipe(library, name));
}

/**
 * Loads a recipe by its absolute path, inside the library or outside.
 * @throws DevCliError `PREFERENCES_INVALID`, `IO`; `UNKNOWN_RECIPE` when there is no such file
 */
export function loadRecipeFile(library: Library, path: string): LoadedRecipe {
  const listed = listRecipeFiles(library).find((file) => file.path === path);
  if (listed !== undefined) return load(library, listed);
  const file = describeFile(library, path, findHome(library, path)?.origin ?? 'project');
  if (readOrExplain(library, path) !== null) return load(library, file);
  throw new DevCliError('UNKNOWN_RECIPE', `There is no file ${JSON.stringify(file.file)}.`);
}

/** A loaded recipe together with the compiled form that lint judged. */
export interface CheckedRecipe extends LoadedRecipe {
  compiled: CompiledRecipe;
}

/**
 * Loads a recipe by name and keeps its compiled form, so that the caller can find and report more problems in it.
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`
 */
export function checkRecipe(library: Library, name: string): CheckedRecipe {
  const file = findRecipe(library, name);
  const compiled = compileRecipe(library, file, library.reader.read(file.path) ?? '');
  const known = captureRecipe(compiled);
  // Shipped recipes were linted at build time.
  if (known !== null && isKnownSound(known)) return { ...describe(compiled, file), captured: known, compiled };
  return { ...lint(compiled, file), compiled };
}

/**
 * Loads a recipe by name and returns its captured form.
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`; `RECIPE_INVALID` with every error at its position
 */
export function requireRecipe(library: Library, name: string): CapturedRecipe {
  const found = findRecipe(library, name);
  const compiled = compileRecipe(library, found, library.reader.read(found.path) ?? '');
  const known = captureRecipe(compiled);
  if (known !== null && isKnownSound(known)) return known;
  const { captured, problems, file } = lint(compiled, found);
  if (captured !== null) return captured;
  const errors = problems.filter(({ severity }) => severity === 'error');
  throw new DevCliError(
    'RECIPE_INVALID',
    `The recipe ${file} has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}.`,
    {
      details: errors.map(({ message, file: at, line, column, pointer, fix }) => ({
        problem: fix === undefined ? message : `${message} ${fix}`,
        at: `${at}:${line}:${column}`,
        ...omitUndefined({ pointer }),
      })),
      fix: { command: 'recipe lint', input: { files: [name] } },
    },
  );
}

/**
 * Lists the recipes by name: for each, the file that takes precedence, then the files that are never used because
 * another of the same home has the same name (authoring.md, Where recipes are found).
 */
export function listRecipes(library: Library, files = listRecipeFiles(library)): ListedRecipe[] {
  const names = [...new Set(files.map(({ name }) => name))].sort();
  return names.flatMap((name) => {
    const same = files.filter((file) => file.name === name);
    const [winner, ...replaced] = same.filter(({ hiddenBy }) => hiddenBy === undefined);
    const hidden = same
      .filter(({ hiddenBy }) => hiddenBy !== undefined)
      .map((file) => describeListed(library, file, []));
    return winner === undefined ? hidden : [describeListed(library, winner, replaced), ...hidden];
  });
}

function describeListed(library: Library, file: LibraryFile, replaced: readonly LibraryFile[]): ListedRecipe {
  const { captured, problems, header } = load(library, file);
  const error = problems.find(({ severity }) => severity === 'error');
  const problem =
    error === undefined ? describeHidden(file) : `${error.file}:${error.line}:${error.column}: ${error.message}`;
  return {
    name: file.name,
    ...header,
    file: file.file,
    shipped: file.shipped,
    ...(captured === null ? {} : listVariables(captured)),
    ...(replaced.length === 0 ? {} : { shadows: replaced.map((other) => other.file) }),
    ...omitUndefined({ problem }),
  };
}

function listVariables({ recipe, workflow }: CapturedRecipe): Pick<ListedRecipe, 'variables'> {
  const { vars, preferences } = workflow ?? recipe;
  const defaults = Object.entries(preferences).map(([name, spec]) => [name, spec.default ?? null]);
  const variables: JsonObject = { ...Object.fromEntries(defaults), ...vars };
  return Object.keys(variables).length === 0 ? {} : { variables };
}

function describeHidden({ name, hiddenBy }: LibraryFile): string | undefined {
  if (hiddenBy === undefined) return undefined;
  return `This file is never used: ${quoteWord(name)} is the name of ${quoteWord(hiddenBy)}, which takes precedence.`;
}

/**
 * Lints everything in the project's recipe directories, including what cannot be read as a recipe.
 * @throws DevCliError `IO`
 */
export function lintProject(library: Library): LoadedRecipe[] {
  const { files, closed } = listLibrary({ ...library, shared: [] });
  const own = <T extends Pick<LibraryFile, 'file' | 'origin'>>(all: readonly T[]) =>
    all.filter(({ origin }) => origin === 'project');
  return [
    ...own(files).map((file) => load(library, file)),
    ...own(closed).map((place) => describeUnread(place, place.problem, place.fix)),
  ];
}

/** Loads a file of the library. If it cannot be read, that is its only problem. */
function load(library: Library, file: LibraryFile): LoadedRecipe {
  const text = readOrExplain(library, file.path);
  if (text === null) return describeUnread(file, 'The link leads nowhere.');
  if (typeof text !== 'string') return describeUnread(file, `It cannot be read: ${text.problem}.`);
  return lint(compileRecipe(library, file, text), file);
}

function describeUnread({ file }: Pick<LibraryFile, 'file'>, message: string, fix?: string): LoadedRecipe {
  const at = { file, line: 1, column: 1, length: 1 };
  const problem: RecipeProblem = { severity: 'error', message, ...at, ...omitUndefined({ fix }) };
  return { captured: null, problems: [problem], file, texts: {}, header: { type: '', description: '' } };
}

function lint(compiled: CompiledRecipe, file: LibraryFile): LoadedRecipe {
  lintRecipe(compiled, file.name);
  const hidden = describeHidden(file);
  if (hidden !== undefined) compiled.report.warning(['name'], hidden, { fix: 'Remove one of the two, or rename it.' });
  return describe(compiled, file);
}

function describe(compiled: CompiledRecipe, file: LibraryFile): LoadedRecipe {
  return {
    captured: captureRecipe(compiled),
    problems: sortProblems(compiled.report.problems),
    file: file.file,
    texts: Object.fromEntries(compiled.sources.map((source) => [source.file, source.text])),
    header: compiled.header,
  };
}
