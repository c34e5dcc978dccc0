// door: seldom

import { isAbsolute, join, relative, resolve } from 'node:path';
import { isName } from '../base/name.js';
import { pathError } from '../store/io.js';

/** Stands in place of a run's name if the work tree was not made for a run. */
const NO_RUN = '-';

/**
 * Parses the file that binds the work tree at `top` to a root, a run and a goal (storage.md, Work tree). Kept in a
 * module of its own, because few calls come from such a tree.
 * @param pointer absolute path of that file
 * @param isDirectory returns whether a path is a directory on disk
 * @throws DevCliError `IO` if the content of the file is not usable
 */
export function readBinding(top: string, pointer: string, text: string, isDirectory: (path: string) => boolean) {
  const [root = '', run = '', below = '', goal = ''] = text.split('\n').map((line) => line.trim());
  const workTree = join(top, below);
  const fail = (problem: string) =>
    pathError(pointer, null, problem, 'Ask the user which project this work tree belongs to, and name it with --root.');
  if (!isAbsolute(root) || !(isName(run) || run === NO_RUN))
    throw fail('it does not contain an absolute root and the name of a run');
  if (!isDirectory(root)) throw fail(`the root it names, ${root}, does not exist`);
  if (!isDirectory(workTree) || relative(top, workTree).startsWith('..'))
    throw fail(`the directory it names, ${below}, is not in the work tree`);
  const boundRun = run === NO_RUN ? null : run;
  return { root: resolve(root), workTree, boundRun, ...(goal === '' ? {} : { boundGoal: goal }) };
}
