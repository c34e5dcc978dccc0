import { lstatSync, readdirSync } from 'node:fs';

/** Finds the last change in a work tree, including files that git ignores (protocol.md §4). Does not call git. */

/** Maximum number of files and directories to visit, which takes about two seconds. */
const MOST = 300_000;

/**
 * Finds when the last file or directory below a directory was changed, moved, created or removed. Uses the ctime, which
 * nobody can set back. Does not follow links.
 * @param top absolute path
 * @param except path relative to `top` that is ignored, as `.git` always is
 * @returns milliseconds since the epoch, rounded down; Infinity if it cannot be determined: too many files, or an
 * unreadable one
 */
export function findLastChange(top: string, except: string): number {
  const open = [''];
  let last = 0;
  let seen = 0;
  const look = (path: string) => {
    last = Math.max(last, Math.floor(lstatSync(`${top}/${path}`).ctimeMs));
  };
  try {
    for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
      look(directory);
      for (const entry of readdirSync(`${top}/${directory}`, { withFileTypes: true })) {
        const path = directory + entry.name;
        seen += 1;
        if (seen > MOST) return Number.POSITIVE_INFINITY;
        if (entry.name === '.git' || path === except) continue;
        if (entry.isDirectory()) open.push(`${path}/`);
        else look(path);
      }
    }
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  return last;
}
