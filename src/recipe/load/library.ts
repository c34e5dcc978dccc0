import { posix } from 'node:path';
import type { FileFinder, FileReader } from '../../base/files.js';
import { PREFERENCES_FILE, readProjectSettings } from '../settings/project-settings.js';
import { quoteWord } from '../source/yaml.js';

/** The places that recipes and agent definitions come from. */
export interface Library {
  /** Reads files and lists directories. */
  reader: FileReader;
  /** Absolute directory of the dev-cli package. */
  shipped: string;
  /** Absolute root of the project; null outside any project. */
  project: string | null;
  /**
   * Finds files at any depth. If absent, only files directly in a directory are found, and shared homes are not
   * searched.
   */
  files?: () => FileFinder;
  /** Shared homes, used instead of those that the user's settings and the project's preferences name. */
  shared?: readonly string[];
}

/** A directory with recipes and agents (authoring.md, Where recipes are found). */
export interface LibraryHome {
  /** Absolute. */
  base: string;
  origin: 'project' | 'shared' | 'shipped';
}

/** The directories of recipes in a home, by its origin. */
export const RECIPE_DIRECTORIES: Readonly<Record<LibraryHome['origin'], readonly string[]>> = {
  project: ['.dev/recipes', '.dev/workflows'],
  shared: ['recipes', 'workflows'],
  shipped: ['recipes', 'workflows'],
};

/**
 * Yields the homes of a library in order of precedence. Shared homes are looked up only when the iteration reaches
 * them.
 * @throws DevCliError `PREFERENCES_INVALID` for a shared home that cannot be used; `IO`
 */
export function* listHomes(library: Library): Generator<LibraryHome> {
  const { project, shipped } = library;
  if (project !== null) yield { base: project, origin: 'project' };
  for (const base of library.shared ?? listSharedHomes(library)) yield { base, origin: 'shared' };
  yield { base: shipped, origin: 'shipped' };
}

/** Returns the innermost home that contains a file; null if no home does. */
export function findHome(library: Library, path: string): LibraryHome | null {
  const around = [...listHomes(library)].filter(({ base }) => path.startsWith(`${base}/`));
  // When the project is a checkout of dev-cli itself, its files count as shipped.
  return around.reverse().sort((a, b) => b.base.length - a.base.length)[0] ?? null;
}

/**
 * Whether a file still lies in its home once all symbolic links are followed. If a recipe directory of a project is
 * itself a link, the directory that it leads to counts as part of the project. True also for a missing file and for
 * every shipped file.
 */
export function isInsideHome({ files }: Library, { base, origin }: LibraryHome, path: string): boolean {
  if (origin === 'shipped' || files === undefined) return true;
  const { real } = files();
  const there = real(path);
  const linked = origin === 'project' ? RECIPE_DIRECTORIES.project.map((one) => `${base}/${one}`) : [];
  const around = [base, ...linked].map(real).filter((one) => one !== null);
  return there === null || around.length === 0 || around.some((one) => there.startsWith(`${one}/`));
}

/** Whether a recipe or definition in a home may be used. Only in a project may a link lead to a file outside. */
export function isUsable(library: Library, home: LibraryHome, path: string): boolean {
  return home.origin === 'project' || isInsideHome(library, home, path);
}

/** The name of an npm package; any other entry in the `recipes` setting is a directory. */
const PACKAGE = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const PARTS = ['recipes', 'workflows', 'agents'];

/**
 * Lists the homes that projects share, in order of precedence: the user's, then those that `recipes` in
 * .dev/preferences.yaml names (authoring.md, Where recipes are found). A package's code is never run.
 * @returns absolute directories
 * @throws DevCliError `PREFERENCES_INVALID`, with every entry that does not exist; `IO`
 */
function listSharedHomes(around: Library): string[] {
  const { project, reader, files } = around;
  if (files === undefined) return [];
  const finder = files();
  const user = finder.settings === null ? [] : [`${finder.settings}/dev-cli`];
  const text = project === null ? null : reader.read(`${project}/${PREFERENCES_FILE}`);
  // The quick search for the word comes first, because parsing the YAML is slow and few projects set `recipes`.
  if (project === null || text === null || !text.includes('recipes')) return user;
  const named: string[] = [];
  readProjectSettings(text, ['recipes'], ({ recipes = [] }, report) => {
    for (const [index, entry] of recipes.entries()) {
      const found = findEntry(around, project, entry, finder);
      if ('base' in found) named.push(found.base);
      else report.error(['recipes', index], found.problem, { fix: found.fix });
    }
  });
  return [...new Set([...user, ...named])].filter((base) => base !== project);
}

type Entry = { base: string } | { problem: string; fix?: string };

function findEntry({ reader }: Library, project: string, entry: string, finder: FileFinder): Entry {
  const isPackage = PACKAGE.test(entry);
  const base = isPackage ? findPackage(reader, project, entry) : resolveDirectory(project, entry, finder.home);
  const shown = quoteWord(entry);
  if (base === null || finder.real(base) === null) {
    if (!isPackage) return { problem: `There is no directory ${shown}.` };
    const isDirectory = finder.real(`${project}/${entry}`) !== null;
    return {
      problem: `The package ${shown} is not installed.`,
      fix: isDirectory ? `For the directory, write ./${entry}.` : `\`npm install --save-dev ${entry}\` installs it.`,
    };
  }
  if (PARTS.some((part) => reader.list(base).includes(part))) return { base };
  return {
    problem: `${shown} has none of the directories ${PARTS.join(', ')}.`,
    fix: 'A shared library keeps its recipes, workflows and agent definitions in them.',
  };
}

/** Finds a package as Node does: in node_modules of the project, or of a directory above it. */
function findPackage(reader: FileReader, project: string, name: string): string | null {
  for (let at = project; ; at = posix.dirname(at)) {
    const base = posix.join(at, 'node_modules', name);
    if (reader.read(`${base}/package.json`) !== null) return base;
    if (at === posix.dirname(at)) return null;
  }
}

function resolveDirectory(project: string, entry: string, home: string | null): string | null {
  const [first, ...rest] = entry.split('/');
  const path = first !== '~' ? posix.resolve(project, entry) : home === null ? null : posix.join(home, ...rest);
  return path?.replace(/(?<=.)\/+$/, '') ?? null;
}
