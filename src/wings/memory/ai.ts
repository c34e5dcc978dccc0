import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import { toWholeLine } from '../../documents/foreign.js';
import { type ChosenGoal, CONTEXT_BYTES, chooseGoal, readContextBudget, readGoals } from '../../documents/goals.js';
import { type HandoffFile, readHandoffFile, sortHandoffNames } from '../../documents/handoff-file.js';
import { requireInside } from '../../project/own-places.js';
import type { Context } from '../../run/context.js';

/** Reads a project's own files in `.ai/`, all of which are optional (memory.md, Context). */

/** The directory of handoffs, relative to the work tree. */
export const HANDOFFS = '.ai/handoffs';

const GOALS = '.ai/goals.yaml';
const CONFIG = '.ai/config.yaml';
const RULES = '.ai/rules.md';

type Project = Pick<Context, 'workTree' | 'reader'>;

/** Returns the newest readable handoff; skips unreadable ones. @throws DevCliError `IO` */
export function readNewestHandoff(project: Project): HandoffFile | null {
  const names = project.reader.list(`${project.workTree}/${HANDOFFS}`);
  for (const name of sortHandoffNames(names).reverse()) {
    const handoff = readHandoff(project, name);
    if (handoff !== null) return handoff;
  }
  return null;
}

function readHandoff(project: Project, name: string): HandoffFile | null {
  try {
    return readHandoffFile(readOwn(project, `${HANDOFFS}/${name}`) ?? '');
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}

/**
 * Reads an optional file of the project; refuses a path that leaves the project through a link.
 * @throws DevCliError `IO`
 */
function readOwn({ workTree, reader }: Project, path: string): string | null {
  requireInside(workTree, path);
  return reader.read(`${workTree}/${path}`);
}

/**
 * Returns the goal to work on; null if there are no goals. In an attempt's work tree, it is the attempt's goal, and is
 * read from the root, because the tree's own copy of the goals may be outdated.
 * @param named the goal that the newest handoff names
 * @throws DevCliError `SCHEMA_INVALID` with everything that is wrong with the goals; `IO`
 */
export function readChosenGoal(
  { root, workTree, reader, boundGoal }: Project & Pick<Context, 'root' | 'boundGoal'>,
  named: string | null,
): ChosenGoal | null {
  const text = readOwn({ workTree: boundGoal === undefined ? workTree : root, reader }, GOALS);
  if (text === null) return null;
  const check = readGoals(text);
  if (check.ok) return chooseGoal(check.goals, boundGoal ?? named);
  throw malformed(GOALS, 'what the goals are', check.problems);
}

function malformed(target: string, what: string, problems: ErrorDetail[]): DevCliError {
  return new DevCliError('SCHEMA_INVALID', `${target} is not valid: it does not say ${what}.`, {
    details: problems.map(({ at, ...problem }) => ({ target, ...problem, ...(at && { at: `${target}:${at}` }) })),
    fix: `Fix ${target}, then repeat the call.`,
  });
}

/** Returns the maximum size of a context in bytes. @throws DevCliError `SCHEMA_INVALID`, `IO` */
export function readBudget(project: Project): number {
  const text = readOwn(project, CONFIG);
  if (text === null) return CONTEXT_BYTES;
  const read = readContextBudget(text);
  if ('bytes' in read) return read.bytes;
  throw malformed(CONFIG, 'how large the context may be', [read]);
}

/** Returns the rules, one per line, secrets masked; all of them, however many. @throws DevCliError `IO` */
export function readProjectRules(project: Project): string[] {
  const text = readOwn(project, RULES) ?? '';
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .map(toWholeLine)
    .filter((line) => line !== '');
}
