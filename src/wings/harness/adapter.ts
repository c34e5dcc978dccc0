import type { HarnessId } from '../../generated/harnesses.js';
import type { Spent } from '../../protocol/ports.js';
import type { Finding } from './doctor/finding.js';
import type { Environment } from './doctor/probes.js';
import type { FormFault } from './doctor/settings-form.js';
import type { Piece, Scope } from './install/piece.js';
import type { Addition } from './install/settings.js';

/** What dev-cli has to know of a harness: all of it in one file of adapters/, with a row in harness.ts (harness.md, Install). */

/** Events that dev-cli wants to hear of, by the name that `dev-cli hook` takes, with the name that most harnesses have for each. */
export const COMMON_EVENTS = {
  'session-start': 'SessionStart',
  'user-prompt-submit': 'UserPromptSubmit',
  'pre-tool-use': 'PreToolUse',
  'post-tool-use': 'PostToolUse',
  stop: 'Stop',
  'session-end': 'SessionEnd',
} as const;
export type HookEventName = keyof typeof COMMON_EVENTS;
export const HOOK_EVENTS = Object.keys(COMMON_EVENTS) as HookEventName[];

/** What is data here, scripts/harness-facts.ts hands to the core and to the calls that agents wait for. */
export interface Harness {
  id: HarnessId;
  title: string;
  /** Its program, as found on the PATH. */
  program: string;
  /** Its directory, in a project as in a home directory. */
  directory: string;
  /** Where it looks for skills, in a project as in a home directory. */
  skills: string;
  /** Names of files and directories that steer it: no plan gives them to its workers. */
  reserved: readonly string[];
  voice: Voice;
  /** Variables that it sets for the commands that it runs (protocol.md §1). */
  marks: readonly string[];
  /** Where it sets these for hooks, too: the pattern that AI_AGENT, which it also sets, fits there. */
  hookAgent?: string;
  /** The variable that tells a command its session. Absent: none does, so that what counts per session elsewhere counts in the root. */
  session?: string;
  /** A session in which no hook is heard is told so; its variable alone is a mark (harness.md, Sessions). */
  isWatched?: true;
  /** The variable that is `0` where a script, and no person, writes the prompts. */
  attended?: string;
  /** Seconds within which a call answers, where it waits less than others for a command. */
  answerWithin?: number;
  /** It does not say which agent calls a tool. */
  hidesWriter?: true;
  /** It says nothing after a compaction, but keeps what comes with the last prompt. */
  tellsWithPrompt?: true;
  /** Its notice of an agent that has ended in the background, which comes as a prompt. */
  notice?: Notice;
  /** The pattern of what it puts before a prompt and no person wrote: the text of hooks. */
  foreword?: string;
  /** The member of `stop` with the agent's last message. */
  said?: string;
  /** Its own names of the events. */
  events: Readonly<Record<HookEventName, string>>;
  tools: Tools;
  /** It counts a hook's timeout in milliseconds, not in seconds. */
  countsMilliseconds?: true;
  /** What our hooks are called, where it shows a name in place of the line. */
  hookName?: string;
  /** It runs a line by the user's shell, whichever that is, and not by a POSIX one. */
  runsByUsersShell?: true;
  /** The variable by which our lines find the directory of the project. */
  projectVariable: string;
  /** It sets none for hooks of a project: that is the nearest directory with its settings. */
  seeksProject?: true;

  /** The ending of its own agents' files. */
  agentEnding: '.md' | '.toml';
  /** Renders an agent as the text of such a file. */
  renderAgent: (agent: Agent) => string;
  /** A file that would give a skill of this name another one's slash command. */
  locateRival?: (skill: string) => string;
  /** The settings that get the hooks and these additions. */
  settings: { path: string; what: string; listAdditions?: (scope: Scope) => Addition[] };
  /** Where a project tells it what `install --with` adds. */
  extras?: {
    /** The file that its agents read before they begin. */
    instructions: string;
    /** The file of tool servers, JSON or TOML, and what holds them there, by their names. */
    servers: { path: string; holder: string };
    /** What the settings get, so that it does not ask about each tool of a server. */
    permit?: (server: string) => Addition;
  };
  /** What is installed besides; files get the mark of dev-cli. */
  listMore?: (scope: Scope) => Piece[];
  /** The file of what it may not read, which takes a line for `.dev`. */
  ignoreFile?: string;
  /** Its agents cannot be given an effort. */
  hasNoEffort?: true;
  /** How the user goes on once it is set up. */
  describeStart: (skill: string, where: { scope: Scope; base: string }) => string;
  /** The package is a plugin of it, too. */
  plugin?: Plugin;

