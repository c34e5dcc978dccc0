import type { HarnessId } from '../../generated/harnesses.js';
import type { SubagentUsage } from '../../protocol/ports.js';
import type { DoctorFinding } from './doctor/finding.js';
import type { EnvironmentVariables } from './doctor/probes.js';
import type { FormFault } from './doctor/settings-form.js';
import type { InstallPiece, Scope } from './install/piece.js';
import type { Addition } from './install/settings.js';

/** What dev-cli needs to know of a harness: one file of adapters/ each, listed in harness.ts (harness.md, Install). */

/** Hook events that dev-cli handles: from the name that `dev-cli hook` takes to the name that most harnesses use. */
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

/** A harness. scripts/harness-facts.ts extracts the data fields for the core and for calls that must be fast. */
export interface Harness {
  id: HarnessId;
  title: string;
  /** The name of its program on the PATH. */
  program: string;
  /** Its directory, relative to the project or the home directory. */
  directory: string;
  /** Where it looks for skills, relative to the project or the home directory. */
  skills: string;
  /** Names of files and directories that configure the harness: a plan must not let workers change them. */
  reserved: readonly string[];
  voice: Voice;
  /** Environment variables that the harness sets for the commands it runs (protocol.md §1). */
  marks: readonly string[];
  /** If the harness also sets its marks for hooks: the pattern that AI_AGENT, which it sets as well, matches there. */
  hookAgent?: string;
  /**
   * The variable with the session id of a command. If absent, counts that are kept per session elsewhere are kept per
   * root.
   */
  session?: string;
  /**
   * Whether dev-cli warns a session in which no hook was heard; its variable alone is a harness mark (harness.md,
   * Sessions).
   */
  isWatched?: true;
  /** The variable that is `0` if a script, not a person, writes the prompts. */
  attended?: string;
  /** Seconds within which a call must answer, if the harness waits less time for a command than others do. */
  answerWithin?: number;
  /** Whether the harness does not say which agent calls a tool. */
  hidesWriter?: true;
  /** Whether it ignores hook output after a compaction, but keeps context added to the last prompt. */
  tellsWithPrompt?: true;
  /** The harness's notice that a background agent has ended, which arrives as a prompt. */
  notice?: Notice;
  /** The pattern of text before a prompt that no person wrote, such as hook output. */
  foreword?: string;
  /** The member of `stop` with the agent's last message. */
  said?: string;
  /** The harness's own names of the events. */
  events: Readonly<Record<HookEventName, string>>;
  tools: Tools;
  /** Whether it counts hook timeouts in milliseconds instead of seconds. */
  countsMilliseconds?: true;
  /** The name of dev-cli's hooks, if the harness displays a name instead of the command line. */
  hookName?: string;
  /** Whether it runs a line in the user's shell, whichever that is, instead of a POSIX shell. */
  runsByUsersShell?: true;
  /** The variable from which hook lines read the project directory. */
  projectVariable: string;
  /** Whether it sets no such variable for a project's hooks: the project is the nearest directory with its settings. */
  seeksProject?: true;

  /** The file extension of the harness's agents. */
  agentEnding: '.md' | '.toml';
  /** Renders an agent as the content of such a file. */
  renderAgent: (agent: ShippedAgent) => string;
  /** Locates a file that would compete with a skill of this name for the slash command. */
  locateRival?: (skill: string) => string;
  /** The settings file that receives the hooks and these additions. */
  settings: { path: string; what: string; listAdditions?: (scope: Scope) => Addition[] };
  /** The files of a project that `install --with` extends. */
  extras?: {
    /** The file that the harness's agents read before they begin. */
    instructions: string;
    /** The file of tool servers, JSON or TOML, and the key that contains them by name. */
    servers: { path: string; holder: string };
    /** The addition to the settings that lets agents use the tools of a server without being asked. */
    permit?: (server: string) => Addition;
  };
  /** Further pieces to install; files get the mark of dev-cli. */
  listMore?: (scope: Scope) => InstallPiece[];
  /** The file of what it must not read, to which a line for `.dev` is added. */
  ignoreFile?: string;
  /** Whether its agents have no effort setting. */
  hasNoEffort?: true;
  /** Tells the user how to continue after the installation. */
  describeStart: (skill: string, where: { scope: Scope; base: string }) => string;
  /** The package as a plugin of the harness. */
  plugin?: Plugin;

  /** Whether the harness reads project settings only in the directory that it is started in. */
  readsWhereStarted?: true;
  /** The variable that moves the harness's directory away from the home directory, where `install` writes. */
  homeVariable?: string;
  /** Finds other reasons why the harness does not run its hooks. @throws DevCliError `IO`, `DATA_MALFORMED` */
  findSilence: (asked: SilenceContext) => DoctorFinding[];
  /** Why a session may run without hooks, with what to do. */
  whyUnheard: string;
  /** Lists entries of the shared settings that it cannot use; `dropsSettings` says what it then does with the file. */
  listFormFaults: (settings: Record<string, unknown>, text: string) => FormFault[];
  dropsSettings: 'ignores all of' | 'does not start with';
  /** Builds the payload sent before a tool writes a file, as recorded; only paths and ids differ. */
  buildTrial: (write: { directory: string; path: string; content: string }) => object;
  /** Whether the harness runs commands in a login shell. */
  usesLoginShell?: true;
  /**
   * Whose rule `install` writes to let dev-cli out of the sandbox, and how to let other programs write to git and
   * listen on ports.
   */
  sandbox?: { writesFor: string; git: string; listening: string };
}

