import type { HarnessId } from '../../generated/harnesses.js';
import type { SubagentUsage } from '../../protocol/ports.js';
import type { DoctorFinding } from './doctor/finding.js';
import type { EnvironmentVariables } from './doctor/probes.js';
import type { FormFault } from './doctor/settings-form.js';
import type { InstallPiece, Scope } from './install/piece.js';
import type { Addition } from './install/settings.js';

/**
 * What an adapter says about its harness. Each harness has one file in adapters/ and an entry in harness.ts
 * (harness.md, Install).
 */

/** The hook events that dev-cli handles. Maps each name in `dev-cli hook` to the name that most harnesses use. */
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

/** The members of a hook's payload that dev-cli reads, by the names that most harnesses use. */
export const PAYLOAD_MEMBERS = [
  'hook_event_name',
  'session_id',
  'cwd',
  'source',
  'prompt',
  'agent_id',
  'agent_type',
  'tool_name',
  'tool_input',
  'tool_response',
  'background_tasks',
  'stop_hook_active',
  'last_assistant_message',
] as const;
export type PayloadMember = (typeof PAYLOAD_MEMBERS)[number];

/** The members of a tool's input that dev-cli reads, besides those that name files and directories. */
type InputMember = 'command' | 'edits' | 'answers';

/**
 * A harness. scripts/harness-facts.ts copies plain data from here into generated modules for code that must not load
 * the adapters: the core, and calls that must be fast.
 */
export interface Harness {
  id: HarnessId;
  title: string;
  /** The name of the harness's program on the PATH. */
  program: string;
  /** The harness's directory, relative to the project or the home directory. */
  directory: string;
  /** Where the harness looks for skills, relative to the project or the home directory. */
  skills: string;
  /** Names of files and directories that configure the harness; a plan must not let workers change them. */
  reserved: readonly string[];
  voice: Voice;
  /** Environment variables that the harness sets for the commands it runs (protocol.md §1). */
  marks: readonly string[];
  /**
   * For a harness that sets its marks for hooks as well as for commands: a pattern that the variable AI_AGENT matches
   * only in a hook.
   */
  hookAgent?: string;
  /**
   * The variable from which a command learns its session id. If absent, numbers that are counted per session elsewhere
   * are counted per root.
   */
  session?: string;
  /**
   * Whether dev-cli warns a session if none of its hooks has reported. The `session` variable alone then counts as a
   * harness mark (harness.md, Sessions).
   */
  isWatched?: true;
  /** The variable that is `0` if a script, not a person, writes the prompts. */
  attended?: string;
  /**
   * Seconds within which a call must answer, if the harness waits for a command for less time than other harnesses do.
   */
  answerWithin?: number;
  /**
   * Whether the harness ignores hook output after a compaction, but keeps context that a hook adds to the last prompt.
   */
  tellsWithPrompt?: true;
  /** The harness's notice that a background agent has ended, which arrives as a prompt. */
  notice?: Notice;
  /** The pattern of text that the harness puts before a person's prompt, such as hook output. */
  foreword?: string;
  /** The harness's own names of the events. */
  events: Readonly<Record<HookEventName, string>>;
  /** The harness's own names of members of its payloads; null for a member that it does not send. */
  members?: Readonly<Partial<Record<PayloadMember, string | null>>>;
  tools: Tools;
  /** Whether the harness counts hook timeouts in milliseconds instead of seconds. */
  countsMilliseconds?: true;
  /** The name of dev-cli's hooks, if the harness displays a name instead of the command line. */
  hookName?: string;
  /** Whether the harness runs hook lines in the user's own shell, which may not be a POSIX shell. */
  runsByUsersShell?: true;
  /** The variable from which hook lines read the project directory. */
  projectVariable: string;
  /**
   * Whether the harness leaves `projectVariable` unset for a project's hooks; the project is then the nearest directory
   * that contains the harness's settings.
   */
  seeksProject?: true;

