import { lstatSync, readdirSync } from 'node:fs';

/** When anything in a work tree was changed last, also what git ignores (protocol.md §4). Asks nothing of git. */

/** Files and directories that are looked at: some two seconds. */
const MOST = 300_000;

/**
 * Finds when the last file or directory below a directory was changed, moved, made or removed, by the change time that nobody can set
 * back. Links are not followed.
 * @param top absolute path
 * @param except path from there that does not count; git's own directories never do
 * @returns milliseconds since the epoch, never rounded up; Infinity where that cannot be told: too many files, or one that cannot be read
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