  /** Settings of a project count only in the directory that it is started in. */
  readsWhereStarted?: true;
  /** The variable by which it is told another directory than the one in the home directory, which `install` writes to. */
  homeVariable?: string;
  /** Finds what else keeps it from running its hooks. @throws DevCliError `IO`, `DATA_MALFORMED` */
  findSilence: (asked: Asked) => Finding[];
  /** Why a session may go without hooks. */
  whyUnheard: string;
  /** Lists what it cannot use in the settings that `install` shares with it, and what it does then with the file. */
  listFormFaults: (settings: Record<string, unknown>, text: string) => FormFault[];
  dropsSettings: 'ignores all of' | 'does not start with';
  /** What it sends before a tool writes a file, as it was recorded; only places and ids are others. */
  buildTrial: (write: { directory: string; path: string; content: string }) => object;
  /** It runs commands by a login shell. */
  usesLoginShell?: true;
  /** For whom `install` writes a rule that lets dev-cli out of its sandbox, and what lets others write to git and listen there. */
  sandbox?: { writesFor: string; git: string; listening: string };
}

/** Its words in an action (harness.md, How an action is done). */
interface Voice {
  /** Follows "Ask with", before "in your message". */
  ask: string;
  /** How agents are started: as `dev-cli-<type>`, else `<type>`, with `tell`, in this order; `<calls>` and `<notice>` stand for the next and for whose notice the ack is run after. */
  start: string;
  /** What one call is called, and several together. */
  calls?: readonly [string, string];
  /** What else is done while all agents are at work. */
  wait?: string;
}

/** The names of its tools. */
interface Tools {
  /** Those that write one file, with the member of their input that names it. */
  files: Readonly<Record<string, string>>;
  /** The same of a notebook, which is never what was asked for. */
  notebooks?: Readonly<Record<string, string>>;
  patch?: string;
  shell: string;
  /** Members of its input, the first before others, that may name the directory of the command. */
  shellDirectory?: readonly string[];
  /** Another name of that in its rules. */
  shellInRules?: string;
  /** By which an agent asks its user. */
  question: string;
  /** By which it starts agents, where the answer tells what these have used. */
  agents?: readonly string[];
  /** The members of that answer. */
  spent?: Readonly<Record<keyof Spent, string>>;
  /** How an answer says that the call has failed: a member that is there, or the pattern of a text. Absent: none comes of such a call. */
  failure?: { member: string } | { text: string };
}

/** What a notice begins with, and patterns whose first group is in it. */
interface Notice extends Readonly<Record<keyof Spent, string>> {
  begins: string;
}

/** A shipped agent: what its front matter says, its body, and the model that it is to have. */
export interface Agent {
  name: string;
  description: string;
  tools: string[];
  body: string;
  model?: string | undefined;
  effort?: 'low' | 'medium' | 'high' | undefined;
}

/** The package as a plugin, which has the skills and agents beside the files that are built here (harness.md, Packaging). */
interface Plugin {
  /** Before each of its skills and agents: `/dev-cli:specify`. */
  name: string;
  /** The variable with its directory. */
  root: string;
  /** Builds its files, by path from the package's directory, from what the package says of itself and from the hooks. */
  build: (about: About, hooks: Record<string, unknown[]>) => Record<string, object>;
  /** Settings in which it is switched on, relative to the project or the home directory. */
  settings: readonly string[];
  isOn: (settings: Record<string, unknown>) => boolean;
  /** Said where all that is installed stands twice. */
  twice: string;
}

/** What the package says of itself. */
export interface About {
  version: string;
  description: string;
  license: string;
  keywords: readonly string[];
}

/** Where a harness is asked for what keeps it silent, and what it is asked with. */
export interface Asked {
  /** Absolute; the directories whose trust counts for the project, the root first. */
  directories: readonly string[];
  /** Where something is installed for it. */
  scopes: readonly Scope[];
  env: Environment;
  /** Its directory of the user, absolute, wherever a variable has moved it. */
  own: string;
  /** Reads JSON settings; an empty object where there are none. @throws DevCliError `IO`, `DATA_MALFORMED` */
  readSettings: (path: string) => Record<string, unknown>;
  /** The same for settings that `install` writes: those that cannot be used are found where hooks are looked for. */
  readShared: (path: string) => Record<string, unknown>;
  /** Null for what is no TOML. */
  readToml: (path: string) => Record<string, unknown> | null;
  problem: (message: string, fix: string) => Finding;
  note: (message: string) => Finding;
  /** Finds what denies an agent dev-cli itself in a list of rules: that outweighs the permission that `install` writes. */
  findDenials: (path: string, settings: Record<string, unknown>, key: string[]) => Finding[];
}

/** The tools that write what is handed in. */
export function listSavingTools({ tools: { files, patch, shell } }: Harness): string[] {
  return [...Object.keys(files), ...(patch === undefined ? [] : [patch]), shell];
}

/** The regular expression over names of tools by which an event is asked for; undefined where it is of no tool. */
export function renderMatcher(harness: Harness, event: HookEventName): string | undefined {
  const { files, notebooks, patch, shell, question, agents = [] } = harness.tools;
  if (event === 'pre-tool-use')
    return [...Object.keys({ ...files, ...notebooks }), ...(patch === undefined ? [] : [patch]), shell].join('|');
  return event === 'post-tool-use' ? [...listSavingTools(harness), question, ...agents].join('|') : undefined;
}

/** Strings of a list in settings; none where something else stands there. */
export function listStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** A line for what was chosen; none where nothing was. */
export function renderChoice(label: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${label}${value}`];
}
