import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Library } from '../../../src/recipe/load/library.js';
import { type LoadedRecipe, loadRecipe } from '../../../src/recipe/load/load.js';

const PACKAGE = new URL('../../../', import.meta.url).pathname.replace(/\/$/, '');

/**
 * Creates a library with this checkout's shipped recipes and a project with these files, by path; a path that begins
 * with `/` lies outside the project. The user's home directory is /home/me.
 */
export function libraryWith(project: Record<string, string> = {}): Library {
  const files = new Map(Object.entries(project).map(([path, text]) => [posix.resolve('/project', path), text]));
  const isOurs = (path: string) => path === PACKAGE || path.startsWith(`${PACKAGE}/`);
  return {
    shipped: PACKAGE,
    project: '/project',
    reader: {
      read: (path) => (isOurs(path) ? readOrNull(path) : (files.get(path) ?? null)),
      list: (directory) => (isOurs(directory) ? (listOrNull(directory) ?? []) : entriesOf(files, directory)),
    },
    files: () => ({
      home: '/home/me',
      settings: '/home/me/.config',
      find: (directory) =>
        pathsBelow(files, directory)
          .filter((path) => /\.ya?ml$/.test(path))
          .map((path) => ({ path })),
      real: (path) => (files.has(path) || pathsBelow(files, path).length > 0 ? path : null),
    }),
  };
}

function pathsBelow(files: ReadonlyMap<string, string>, directory: string): string[] {
  const paths = [...files.keys()].filter((path) => path.startsWith(`${directory}/`));
  return paths.map((path) => path.slice(directory.length + 1)).sort();
}

/** Loads the project recipe `demo`, with `more` files in the project. */
export function loadDemo(text: string, more: Record<string, string> = {}): LoadedRecipe {
  return loadRecipe(libraryWith({ '.dev/recipes/demo.yaml': text, ...more }), 'demo');
}

/** Renders every problem as `line:column severity message`. */
export function told(loaded: LoadedRecipe): string[] {
  return loaded.problems.map(({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`);
}

function entriesOf(files: ReadonlyMap<string, string>, directory: string): string[] {
  return [...new Set(pathsBelow(files, directory).map((path) => path.split('/')[0] ?? ''))];
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function listOrNull(path: string): string[] | null {
  try {
    return readdirSync(path).sort();
  } catch {
    return null;
  }
}
