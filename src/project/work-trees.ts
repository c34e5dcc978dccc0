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
  const common = top === null ? null : findCommonDirectory(top);
  return top === null || common === null || common === join(top, '.git') ? null : toMainWorkTree(common);
}

/**
 * Lists where a directory lies in the other work trees of its repository, the main one first.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function listInOtherWorkTrees(directory: string): string[] {
  const { top } = climb(directory);
  const common = top === null ? null : findCommonDirectory(top);
  if (top === null || common === null) return [];
  const linked = listLinked(join(common, 'worktrees'));
  const trees = [toMainWorkTree(common), ...linked].filter((tree) => tree !== null && tree !== top);
  return trees.flatMap((tree) => (tree === null ? [] : join(tree, relative(top, directory)))).filter(isDirectory);
}

/** The git directory that all work trees share; null where `.git` leads nowhere. */
function findCommonDirectory(top: string): string | null {
  if (isDirectory(join(top, '.git'))) return join(top, '.git');
  const gitDirectory = findLinkedGitDirectory(top);
  const common = gitDirectory === null ? null : readPointer(join(gitDirectory, 'commondir'));
  return gitDirectory === null || common === null ? null : resolve(gitDirectory, common.trim());
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
