import type { FileFinder, FileReader } from '../../base/files.js';
import { listSharedHomes } from './shared-homes.js';

/** Where recipes and agent definitions come from. */
export interface Library {
  /** Reads files and lists directories. */
  reader: FileReader;
  /** Absolute directory of the dev-cli package. */
  shipped: string;
  /** Absolute root of the project; null outside any project. */
  project: string | null;
  /** What finds files below a directory; without it, only what lies directly in one is found, and nothing is shared. */
  files?: () => FileFinder;
  /** Shared homes, in place of those that the user's settings and the project's preferences say. */
  shared?: readonly string[];
}

/** A directory with recipes and agents (authoring.md, Where recipes are found). */
export interface Home {
  /** Absolute. */
  base: string;
  origin: 'project' | 'shared' | 'shipped';
}

/** The directories of recipes in a home, and that of agents. */
export const RECIPE_DIRECTORIES: Readonly<Record<Home['origin'], readonly string[]>> = {
  project: ['.dev/recipes', '.dev/workflows'],
  shared: ['recipes', 'workflows'],
  shipped: ['recipes', 'workflows'],
};

/**
 * Yields the homes of a library in order of precedence; the shared ones are looked for when they are come to.
 * @throws DevCliError `PREFERENCES_INVALID` for a shared home that cannot be used; `IO`
 */
export function* listHomes(library: Library): Generator<Home> {
  const { project, shipped } = library;
  if (project !== null) yield { base: project, origin: 'project' };
  for (const base of library.shared ?? listSharedHomes(library)) yield { base, origin: 'shared' };
  yield { base: shipped, origin: 'shipped' };
}

/** Finds the home that a file belongs to: the innermost around it; null when it lies in none. */
export function findHome(library: Library, path: string): Home | null {
  const around = [...listHomes(library)].filter(({ base }) => path.startsWith(`${base}/`));
  // Where a checkout of dev-cli is the project, what lies in it ships.
  return around.reverse().sort((a, b) => b.base.length - a.base.length)[0] ?? null;
}

/**
 * Whether a file really lies in its home, whatever the links on the way to it. What is not there does, and all that ships. A
 * project may have a directory of its recipes elsewhere.
 */
export function staysInside({ files }: Library, { base, origin }: Home, path: string): boolean {
  if (origin === 'shipped' || files === undefined) return true;
  const { real } = files();
  const there = real(path);
  const linked = origin === 'project' ? RECIPE_DIRECTORIES.project.map((one) => `${base}/${one}`) : [];
  const around = [base, ...linked].map(real).filter((one) => one !== null);
  return there === null || around.length === 0 || around.some((one) => there.startsWith(`${one}/`));
}

/** Whether a recipe or definition that lies in a home may be used: a project follows its own links to files. */
export function isUsable(library: Library, home: Home, path: string): boolean {
  return home.origin === 'project' || staysInside(library, home, path);
}
