import { DevCliError } from '../../base/errors.js';
import type { FoundFile } from '../../base/files.js';
import { isName } from '../../base/name.js';
import { renderSuggestion } from '../../base/suggest.js';
import type { CapturedRecipe } from '../captured.js';
import {
  findHome,
  isInsideHome,
  isUsable,
  type Library,
  type LibraryHome,
  listHomes,
  RECIPE_DIRECTORIES,
} from './library.js';

export interface LibraryFile {
  /** The file name without `.yaml` or `.yml`. */
  name: string;
  /** The absolute path. */
  path: string;
  /** The path as shown to the user: relative to the root, or `dev-cli:recipes/x.yaml` for a shipped file. */
  file: string;
  /** Whether the recipe is shipped with dev-cli. */
  shipped: boolean;
  /** The kind of home that it comes from. */
  origin: LibraryHome['origin'];
  /** The file (as shown to the user) of the same name that takes precedence in its home, so this one is never used. */
  hiddenBy?: string;
}

/** A file or directory in a recipe directory that cannot be used. */
interface ClosedPlace {
  /** Its path as shown to the user. */
  file: string;
  origin: LibraryHome['origin'];
  problem: string;
  fix: string;
}

/** Everything found in the recipe directories. */
export interface Listing {
  /** In order of precedence: the first file with a name wins. */
  files: LibraryFile[];
  closed: ClosedPlace[];
}

/**
 * Lists everything in the recipe directories of all homes (authoring.md, Where recipes are found).
 * @throws DevCliError `PREFERENCES_INVALID` for a shared home that cannot be used; `IO`
 */
export function listLibrary(library: Library): Listing {
  const listings = [...listHomes(library)].map((home) => listHome(library, home));
  return { files: listings.flatMap(({ files }) => files), closed: listings.flatMap(({ closed }) => closed) };
}

/** Lists recipe files in order of precedence: the first with a name wins. Errors as for `listLibrary`. */
export function listRecipeFiles(library: Library): LibraryFile[] {
  return listLibrary(library).files;
}

function listHome(library: Library, home: LibraryHome): Listing {
  const { base, origin } = home;
  const listing: Listing = { files: [], closed: [] };
  const first = new Map<string, string>();
  for (const directory of RECIPE_DIRECTORIES[origin]) {
    for (const found of findFiles(library, `${base}/${directory}`, origin)) {
      const path = `${base}/${directory}${found.path === '' ? '' : `/${found.path}`}`;
      const file = describeFile(library, path, origin);
      const reason = explainClosed(library, home, path, found.closed);
      if (reason !== null) listing.closed.push({ file: file.file, origin, ...reason });
      else if (!/\.test\.ya?ml$/.test(path)) {
        const hiddenBy = first.get(file.name);
        if (hiddenBy === undefined) first.set(file.name, file.file);
        listing.files.push(hiddenBy === undefined ? file : { ...file, hiddenBy });
      }
    }
  }
  return listing;
}

/** Shipped files lie directly in their directories; in other homes, files are found at any depth. */
function findFiles({ reader, files }: Library, directory: string, origin: LibraryHome['origin']): FoundFile[] {
  if (origin !== 'shipped' && files !== undefined) return files().find(directory);
  return reader
    .list(directory)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((path) => ({ path }));
}

function explainClosed(
  library: Library,
  home: LibraryHome,
  path: string,
  closed: FoundFile['closed'],
): Pick<ClosedPlace, 'problem' | 'fix'> | null {
  if (closed === 'link') {
    return {
      problem: 'A link to a directory is not followed.',
      fix: 'Name the directory under `recipes` in .dev/preferences.yaml.',
    };
  }
  if (closed === 'ending') {
    return { problem: 'Its extension is not in lower case.', fix: 'Rename it to end in `.yaml` or `.yml`.' };
  }
  if (closed === 'unreadable') return { problem: 'It cannot be read as a directory.', fix: 'Make it readable.' };
  if (isUsable(library, home, path)) return null;
  return { problem: `A link leads out of ${home.base}.`, fix: 'Put a copy of the file in its place.' };
}

