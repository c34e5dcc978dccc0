import { readdirSync, readFileSync } from 'node:fs';
import type { Library } from '../../../src/recipe/library.js';
import { type LoadedRecipe, loadRecipe } from '../../../src/recipe/load.js';

const PACKAGE = new URL('../../../', import.meta.url).pathname.replace(/\/$/, '');

/** The shipped recipes as they lie in this checkout, and a project whose files are given by path. */
export function libraryWith(project: Record<string, string> = {}): Library {
  const files = new Map(Object.entries(project).map(([path, text]) => [`/project/${path}`, text]));
  return {
    shipped: PACKAGE,
    project: '/project',
    reader: {
      read: (path) => (path.startsWith('/project/') ? (files.get(path) ?? null) : readOrNull(path)),
      list: (directory) =>
        directory.startsWith('/project/') ? entriesOf(files, directory) : (listOrNull(directory) ?? []),
    },
  };
}

/** Loads a project recipe `demo` with further files of the project. */
export function loadDemo(text: string, more: Record<string, string> = {}): LoadedRecipe {
  return loadRecipe(libraryWith({ '.dev/recipes/demo.yaml': text, ...more }), 'demo');
}

/** `line:column severity message` of every problem. */
export function told(loaded: LoadedRecipe): string[] {
  return loaded.problems.map(({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`);
}

function entriesOf(files: ReadonlyMap<string, string>, directory: string): string[] {
  const below = [...files.keys()].filter((path) => path.startsWith(`${directory}/`));
  return [...new Set(below.map((path) => path.slice(directory.length + 1).split('/')[0] ?? ''))].sort();
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
