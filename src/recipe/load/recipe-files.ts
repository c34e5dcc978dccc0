import { DevCliError } from '../../base/errors.js';
import type { FoundFile } from '../../base/files.js';
import { isName } from '../../base/name.js';
import { renderSuggestion } from '../../base/suggest.js';
import type { CapturedRecipe } from '../resolved.js';
import { findHome, type Home, isUsable, type Library, listHomes, RECIPE_DIRECTORIES, staysInside } from './library.js';

export interface LibraryFile {
  /** The file name without `.yaml` or `.yml`. */
  name: string;
  /** The absolute path. */
  path: string;
  /** The path as shown to the user: relative to the root, or `dev-cli:recipes/x.yaml` for a shipped file. */
  file: string;
  /** Whether it comes with dev-cli. */
  shipped: boolean;
  /** Whose it is. */
  origin: Home['origin'];
  /** The file of the same home and name that goes before this one, as shown to the user: this one is never used. */
  hiddenBy?: string;
}

/** What lies where recipes are looked for, and cannot be looked at. */
interface ClosedPlace {
  /** As shown to the user. */
  file: string;
  origin: Home['origin'];
  problem: string;
  fix: string;
}

/** All that lies where recipes are looked for. */
export interface Listing {
  /** In order of precedence: the first of a name wins. */
  files: LibraryFile[];
  closed: ClosedPlace[];
}

/**
 * Lists what lies where recipes are looked for (authoring.md, Where recipes are found).
 * @throws DevCliError `PREFERENCES_INVALID` for a shared home that cannot be used; `IO`
 */
export function listLibrary(library: Library): Listing {
  const listings = [...listHomes(library)].map((home) => listHome(library, home));
  return { files: listings.flatMap(({ files }) => files), closed: listings.flatMap(({ closed }) => closed) };
}

/** Lists recipe files in order of precedence: the first of a name wins. Parameters and errors as for `listLibrary`. */
export function listRecipeFiles(library: Library): LibraryFile[] {
  return listLibrary(library).files;
}

function listHome(library: Library, home: Home): Listing {
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

/** What ships lies directly in its directories; anything else is found at any depth. */
function findFiles({ reader, files }: Library, directory: string, origin: Home['origin']): FoundFile[] {
  if (origin !== 'shipped' && files !== undefined) return files().find(directory);
  return reader
    .list(directory)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((path) => ({ path }));
}

function explainClosed(
  library: Library,
  home: Home,
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
  return { problem: `It leads out of ${home.base} through a link.`, fix: 'Put a copy of the file in its place.' };
}

/** Describes the file at an absolute path. @param origin whose it is; that of a file in no home is `project` */
export function describeFile(library: Library, path: string, origin: Home['origin']): LibraryFile {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
  if (origin === 'shipped') {
    return { name, path, file: `dev-cli:${path.slice(library.shipped.length + 1)}`, shipped: true, origin };
  }
  return { name, path, file: showPath(library, path), shipped: false, origin };
}

/** Reads a file of the library: null when there is none, and why it cannot be read. */
export function readOrExplain({ reader }: Library, path: string): string | { problem: string } | null {
  try {
    return reader.read(path);
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'IO') throw error;
    return { problem: error.details[0]?.problem ?? error.message };
  }
}

/** Reads a file of the library as far as that can be done: what is wrong with it is told by whoever lists or loads it. */
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

/** A path relative to the root where it lies below it, else as it is. */
function showPath({ project }: Library, path: string): string {
  return project !== null && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
}

/**
 * Finds the file of a recipe by its name.
 * @throws DevCliError `UNKNOWN_RECIPE`, with a suggestion; `PREFERENCES_INVALID` where it may lie in a shared home that cannot
 * be used; `IO`
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

/** Finds the recipe of a name that ships with dev-cli, whatever replaces it; null where none does. @throws DevCliError `IO` */
function findShipped(library: Library, name: string): LibraryFile | null {
  const { files } = listHome(library, { base: library.shipped, origin: 'shipped' });
  return files.find((file) => file.name === name) ?? null;
}

/**
 * Resolves a path relative to the file at `path`.
 * @returns the absolute path; null when `relative` is absolute, has backslashes, or leaves the home of the file, also by a link:
 * the project, the package, a shared home. Of a file in no home, its directory.
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
  return home === null || staysInside(library, home, result) ? result : null;
}

/** A recipe that takes the place of one that ships (recipes.md §6); files as shown to the user. */
interface Shadow {
  name: string;
  file: string;
  replaces: string;
}

/** Lists what of a captured recipe, its phases included, takes the place of a recipe that ships. @throws DevCliError `IO` */
export function listShadows(library: Library, { recipe, workflow, sources }: CapturedRecipe): Shadow[] {
  const phases = (workflow?.phases ?? []).map((phase) => ({ file: phase.source, name: phase.recipe.name }));
  const all = [{ file: sources[0]?.path ?? '', name: (workflow ?? recipe).name }, ...phases];
  return [...new Map(all.map((one) => [one.file, one])).values()].flatMap(({ file, name }) => {
    if (sources.find(({ path }) => path === file)?.shipped !== false) return [];
    const shipped = findShipped(library, name);
    return shipped === null ? [] : [{ name, file, replaces: shipped.file }];
  });
}

/** Says what one takes the place of. */
export function renderShadow({ name, file, replaces }: Shadow): string {
  return `"${name}" is ${file}, which replaces ${replaces}`;
}
