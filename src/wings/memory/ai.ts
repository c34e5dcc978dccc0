import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import { toWholeLine } from '../../documents/foreign.js';
import { type ChosenGoal, CONTEXT_BYTES, chooseGoal, readContextBudget, readGoals } from '../../documents/goals.js';
import { type HandoffFile, readHandoffFile, sortHandoffNames } from '../../documents/handoff-file.js';
import type { Context } from '../../run/context.js';

/** What a project says of itself in `.ai/`, which may be absent (memory.md, Context). */

/** Where handoffs lie, relative to the work tree. */
export const HANDOFFS = '.ai/handoffs';

const GOALS = '.ai/goals.yaml';
const CONFIG = '.ai/config.yaml';
const RULES = '.ai/rules.md';

type Project = Pick<Context, 'workTree' | 'reader'>;

/** The newest handoff that can be read; those that cannot are passed over. @throws DevCliError `IO` */
export function readNewestHandoff({ workTree, reader }: Project): HandoffFile | null {
  const directory = `${workTree}/${HANDOFFS}`;
  for (const name of sortHandoffNames(reader.list(directory)).reverse()) {
    const text = reader.read(`${directory}/${name}`);
    const handoff = text === null ? null : readHandoffFile(text);
    if (handoff !== null) return handoff;
  }
  return null;
}

/**
 * The goal to work on; null where there are no goals.
 * @param named by the newest handoff
 * @throws DevCliError `SCHEMA_INVALID` with all that is wrong with the goals; `IO`
 */
export function readGoal({ workTree, reader }: Project, named: string | null): ChosenGoal | null {
  const text = reader.read(`${workTree}/${GOALS}`);
  if (text === null) return null;
  const check = readGoals(text);
  if (check.ok) return chooseGoal(check.goals, named);
  throw malformed(GOALS, 'what the goals are', check.problems);
}

function malformed(target: string, what: string, problems: ErrorDetail[]): DevCliError {
  return new DevCliError('SCHEMA_INVALID', `${target} does not say ${what}.`, {
    details: problems.map(({ at, ...problem }) => ({ target, ...problem, ...(at && { at: `${target}:${at}` }) })),
    fix: `Mend ${target}, then repeat the call.`,
  });
}

/** Bytes that a context may have. @throws DevCliError `SCHEMA_INVALID`, `IO` */
export function readBudget({ workTree, reader }: Project): number {
  const text = reader.read(`${workTree}/${CONFIG}`);
  if (text === null) return CONTEXT_BYTES;
  const read = readContextBudget(text);
  if ('bytes' in read) return read.bytes;
  throw malformed(CONFIG, 'how large a context may be', [read]);
}

/** The rules, one line each, secrets masked; none is ever left out. @throws DevCliError `IO` */
export function readRules({ workTree, reader }: Project): string[] {
  const text = reader.read(`${workTree}/${RULES}`) ?? '';
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .map(toWholeLine)
    .filter((line) => line !== '');
}
