// door: seldom

import { isAbsolute, join, relative, resolve } from 'node:path';
import { isName } from '../base/name.js';
import { pathError } from '../store/io.js';

/** Written in place of a run's name if the work tree was made for no run. */
const NO_RUN = '-';

/**
 * Reads what the work tree at `top` was made for (storage.md, Work tree). Few calls come from such a tree.
 * @param pointer absolute path of the file that says so
 * @param isDirectory checks the disk
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
