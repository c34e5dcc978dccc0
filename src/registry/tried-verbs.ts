import type { Instruction, Invocation } from '../base/invocation.js';
import { isName } from '../base/name.js';

/** What a verb that does not exist was probably meant for. */
interface Alternative {
  /** What is so in dev-cli, in one sentence. */
  says: string;
  /** A command to run; in an instruction where something has to be filled in or understood first. */
  fix: (named: CommandTarget) => Invocation | Instruction;
}

/** The run's name as it was given; empty where none was: then the commands find the run themselves. */
type CommandTarget = { name: string } | Record<string, never>;

const next = (input: CommandTarget): Invocation => ({ command: 'next', input });
const status = (input: CommandTarget): Invocation => ({ command: 'status', input });
const history = (input: CommandTarget): Invocation => ({ command: 'history', input });

/** `init` of the run that is named: it resumes one that is there, and else says what it needs. */
const begin = (input: CommandTarget): Invocation | Instruction =>
  'name' in input
    ? { command: 'init', input }
    : ['Give the run a name: ', { command: 'init', input: { name: 'NAME', goal: 'what you want' } }];

const GOES_ON: Alternative = { says: 'A run goes on with its next action.', fix: next };
const BEGINS: Alternative = { says: 'A run is begun, and resumed, by init.', fix: begin };
const EXECUTES: Alternative = {
  says: 'A plan is carried out by init with --execute.',
  fix: (named) =>
    'name' in named
      ? { command: 'init', input: { ...named, execute: true } }
      : ['Name the run that has the plan: ', { command: 'init', input: { name: 'NAME', execute: true } }],
};
const KEEPS: Alternative = {
  says: 'Nothing has to be paused or saved: every call leaves the run whole. Stop calling, and later go on with its next action.',
  fix: next,
};
const ENDS: Alternative = {
  says: 'A run can be left as it is at any time, and goes on with its next action; only abort ends it for good.',
  fix: next,
};
const ACKNOWLEDGES: Alternative = {
  says: 'A step is done when its acknowledgement says so: the `ack` that its action prints.',
  fix: next,
};
const TELLS: Alternative = { says: 'status tells how a run stands.', fix: status };
const RECORDS: Alternative = {
  says: 'history tells what happened; the log of a command lies below .dev/specs/NAME/actions, and status names that of one at work.',
  fix: history,
};
const REDOES: Alternative = {
  says: 'Nothing is undone, but a step can be done again: step invalidate. Documents and commits stay.',
  fix: (named) => ['Find the step, then give it for STEP to `dev-cli step invalidate --step STEP`: ', status(named)],
};
const USES: Alternative = {
  says: 'use makes a run the active one.',
  fix: (named) => ('name' in named ? { command: 'use', input: named } : { command: 'list', input: {} }),
};

/**
 * Verbs that people and agents try, from what other tools call these things. None of them is a command, and none is a
 * word that is reserved (protocol.md §5): a test keeps it so.
 */
export const COMMON_VERBS: Readonly<Record<string, Alternative>> = {
  resume: GOES_ON,
  continue: GOES_ON,
  proceed: GOES_ON,
  poll: GOES_ON,
  wait: GOES_ON,
  start: BEGINS,
  begin: BEGINS,
  new: BEGINS,
  create: BEGINS,
  run: BEGINS,
  specify: BEGINS,
  execute: EXECUTES,
  implement: EXECUTES,
  pause: KEEPS,
  suspend: KEEPS,
  save: KEEPS,
  stop: ENDS,
  cancel: ENDS,
  kill: ENDS,
  quit: ENDS,
  done: ACKNOWLEDGES,
  ack: ACKNOWLEDGES,
  acknowledge: ACKNOWLEDGES,
  complete: ACKNOWLEDGES,
  finish: ACKNOWLEDGES,
  show: TELLS,
  info: TELLS,
  state: TELLS,
  progress: TELLS,
  log: RECORDS,
  logs: RECORDS,
  undo: REDOES,
  redo: REDOES,
  revert: REDOES,
  rollback: REDOES,
  reset: REDOES,
  switch: USES,
  select: USES,
  runs: { says: 'list names every run.', fix: () => ({ command: 'list', input: {} }) },
  ls: { says: 'list names every run.', fix: () => ({ command: 'list', input: {} }) },
  recipes: { says: '`recipe list` names every recipe.', fix: () => ({ command: 'recipe list', input: {} }) },
};

/** Groups of commands that people take for a command of that name: what shows the thing. */
const SHOWS: Readonly<Record<string, (name: string) => Invocation>> = {
  plan: (name) => ({ command: 'plan summary', input: { name } }),
  draft: (name) => ({ command: 'draft show', input: { name } }),
  recipe: (recipe) => ({ command: 'recipe show', input: { recipe } }),
};

/**
 * What to answer to a command that does not exist but is one that is often tried.
 * @param words the words behind it
 * @returns null where it says nothing
 */
export function findAlternative(
  verb: string,
  words: readonly string[],
): { says: string; fix: Invocation | Instruction } | null {
  if (!Object.hasOwn(COMMON_VERBS, verb)) return null;
  const tried = COMMON_VERBS[verb];
  const name = words.slice(0, 1).find(isName);
  return tried === undefined ? null : { says: tried.says, fix: tried.fix(name === undefined ? {} : { name }) };
}

/** The command that shows what `group` and a name, without a verb, were meant to show; null where there is none. */
export function findShowCommand(group: string, name: string): Invocation | null {
  const shown = Object.hasOwn(SHOWS, group) ? SHOWS[group] : undefined;
  return shown === undefined || !isName(name) ? null : shown(name);
}