/** Its own terms in an action (harness.md, How an action is done). */
interface Voice {
  /** Follows "Ask with", and precedes "in your message". */
  ask: string;
  /**
   * How to start agents: as `dev-cli-<type>`, else `<type>`, with `tell`, in this order; `<calls>` stands for the next
   * field, `<notice>` for the agents whose notice the ack waits for.
   */
  start: string;
  /** The term for one such call, and for several together. */
  calls?: readonly [string, string];
  /** What else to do while all agents are at work. */
  wait?: string;
}

/** The names of the harness's tools. */
interface Tools {
  /** Tools that write one file, with the member of their input that names the file. */
  files: Readonly<Record<string, string>>;
  /** The same for notebooks, which are never a promised output. */
  notebooks?: Readonly<Record<string, string>>;
  patch?: string;
  shell: string;
  /** Members of the shell tool's input that may name the directory of the command, in order of precedence. */
  shellDirectory?: readonly string[];
  /** Another name of the shell tool in permission rules. */
  shellInRules?: string;
  /** The tool by which an agent asks its user. */
  question: string;
  /** Tools that start agents and whose answer tells how many tokens those have used. */
  agents?: readonly string[];
  /** The members of that answer. */
  spent?: Readonly<Record<keyof SubagentUsage, string>>;
  /**
   * How an answer shows a failed call: by a member that is present, or a pattern of the text. Absent: failed calls send
   * no answer.
   */
  failure?: { member: string } | { text: string };
}

/** The beginning of a notice, and patterns whose first group extracts a value. */
interface Notice extends Readonly<Record<keyof SubagentUsage, string>> {
  begins: string;
}

/** A shipped agent: its front matter, its body, and the model chosen for it. */
export interface ShippedAgent {
  name: string;
  description: string;
  tools: string[];
  body: string;
  model?: string | undefined;
  effort?: 'low' | 'medium' | 'high' | undefined;
}

/**
 * The package as a plugin, which contains the skills and agents besides the files built here (harness.md, Packaging).
 */
interface Plugin {
  /** The prefix of each of its skills and agents: `/dev-cli:specify`. */
  name: string;
  /** The variable that holds the plugin's directory. */
  root: string;
  /** Builds the plugin's files, by path relative to the package, from the package's metadata and the hooks. */
  build: (about: PackageInfo, hooks: Record<string, unknown[]>) => Record<string, object>;
  /** Settings files that may enable the plugin, relative to the project or the home directory. */
  settings: readonly string[];
  isOn: (settings: Record<string, unknown>) => boolean;
  /** The warning if plugin and installation are both present. */
  twice: string;
}

/** The package's metadata. */
export interface PackageInfo {
  version: string;
  description: string;
  license: string;
  keywords: readonly string[];
}

/** What an adapter needs to find out why a harness runs no hooks. */
export interface SilenceContext {
  /** Absolute; the directories that may be trusted for this project, the root first. */
  directories: readonly string[];
  /** The scopes with an installation for it. */
  scopes: readonly Scope[];
  env: EnvironmentVariables;
  /** Absolute path of the harness's user directory, wherever a variable has moved it. */
  own: string;
  /** Reads JSON settings; returns an empty object if there are none. @throws DevCliError `IO`, `DATA_MALFORMED` */
  readSettings: (path: string) => Record<string, unknown>;
  /** The same for settings that `install` writes, but tolerates invalid ones: the search for hooks reports those. */
  readShared: (path: string) => Record<string, unknown>;
  /** Returns null for invalid TOML. */
  readToml: (path: string) => Record<string, unknown> | null;
  problem: (message: string, fix: string) => DoctorFinding;
  note: (message: string) => DoctorFinding;
  /** Finds rules in a list that forbid an agent to call dev-cli: they override the permission that `install` writes. */
  findDenials: (path: string, settings: Record<string, unknown>, key: string[]) => DoctorFinding[];
}

/** Lists the tools that can save a result. */
export function listSavingTools({ tools: { files, patch, shell } }: Harness): string[] {
  return [...Object.keys(files), ...(patch === undefined ? [] : [patch]), shell];
}

/** Returns the regular expression over tool names that registers a hook; undefined for an event without a tool. */
export function renderMatcher(harness: Harness, event: HookEventName): string | undefined {
  const { files, notebooks, patch, shell, question, agents = [] } = harness.tools;
  if (event === 'pre-tool-use')
    return [...Object.keys({ ...files, ...notebooks }), ...(patch === undefined ? [] : [patch]), shell].join('|');
  return event === 'post-tool-use' ? [...listSavingTools(harness), question, ...agents].join('|') : undefined;
}

/** Returns the strings of a list in settings; empty if the value is not a list. */
export function listStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Renders a line for a chosen value; empty if nothing was chosen. */
export function renderChoice(label: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${label}${value}`];
}