/** Describes the file at an absolute path. @param origin the kind of its home; `project` for a file in no home */
export function describeFile(library: Library, path: string, origin: LibraryHome['origin']): LibraryFile {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
  if (origin === 'shipped') {
    return { name, path, file: `dev-cli:${path.slice(library.shipped.length + 1)}`, shipped: true, origin };
  }
  return { name, path, file: showPath(library, path), shipped: false, origin };
}

/** Reads a file of the library; returns null if it does not exist, or the problem if it cannot be read. */
export function readOrExplain({ reader }: Library, path: string): string | { problem: string } | null {
  try {
    return reader.read(path);
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'IO') throw error;
    return { problem: error.details[0]?.problem ?? error.message };
  }
}

/** Reads a file of the library, or returns an empty text. Listing or loading the file reports what is wrong with it. */
export function readOrEmpty(library: Library, path: string): string {
  const text = readOrExplain(library, path);
  return typeof text === 'string' ? text : '';
}

/**
 * Lists the shared homes that files come from, in order of precedence, as shown to the user.
 * @param files as shown to the user
 */
export function listUsedHomes(library: Library, files: readonly string[]): string[] {
  return [...listHomes(library)].flatMap(({ base, origin }) => {
    const shown = showPath(library, base);
    return origin === 'shared' && files.some((file) => file.startsWith(`${shown}/`)) ? [shown] : [];
  });
}

/** Returns a path relative to the root if it lies below it, else unchanged. */
function showPath({ project }: Library, path: string): string {
  return project !== null && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
}

/**
 * Finds the file of a recipe by its name.
 * @throws DevCliError `UNKNOWN_RECIPE`, with a suggestion; `PREFERENCES_INVALID` if the recipe may lie in a shared home
 * that cannot be used; `IO`
 */
export function findRecipe(library: Library, name: string): LibraryFile {
  for (const home of isName(name) ? listHomes(library) : []) {
    const found = listHome(library, home).files.find((file) => file.name === name);
    if (found !== undefined) return found;
  }
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

/** Finds the shipped recipe with this name, even if another replaces it; null if none. @throws DevCliError `IO` */
function findShipped(library: Library, name: string): LibraryFile | null {
  const { files } = listHome(library, { base: library.shipped, origin: 'shipped' });
  return files.find((file) => file.name === name) ?? null;
}

/**
 * Resolves a path relative to the file at `path`.
 * @returns the absolute path; null if `relative` is absolute, contains backslashes, or leaves the home of the file (the
 * project, the package or a shared home), even if only through a link. A file in no home must not leave its directory.
 */
export function resolveSibling(library: Library, path: string, relative: string): string | null {
  if (relative.startsWith('/') || relative.includes('\\') || relative.includes('\0')) return null;
  const directory = path.slice(0, path.lastIndexOf('/'));
  const home = findHome(library, path);
  const parts = directory.split('/');
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  const result = parts.join('/');
  if (!result.startsWith(`${home?.base ?? directory}/`)) return null;
  return home === null || isInsideHome(library, home, result) ? result : null;
}

/** A recipe that replaces a shipped one (recipes.md §6); files as shown to the user. */
interface Shadow {
  name: string;
  file: string;
  replaces: string;
}

/** Lists the parts of a captured recipe, phases included, that replace a shipped recipe. @throws DevCliError `IO` */
export function listShadows(library: Library, { recipe, workflow, sources }: CapturedRecipe): Shadow[] {
  const phases = (workflow?.phases ?? []).map((phase) => ({ file: phase.source, name: phase.recipe.name }));
  const all = [{ file: sources[0]?.path ?? '', name: (workflow ?? recipe).name }, ...phases];
  return [...new Map(all.map((one) => [one.file, one])).values()].flatMap(({ file, name }) => {
    if (sources.find(({ path }) => path === file)?.shipped !== false) return [];
    const shipped = findShipped(library, name);
    return shipped === null ? [] : [{ name, file, replaces: shipped.file }];
  });
}

/** Renders a message that says which recipe a shadow replaces. */
export function renderShadow({ name, file, replaces }: Shadow): string {
  return `"${name}" is ${file}, which replaces ${replaces}`;
}
