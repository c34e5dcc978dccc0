import { defined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { capture } from './capture.js';
import { compileRecipe } from './compile.js';
import { describeFile, findRecipe, type Library, type LibraryFile, listRecipeFiles } from './library.js';
import { lintRecipe } from './lint.js';
import { type RecipeProblem, sortProblems } from './problem.js';
import type { CapturedRecipe } from './resolved.js';

/** A recipe as far as it could be read. */
export interface LoadedRecipe {
  /** Null exactly when there are errors among the problems. */
  captured: CapturedRecipe | null;
  /** In the order of reading; warnings too. */
  problems: RecipeProblem[];
  /** The recipe file as the user knows it. */
  file: string;
  /** The text of every file that a problem can point into, by its name as the user knows it. */
  texts: Record<string, string>;
}

/** One line of `recipe list`. */
export interface ListedRecipe {
  name: string;
  type: string;
  description: string;
  file: string;
  shipped: boolean;
  /** The file of the same name that this one replaces. */
  shadows?: string;
  /** The first thing wrong with it. */
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
 * Loads a recipe by its absolute path, wherever it lies.
 * @throws DevCliError `IO`; `UNKNOWN_RECIPE` when there is no such file
 */
export function loadRecipeFile(library: Library, path: string): LoadedRecipe {
  const shipped = path.startsWith(`${library.shipped}/`) && !isInProject(library, path);
  const file = describeFile(library, path, shipped);
  const text = library.reader.read(path);
  if (text !== null) return load(library, file, text);
  throw new DevCliError('UNKNOWN_RECIPE', `There is no file ${JSON.stringify(file.file)}.`);
}

/**
 * The captured form of a recipe.
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`; `RECIPE_INVALID` with every error at its place
 */
export function requireRecipe(library: Library, name: string): CapturedRecipe {
  const { captured, problems, file } = loadRecipe(library, name);
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

/** Every recipe by name, with the file that won (recipes.md §6). */
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
  const { problems, header } = compileAndLint(library, file, text);
  const error = problems.find(({ severity }) => severity === 'error');
  return {
    name: file.name,
    type: header.type,
    description: header.description,
    file: file.file,
    shipped: file.shipped,
    ...(shadowed === undefined ? {} : { shadows: shadowed.file }),
    ...(error === undefined ? {} : { problem: `${error.file}:${error.line}:${error.column}: ${error.message}` }),
  };
}

function load(library: Library, file: LibraryFile, text: string): LoadedRecipe {
  const { captured, problems, texts } = compileAndLint(library, file, text);
  return { captured, problems, file: file.file, texts };
}

function compileAndLint(library: Library, file: LibraryFile, text: string) {
  const compiled = compileRecipe(library, file, text);
  lintRecipe(compiled, file.name);
  return {
    captured: capture(compiled),
    problems: sortProblems(compiled.report.problems),
    texts: Object.fromEntries(compiled.sources.map((source) => [source.file, source.text])),
    header: compiled.header,
  };
}

function isInProject(library: Library, path: string): boolean {
  return (
    library.project !== null &&
    library.project.length > library.shipped.length &&
    path.startsWith(`${library.project}/`)
  );
}