  /** The file extension of the harness's agents. */
  agentEnding: '.md' | '.toml';
  /** Renders an agent as the content of its file in the harness's directory. */
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
  /** Lists more pieces to install. Files among them get the comment that marks them as written by dev-cli. */
  listMore?: (scope: Scope) => InstallPiece[];
  /** The harness's ignore file; `install` adds a line that lets the harness read `.dev` nevertheless. */
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
  /**
   * Finds reasons peculiar to this harness why it does not run its hooks.
   * @throws DevCliError `IO`, `DATA_MALFORMED`
   */
  findSilence: (asked: SilenceContext) => DoctorFinding[];
  /** The probable reason why hooks do not run in a session, and what to do about it. */
  whyUnheard: string;
  /** Lists entries of the shared settings that the harness cannot use. */
  listFormFaults: (settings: Record<string, unknown>, text: string) => FormFault[];
  dropsSettings: 'ignores all of' | 'does not start with';
  /**
   * Builds the payload that the harness sends before a tool writes a file: a recorded payload with other paths and ids.
   */
  buildTrial: (write: { session: string; directory: string; path: string; content: string }) => object;
  /** Whether the harness runs commands in a login shell. */
  usesLoginShell?: true;
  /**
   * `writesFor`: the harness for which `install` writes a rule that lets dev-cli out of the sandbox. `git` and
   * `listening`: how to let other programs write to git and listen on ports.
   */
  sandbox?: { writesFor: string; git: string; listening: string };
}

/** The harness's own terms in an action (harness.md, How an action is done). */
interface Voice {
  /** The words between "Ask with" and "in your message". */
  ask: string;
  /**
   * How to start an agent: which types to try, `dev-cli-<type>` before `<type>`, and then the prompt, `tell`. `<calls>`
   * is replaced by a term from `calls`, and `<notice>` by the agents whose notice the acknowledgement waits for.
   */
  start: string;
  /** The harness's term for one call that starts an agent, and for several such calls together. */
  calls?: readonly [string, string];
  /** What else to do while all agents are working. */
  wait?: string;
}

/** The names of the harness's tools. */
interface Tools {
  /** Tools that write one file, with the member of their input that names the file. */
  files: Readonly<Record<string, string>>;
  /** Tools that write a notebook, with the member that names the file. A notebook is never a promised output. */
  notebooks?: Readonly<Record<string, string>>;
  patch?: string;
  shell: string;
  /** The harness's own names of members of a tool's input. */
  members?: Readonly<Partial<Record<InputMember, string>>>;
  /** Members of the shell tool's input that may name the directory of the command, in order of precedence. */
  shellDirectory?: readonly string[];
  /** Another name of the shell tool in permission rules. */
  shellInRules?: string;
  /** The tool by which an agent asks its user. */
  question: string;
  /** Tools that start agents and report in their answer how many tokens the agents have used. */
  agents?: readonly string[];
  /** The members of the answer of one of `agents` that contain the agent's id and its number of tokens. */
  spent?: Readonly<Record<keyof SubagentUsage, string>>;
  /**
   * How a tool's answer shows that the call failed: by a member that is present, or by a pattern of the text. Absent if
   * the harness sends no answer of a failed call.
   */
  failure?: { member: string } | { text: string };
}

/** The first words of a notice, and patterns whose first group extracts a value from it. */
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
 * The package as a plugin, which contains the skills and agents in addition to the files built here (harness.md,
 * Packaging).
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
  /** The warning that `install` gives while the plugin is enabled. */
  twice: string;
}

/** The package's metadata. */
export interface PackageInfo {
  version: string;
  description: string;
  license: string;
  keywords: readonly string[];
}

/** The facts and helpers with which an adapter finds out why a harness runs no hooks. */
export interface SilenceContext {
  /**
   * Absolute paths: the root and, if that is in a linked work tree, the main work tree, which a harness may trust
   * instead.
   */
  directories: readonly string[];
  /** The scopes with an installation for the harness. */
  scopes: readonly Scope[];
  env: EnvironmentVariables;
  /** Absolute path of the harness's user directory, even if a variable has moved it. */
  own: string;
  /** Reads JSON settings; returns an empty object if there are none. @throws DevCliError `IO`, `DATA_MALFORMED` */
  readSettings: (path: string) => Record<string, unknown>;
  /**
   * Like `readSettings`, for settings that `install` writes; invalid ones count as empty, because another check reports
   * them.
   */
  readShared: (path: string) => Record<string, unknown>;
  /** Returns null for invalid TOML. */
  readToml: (path: string) => Record<string, unknown> | null;
  problem: (message: string, fix: string) => DoctorFinding;
  note: (message: string) => DoctorFinding;
  /**
   * Finds rules in a list that forbid an agent to call dev-cli; such rules override the permission that `install`
   * writes.
   */
  findDenials: (path: string, settings: Record<string, unknown>, key: string[]) => DoctorFinding[];
}

/** Lists the tools that can save a result. */
export function listSavingTools({ tools: { files, patch, shell } }: Harness): string[] {
  return [...Object.keys(files), ...(patch === undefined ? [] : [patch]), shell];
}

/**
 * Returns the regular expression for the tool names for which a hook is called; undefined for an event without a tool.
 */
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
