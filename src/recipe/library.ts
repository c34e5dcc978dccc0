import { DevCliError } from '../base/errors.js';
import type { FileReader } from '../base/files.js';
import { isName } from '../base/name.js';
import { renderSuggestion } from '../base/suggest.js';

/** Where recipes and agent definitions come from. */
export interface Library {
  /** Reads files and lists directories. */
  reader: FileReader;
  /** Absolute directory of the dev-cli package. */
  shipped: string;
  /** Absolute root of the project; null outside any project. */
  project: string | null;
}

/** A file of the library. */
export interface LibraryFile {
  /** The file name without `.yaml`. */
  name: string;
  /** The absolute path. */
  path: string;
  /** The path as shown to the user: relative to the root, or `dev-cli:recipes/x.yaml` for a shipped file. */
  file: string;
  /** Whether it comes with dev-cli. */
  shipped: boolean;
}

const PROJECT_DIRECTORIES = ['.dev/recipes', '.dev/workflows'];
const SHIPPED_DIRECTORIES = ['recipes', 'workflows'];

/** Lists recipe files in order of precedence: the first of a name wins (recipes.md, Where recipes are found). */
export function listRecipeFiles(library: Library): LibraryFile[] {
  const listed = (base: string, directories: string[], shipped: boolean) =>
    directories.flatMap((directory) =>
      library.reader
        .list(`${base}/${directory}`)
        .filter((entry) => entry.endsWith('.yaml') && !entry.endsWith('.test.yaml'))
        .map((entry) => describeFile(library, `${base}/${directory}/${entry}`, shipped)),
    );
  return [
    ...(library.project === null ? [] : listed(library.project, PROJECT_DIRECTORIES, false)),
    ...listed(library.shipped, SHIPPED_DIRECTORIES, true),
  ];
}

/** Describes the file at an absolute path. */
export function describeFile(library: Library, path: string, shipped: boolean): LibraryFile {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.yaml$/, '');
  if (shipped) return { name, path, file: `dev-cli:${path.slice(library.shipped.length + 1)}`, shipped };
  const { project } = library;
  const file = project !== null && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
  return { name, path, file, shipped };
}

/**
 * Finds the file of a recipe by its name.
 * @throws DevCliError `UNKNOWN_RECIPE`, with a suggestion
 */
export function findRecipe(library: Library, name: string): LibraryFile {
  const files = isName(name) ? listRecipeFiles(library) : [];
  const found = files.find((file) => file.name === name);
  if (found !== undefined) return found;
  const shown = name.slice(0, 80);
  const known = [...new Set(listRecipeFiles(library).map((file) => file.name))];
  throw new DevCliError(
    'UNKNOWN_RECIPE',
    `There is no recipe ${JSON.stringify(shown)}.${renderSuggestion(shown, known)}`,
    {
      fix: { command: 'recipe list', input: {} },
    },
  );
}

/**
 * Resolves a path relative to the file at `path`.
 * @returns the absolute path; null when `relative` is absolute, has backslashes, or leaves the project or package
 */
export function resolveSibling(library: Library, path: string, relative: string): string | null {
  if (relative.startsWith('/') || relative.includes('\\') || relative.includes('\0')) return null;
  const home = [library.project, library.shipped].find((base) => base !== null && path.startsWith(`${base}/`));
  const parts = path.slice(0, path.lastIndexOf('/')).split('/');
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  const result = parts.join('/');
  const bound = home ?? path.slice(0, path.lastIndexOf('/'));
  return result.startsWith(`${bound}/`) ? result : null;
}
