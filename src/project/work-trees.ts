import { readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { findLinkedGitDirectory, isExistingDirectory, listAncestors, readPointer } from './root.js';

/** Finds the work trees of a repository (`git worktree add`) from git's files, without starting a process. */

/**
 * Returns the main work tree of the repository if `directory` is in a linked one; otherwise null.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function findMainWorkTree(directory: string): string | null {
  const { top } = listAncestors(directory);
  const common = top === null ? null : findGitDirectories(top)?.common;
  return top === null || !common || common === join(top, '.git') ? null : toMainWorkTree(common);
}

/**
 * Lists the directories that correspond to `directory` in the other work trees, starting with the main work tree.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function listInOtherWorkTrees(directory: string): string[] {
  const { top } = listAncestors(directory);
  const common = top === null ? null : findGitDirectories(top)?.common;
  if (top === null || !common) return [];
  const linked = listLinked(join(common, 'worktrees'));
  const trees = [toMainWorkTree(common), ...linked].filter((tree) => tree !== null && tree !== top);
  return trees
    .flatMap((tree) => (tree === null ? [] : join(tree, relative(top, directory))))
    .filter(isExistingDirectory);
}

/**
 * Returns the git directory of a work tree (`own`), and the one that all work trees of the repository share (`common`).
 * `common` is null if the own git directory does not name a shared one, as in a submodule.
 * @param top absolute
 * @returns null if `.git` leads nowhere
 * @throws DevCliError `IO`
 */
export function findGitDirectories(top: string): { own: string; common: string | null } | null {
  const whole = join(top, '.git');
  if (isExistingDirectory(whole)) return { own: whole, common: whole };
  const own = findLinkedGitDirectory(top);
  const common = own === null ? null : readPointer(join(own, 'commondir'));
  return own === null ? null : { own, common: common === null ? null : resolve(own, common.trim()) };
}

function toMainWorkTree(common: string): string | null {
  return basename(common) === '.git' && isExistingDirectory(dirname(common)) ? dirname(common) : null;
}

/** Lists linked work trees. For each, git keeps a file that contains the path of the work tree's `.git`. */
function listLinked(directory: string): string[] {
  let names: string[];
  try {
    names = readdirSync(directory).sort();
  } catch {
    // No linked work tree was ever made, or this user may not read the directory.
    return [];
  }
  return names.flatMap((name) => {
    const link = readPointer(join(directory, name, 'gitdir'))?.trim();
    return link === undefined ? [] : [dirname(resolve(directory, name, link))];
  });
}
