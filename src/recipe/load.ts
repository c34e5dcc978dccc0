import { defined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { capture } from './capture.js';
import { compileRecipe } from './compile.js';
import type { CompiledRecipe } from './compiled.js';
import { describeFile, findRecipe, type Library, type LibraryFile, listRecipeFiles } from './library.js';
import { lintRecipe } from './lint.js';
import { type RecipeProblem, sortProblems } from './problem.js';
import type { CapturedRecipe } from './resolved.js';
import { isKnownSound } from './shipped-texts.js';

/** A recipe and everything wrong with it. */
export interface LoadedRecipe {
  /** Null exactly when there are errors among the problems. */
  captured: CapturedRecipe | null;
  /** Errors and warnings by file and line. */
  problems: RecipeProblem[];
  /** The path of the recipe as shown to the user. */
  file: string;
  /** The text of every file that a problem can point into, by its path as shown to the user. */
  texts: Record<string, string>;
  /** Type and description as written; empty where they cannot be read. */
  header: CompiledRecipe['header'];
}

/** One line of `recipe list`. */
export interface ListedRecipe {
  name: string;
  /** Type and description as written; empty where they cannot be read. */
  type: string;
  description: string;
  /** The path as shown to the user. */
  file: string;
  /** Whether it comes with dev-cli. */
  shipped: boolean;
  /** The file of the same name that this one replaces. */
  shadows?: string;
  /** The first error in it, with its place. */
  problem?: string;
}

/**
 * Loads a recipe by name: parse → schema → resolve → lint (recipes.md §6).
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`; what is wrong inside the files is in `problems`
 */
export function loadRecipe(library: Library, name: string): LoadedRecipe {
  const file = findRecipe(library, name);
  return load(library, file, library.reader.read(file.path) ?? '');
}

/**
 * Loads a recipe by its absolute path, inside the library or elsewhere.
 * @throws DevCliError `IO`; `UNKNOWN_RECIPE` when there is no such file
 */
export function loadRecipeFile(library: Library, path: string): LoadedRecipe {
  const { project } = library;
  const inProject = project !== null && project.length > library.shipped.length && path.startsWith(`${project}/`);
  const shipped = path.startsWith(`${library.shipped}/`) && !inProject;
  const file = describeFile(library, path, shipped);
  const text = library.reader.read(path);
  if (text !== null) return load(library, file, text);
  throw new DevCliError('UNKNOWN_RECIPE', `There is no file ${JSON.stringify(file.file)}.`);
}

/** A recipe with what lint found, and what lint had to judge it by. */
export interface CheckedRecipe extends LoadedRecipe {
  compiled: CompiledRecipe;
}

/**
 * Loads a recipe by name and keeps what it was compiled from, so that more can be found in it and told at its place.
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`
 */
export function checkRecipe(library: Library, name: string): CheckedRecipe {
  const file = findRecipe(library, name);
  const compiled = compileRecipe(library, file, library.reader.read(file.path) ?? '');
  const known = capture(compiled);
  // What ships was linted when it was built.
  if (known !== null && isKnownSound(known)) return { ...describe(compiled, file), captured: known, compiled };
  return { ...lint(compiled, file), compiled };
}

/**
 * Loads a recipe by name and returns its captured form.
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`; `RECIPE_INVALID` with every error at its place
 */
export function requireRecipe(library: Library, name: string): CapturedRecipe {
  const found = findRecipe(library, name);
  const compiled = compileRecipe(library, found, library.reader.read(found.path) ?? '');
  const known = capture(compiled);
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
        ...defined({ pointer }),
      })),
      fix: { command: 'recipe lint', input: { files: [name] } },
    },
  );
}

/** Lists the recipes by name, each with the file that takes precedence (recipes.md §6). */
export function listRecipes(library: Library): ListedRecipe[] {
  const files = listRecipeFiles(library);
  const names = [...new Set(files.map(({ name }) => name))].sort();
  return names.flatMap((name) => {
    const [winner, shadowed] = files.filter((file) => file.name === name);
    return winner === undefined ? [] : [describeRecipe(library, winner, shadowed)];
  });
}

function describeRecipe(library: Library, file: LibraryFile, shadowed: LibraryFile | undefined): ListedRecipe {
  const text = library.reader.read(file.path) ?? '';
  const { problems, header } = load(library, file, text);
  const error = problems.find(({ severity }) => severity === 'error');
  return {
    name: file.name,
    ...header,
    file: file.file,
    shipped: file.shipped,
    ...defined({ shadows: shadowed?.file }),
    ...(error === undefined ? {} : { problem: `${error.file}:${error.line}:${error.column}: ${error.message}` }),
  };
}

function load(library: Library, file: LibraryFile, text: string): LoadedRecipe {
  return lint(compileRecipe(library, file, text), file);
}

function lint(compiled: CompiledRecipe, file: LibraryFile): LoadedRecipe {
  lintRecipe(compiled, file.name);
  return describe(compiled, file);
}

function describe(compiled: CompiledRecipe, file: LibraryFile): LoadedRecipe {
  return {
    captured: capture(compiled),
    problems: sortProblems(compiled.report.problems),
    file: file.file,
    texts: Object.fromEntries(compiled.sources.map((source) => [source.file, source.text])),
    header: compiled.header,
  };
}
