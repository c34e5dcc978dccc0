import type { HarnessId } from '../src/generated/harnesses.js';
import { type Harness, listSavingTools, type PayloadMember } from '../src/wings/harness/adapter.js';
import { HARNESSES } from '../src/wings/harness/harness.js';

/**
 * Facts about the harnesses, as plain data for code that loads no adapters: the core, and calls that agents wait for.
 * Each group becomes a module in src/generated/, and each member an export, so that a program includes only the members
 * that it uses.
 */
export type Facts = ReturnType<typeof buildFacts>;

const ALL = Object.values(HARNESSES);

/** Collects the facts from the adapters. */
export function buildFacts() {
  return {
    harnesses: {
      /** The generated type lists the ids as literals. */
      HARNESS_IDS: Object.keys(HARNESSES),
      HARNESS_TITLES: ALL.map(({ title }) => title),
      HARNESS_DIRECTORIES: ALL.map(({ directory }) => directory),
      /** The variables that mark calls (protocol.md §1), each with its harness; the first one that is set counts. */
      HARNESS_MARKS: orderMarks(),
      /** By mark, the seconds within which a call must answer. */
      ANSWER_WITHIN: byMark(({ answerWithin }) => answerWithin),
      /** By mark, the variable with the session's id, for harnesses where dev-cli warns if the hooks do not run. */
      WATCHED_SESSIONS: byMark(({ isWatched, session }) => (isWatched ? session : undefined)),
      /** The variables that may contain the calling session's id, dev-cli's own first. */
      SESSION_VARIABLES: ['DEV_CLI_SESSION', ...ALL.flatMap(({ session = [] }) => session)],
      HIDES_SESSION: byId(({ session }) => (session === undefined ? true : undefined)),
      VOICES: byId(({ voice }) => voice),
      /** By harness, the prefix that the plugin adds to the names of shipped agents. */
      AGENT_PREFIXES: byId(({ plugin }) => plugin && `${plugin.name}:`),
      /** Names that no plan may give to its workers, each with the harness that reserves it. */
      RESERVED_BY: keyed(({ reserved, title }) => reserved.map((name) => [name, title])),
      /**
       * The harnesses whose sandbox dev-cli escapes by a rule that `install` writes. `name` is what messages call the
       * harness.
       */
      SANDBOX_RULES: ALL.flatMap(({ id, sandbox }) => (sandbox === undefined ? [] : { id, name: sandbox.writesFor })),
    },
    'harness-agents': {
      /** Directories that contain a project's own agents, each with a file ending. */
      AGENT_PLACES: ALL.flatMap(({ directory, agentEnding }) =>
        [...new Set(['.md' as const, agentEnding])].map((ending) => ({ directory: `${directory}/agents`, ending })),
      ),
      SAVING_TOOLS: [...new Set(ALL.flatMap(listSavingTools))],
    },
    'harness-events': {
      EVENT_NAMES: byId(({ events }) => events),
      /** By mark, the pattern that AI_AGENT matches in a hook, but not in a command. */
      HOOK_AGENTS: byMark(({ hookAgent }) => hookAgent),
      /** The variables that are `0` when a script and not a person writes the prompts. */
      ATTENDED: ALL.flatMap(({ attended = [] }) => attended),
      NOTICES: byId(({ notice }) => notice),
      FOREWORDS: ALL.flatMap(({ foreword = [] }) => foreword),
      HIDES_WRITER: byId(({ members }) => (members?.agent_id === null ? true : undefined)),
      TELLS_WITH_PROMPT: byId(({ tellsWithPrompt }) => tellsWithPrompt),
      FILE_TOOLS: keyed(({ tools }) => Object.entries({ ...tools.files, ...tools.notebooks })),
      PATCH_TOOLS: ALL.flatMap(({ tools: { patch = [] } }) => patch),
      SHELL_TOOLS: [...new Set(ALL.map(({ tools }) => tools.shell))],
      SHELL_DIRECTORIES: ALL.flatMap(({ tools: { shellDirectory = [] } }) => shellDirectory),
      SPENT_MEMBERS: ALL.flatMap(({ tools: { spent = [] } }) => spent),
      FAILURES: byId(({ tools }) => tools.failure),
      /** By harness, other names of payload members and of members of a tool's input. */
      PAYLOAD_MEMBERS: byId(({ members }) => listRenamed(members)),
      INPUT_MEMBERS: byId(({ tools }) => tools.members),
      QUESTION_TOOLS: ALL.map(({ tools }) => tools.question),
    },
  };
}

/**
 * Orders the marks, because the first one that is set decides. AI_AGENT names no harness, so the marks of harnesses
 * that also set AI_AGENT come before it. The marks of the other harnesses come after it, with the last harness first.
 */
function orderMarks(): Record<string, HarnessId | null> {
  const list = (some: Harness[]) => some.flatMap(({ id, marks }) => marks.map((mark) => [mark, id]));
  const others = ALL.filter(({ hookAgent }) => hookAgent === undefined).reverse();
  const own = ALL.filter((one) => !others.includes(one));
  return Object.fromEntries([...list(own), ['AI_AGENT', null], ...list(others), ['DEV_CLI_AGENT', null]]);
}

/** Leaves out the members that a harness does not send; if it sends them one day, they have their common names. */
function listRenamed(members: Harness['members'] = {}): Record<string, string> | undefined {
  const renamed = Object.entries(members).filter((entry): entry is [PayloadMember, string] => entry[1] !== null);
  return renamed.length === 0 ? undefined : Object.fromEntries(renamed);
}

/** Builds a table by harness id. The generated file lacks harnesses without a value, because JSON drops undefined. */
function byId<T>(find: (harness: Harness) => T): Record<string, T> {
  return keyed((one) => [[one.id, find(one)]]);
}

function byMark<T>(find: (harness: Harness) => T): Record<string, T> {
  return Object.fromEntries(ALL.flatMap((one) => one.marks.map((mark) => [mark, find(one)])));
}

/** Builds a table without a prototype, because it is looked up by names from outside, such as `constructor`. */
function keyed<T>(list: (harness: Harness) => [string, T][]): Record<string, T> {
  const table: Record<string, T> = Object.create(null);
  for (const [key, value] of ALL.flatMap(list)) {
    if (key in table && table[key] !== value) throw new Error(`Two harnesses say different things about "${key}".`);
    table[key] = value;
  }
  return table;
}
