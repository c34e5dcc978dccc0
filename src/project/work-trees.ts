import { readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { climb, findLinkedGitDirectory, isDirectory, readPointer } from './root.js';

/** The work trees of a repository (`git worktree add`), as git's files tell of them; no process is started. */

/**
 * The main work tree of the repository when `directory` lies in a linked one; null elsewhere.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function findMainWorkTree(directory: string): string | null {
  const { top } = climb(directory);
  const common = top === null ? null : findGitDirectories(top)?.common;
  return top === null || !common || common === join(top, '.git') ? null : toMainWorkTree(common);
}

/**
 * Lists where a directory lies in the other work trees of its repository, the main one first.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function listInOtherWorkTrees(directory: string): string[] {
  const { top } = climb(directory);
  const common = top === null ? null : findGitDirectories(top)?.common;
  if (top === null || !common) return [];
  const linked = listLinked(join(common, 'worktrees'));
  const trees = [toMainWorkTree(common), ...linked].filter((tree) => tree !== null && tree !== top);
  return trees.flatMap((tree) => (tree === null ? [] : join(tree, relative(top, directory)))).filter(isDirectory);
}

/**
 * The git directory of a work tree, and the one that all work trees share, which is null where `.git` leads to one that has no others.
 * @param top absolute
 * @returns null where `.git` leads nowhere
 * @throws DevCliError `IO`
 */
export function findGitDirectories(top: string): { own: string; common: string | null } | null {
  const whole = join(top, '.git');
  if (isDirectory(whole)) return { own: whole, common: whole };
  const own = findLinkedGitDirectory(top);
  const common = own === null ? null : readPointer(join(own, 'commondir'));
  return own === null ? null : { own, common: common === null ? null : resolve(own, common.trim()) };
}

function toMainWorkTree(common: string): string | null {
  return basename(common) === '.git' && isDirectory(dirname(common)) ? dirname(common) : null;
}

/** Each has a file that names the `.git` of the work tree. */
function listLinked(directory: string): string[] {
  let names: string[];
  try {
    names = readdirSync(directory).sort();
  } catch {
    // None was ever made, or this user may not look.
    return [];
  }
  return names.flatMap((name) => {
    const link = readPointer(join(directory, name, 'gitdir'))?.trim();
    return link === undefined ? [] : [dirname(resolve(directory, name, link))];
  });
}
