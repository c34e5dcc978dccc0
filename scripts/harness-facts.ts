import type { HarnessId } from '../src/generated/harnesses.js';
import { type Harness, listSavingTools } from '../src/wings/harness/adapter.js';
import { HARNESSES } from '../src/wings/harness/harness.js';

/**
 * What the core asks of the harnesses, and the calls that agents wait for, which load no adapter: data alone. Each group becomes a
 * module of src/generated/, and each member an export of it, so that a program has those that it uses.
 */
export type Facts = ReturnType<typeof buildFacts>;

const ALL = Object.values(HARNESSES);

/** Takes the facts out of the adapters. */
export function buildFacts() {
  return {
    harnesses: {
      /** In the type that is generated, the ids themselves. */
      HARNESS_IDS: Object.keys(HARNESSES),
      HARNESS_TITLES: ALL.map(({ title }) => title),
      HARNESS_DIRECTORIES: ALL.map(({ directory }) => directory),
      /** The variables that mark a call (protocol.md §1), with whose each is; the first that is set counts. */
      HARNESS_MARKS: orderMarks(),
      /** By mark, the seconds within which a call answers. */
      ANSWER_WITHIN: byMark(({ answerWithin }) => answerWithin),
      /** By mark, the variable with the session that is told where no hook is heard. */
      WATCHED_SESSIONS: byMark(({ isWatched, session }) => (isWatched ? session : undefined)),
      /** The variables with the session that calls, ours first. */
      SESSION_VARIABLES: ['DEV_CLI_SESSION', ...ALL.flatMap(({ session = [] }) => session)],
      HIDES_SESSION: byId(({ session }) => (session === undefined ? true : undefined)),
      VOICES: byId(({ voice }) => voice),
      /** What stands before the name of an agent that ships. */
      AGENT_PREFIXES: byId(({ plugin }) => plugin && `${plugin.name}:`),
      /** Names that no plan gives to its workers, with whose each is. */
      RESERVED_BY: keyed(({ reserved, title }) => reserved.map((name) => [name, title])),
      /** The harnesses whose sandbox a rule lets dev-cli out of, and what they are called there. */
      SANDBOX_RULES: ALL.flatMap(({ id, sandbox }) => (sandbox === undefined ? [] : { id, name: sandbox.writesFor })),
    },
    'harness-agents': {
      /** Where agents of the project's own lie, with the ending of their files. */
      AGENT_PLACES: ALL.flatMap(({ directory, agentEnding }) =>
        [...new Set(['.md' as const, agentEnding])].map((ending) => ({ directory: `${directory}/agents`, ending })),
      ),
      SAVING_TOOLS: [...new Set(ALL.flatMap(listSavingTools))],
    },
    'harness-events': {
      EVENT_NAMES: byId(({ events }) => events),
      /** By mark, what AI_AGENT is like where it marks a hook and not a command. */
      HOOK_AGENTS: byMark(({ hookAgent }) => hookAgent),
      /** The variables that are `0` where a script, and no person, writes the prompts. */
      ATTENDED: ALL.flatMap(({ attended = [] }) => attended),
      NOTICES: byId(({ notice }) => notice),
      FOREWORDS: ALL.flatMap(({ foreword = [] }) => foreword),
      HIDES_WRITER: byId(({ hidesWriter }) => hidesWriter),
      TELLS_WITH_PROMPT: byId(({ tellsWithPrompt }) => tellsWithPrompt),
      FILE_TOOLS: keyed(({ tools }) => Object.entries({ ...tools.files, ...tools.notebooks })),
      PATCH_TOOLS: ALL.flatMap(({ tools: { patch = [] } }) => patch),
      SHELL_TOOLS: [...new Set(ALL.map(({ tools }) => tools.shell))],
      SHELL_DIRECTORIES: ALL.flatMap(({ tools: { shellDirectory = [] } }) => shellDirectory),
      SPENT_MEMBERS: ALL.flatMap(({ tools: { spent = [] } }) => spent),
      FAILURES: byId(({ tools }) => tools.failure),
      SAID_MEMBERS: byId(({ said }) => said),
      QUESTION_TOOLS: ALL.map(({ tools }) => tools.question),
    },
  };
}

/** A harness that sets AI_AGENT, too, is known by its own mark before that; of the others, a later row goes before an earlier one. */
function orderMarks(): Record<string, HarnessId | null> {
  const list = (some: Harness[]) => some.flatMap(({ id, marks }) => marks.map((mark) => [mark, id]));
  const others = ALL.filter(({ hookAgent }) => hookAgent === undefined).reverse();
  const own = ALL.filter((one) => !others.includes(one));
  return Object.fromEntries([...list(own), ['AI_AGENT', null], ...list(others), ['DEV_CLI_AGENT', null]]);
}

/** Undefined is nothing in JSON: what most harnesses do not have costs nothing. */
function byId<T>(find: (harness: Harness) => T): Record<string, T> {
  return keyed((one) => [[one.id, find(one)]]);
}

function byMark<T>(find: (harness: Harness) => T): Record<string, T> {
  return Object.fromEntries(ALL.flatMap((one) => one.marks.map((mark) => [mark, find(one)])));
}

/** Without a prototype, for keys that come from outside: a caller may call itself `constructor`. */
function keyed<T>(list: (harness: Harness) => [string, T][]): Record<string, T> {
  return Object.assign(Object.create(null), Object.fromEntries(ALL.flatMap(list)));
}
