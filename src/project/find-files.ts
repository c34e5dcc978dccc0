// door: language, inside: complete

import { readdirSync, realpathSync, statSync } from 'node:fs';
import type { FileFinder, FoundFile } from '../base/files.js';

// Loaded by `require` on first use, as in recipe/source/yaml.ts, since most projects have no recipes of their own.
const fastGlob = (): typeof import('fast-glob') => require('fast-glob');

const YAML = /\.ya?ml$/;
const YAML_IN_CAPITALS = /\.ya?ml$/i;

/**
 * Finds files on this machine (src/base/files.ts).
 * @param env the environment, whose variables name the user's directories
 */
export function openFileFinder(env: Readonly<Record<string, string | undefined>>): FileFinder {
  const home = absolute(env['HOME']);
  return {
    home,
    settings: absolute(env['XDG_CONFIG_HOME']) ?? (home === null ? null : `${home}/.config`),
    find: findYamlFiles,
    real: resolveLinks,
  };
}

function findYamlFiles(directory: string): FoundFile[] {
  const kind = kindOf(directory);
  if (kind === 'nothing') return [];
  if (kind === 'file') return [{ path: '', closed: 'unreadable' }];
  const closed: FoundFile[] = [];
  // Records directories that cannot be read, because fast-glob itself would either stop at them or skip them silently.
  const noteUnreadable = ((path: string, options: { withFileTypes: true }) => {
    try {
      return readdirSync(path, options);
    } catch (error) {
      closed.push({ path: path.slice(directory.length + 1), closed: 'unreadable' });
      throw error;
    }
  }) as typeof readdirSync;
  const entries = fastGlob().sync('**', {
    cwd: directory,
    objectMode: true,
    onlyFiles: false,
    followSymbolicLinks: false,
    suppressErrors: true,
    ignore: ['**/node_modules'],
    fs: { readdirSync: noteUnreadable },
  });
  const files = entries.flatMap(({ path, dirent }): FoundFile[] => {
    const leadsTo = dirent.isSymbolicLink() ? kindOf(`${directory}/${path}`) : null;
    if (leadsTo === 'directory') return [{ path, closed: 'link' }];
    if (dirent.isDirectory() || !YAML_IN_CAPITALS.test(path)) return [];
    return [YAML.test(path) ? { path } : { path, closed: 'ending' }];
  });
  return [...files, ...closed].sort(compareByDepth);
}

function compareByDepth({ path: a }: FoundFile, { path: b }: FoundFile): number {
  return a.split('/').length - b.split('/').length || (a < b ? -1 : a > b ? 1 : 0);
}

function resolveLinks(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    // Not reported here, since the code that reads the file reports the reason.
    return null;
  }
}

function kindOf(path: string): 'directory' | 'file' | 'nothing' {
  try {
    return statSync(path).isDirectory() ? 'directory' : 'file';
  } catch {
    return 'nothing';
  }
}

/** Ignores a relative path, as the XDG specification demands. */
function absolute(path: string | undefined): string | null {
  return path?.startsWith('/') ? path.replace(/(?<=.)\/+$/, '') : null;
}
