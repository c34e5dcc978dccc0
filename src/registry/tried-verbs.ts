import type { Instruction, Invocation } from '../base/invocation.js';
import { isName } from '../base/name.js';

/** What to use in place of a verb that does not exist. */
interface Alternative {
  /** How dev-cli does it, in one sentence. */
  says: string;
  /** The command to run, within an instruction where something has to be filled in first. */
  fix: (named: CommandTarget) => Invocation | Instruction;
}

/** The run's name if one was given; commands without a name find the run themselves. */
type CommandTarget = { name: string } | Record<string, never>;

const next = (input: CommandTarget): Invocation => ({ command: 'next', input });
const status = (input: CommandTarget): Invocation => ({ command: 'status', input });
const history = (input: CommandTarget): Invocation => ({ command: 'history', input });

/** `init` of the named run: it resumes an unfinished one, and otherwise says what it needs. */
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
  says: 'Nothing has to be saved: every call leaves the run whole. Stop calling, and later go on with its next action.',
  fix: next,
};
const HOLDS: Alternative = {
  says: 'hold stops a run after what is running; release lets it go on.',
  fix: (input) => ({ command: 'hold', input }),
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
  says: 'A step can be done again: step invalidate; documents and commits stay. A person takes the commits of a todo back: step undo.',
  fix: (named) => ['Find the step, then give it for STEP to `dev-cli step invalidate --step STEP`: ', status(named)],
};
const USES: Alternative = {
  says: 'use makes a run the active one.',
  fix: (named) => ('name' in named ? { command: 'use', input: named } : { command: 'list', input: {} }),
};

/** What is meant by the verbs of other tools, which are separated by blanks. */
const MEANINGS: readonly [Alternative, string][] = [
  [GOES_ON, 'resume continue proceed poll wait'],
  [BEGINS, 'start begin new create run specify'],
  [EXECUTES, 'execute implement'],
  [KEEPS, 'save'],
  [HOLDS, 'pause suspend'],
  [ENDS, 'stop cancel kill quit'],
  [ACKNOWLEDGES, 'done ack acknowledge complete finish'],
  [TELLS, 'show info state progress'],
  [RECORDS, 'log logs'],
  [REDOES, 'undo redo revert rollback reset'],
  [USES, 'switch select'],
  [{ says: 'list names every run.', fix: () => ({ command: 'list', input: {} }) }, 'runs ls'],
  [{ says: '`recipe list` names every recipe.', fix: () => ({ command: 'recipe list', input: {} }) }, 'recipes'],
];

/**
 * Verbs that people and agents try because other tools have them. A test holds that none is a command or a reserved
 * word (protocol.md §5).
 */
export const COMMON_VERBS: Readonly<Record<string, Alternative>> = Object.fromEntries(
  MEANINGS.flatMap(([alternative, verbs]) => verbs.split(' ').map((verb) => [verb, alternative])),
);

/** For groups of commands that people take for a command: the command that shows the thing. */
const SHOWS: Readonly<Record<string, (name: string) => Invocation>> = {
  plan: (name) => ({ command: 'plan summary', input: { name } }),
  draft: (name) => ({ command: 'draft show', input: { name } }),
  recipe: (recipe) => ({ command: 'recipe show', input: { recipe } }),
};

/**
 * Finds what to use in place of a verb that is often tried.
 * @param words the words after it, the first of which may be a run's name
 * @returns null for any other verb
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

/** Finds the command meant by a group and a name without a verb, such as `plan add-auth`; null where there is none. */
export function findShowCommand(group: string, name: string): Invocation | null {
  const shown = Object.hasOwn(SHOWS, group) ? SHOWS[group] : undefined;
  return shown === undefined || !isName(name) ? null : shown(name);
}
