import type { Static } from '@sinclair/typebox';
import type { Answer, StreamAnswer } from '../base/answer.js';
import type { Caller } from '../base/caller.js';
import type { Fix } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { RecipeProblem } from '../recipe/source/problem.js';
import type { CommandSpec, ToolDocument } from '../registry/spec.js';
import type { Context } from '../run/context.js';
import type { DocumentFindings } from '../views/check.js';
import type { Section } from '../views/run-view.js';

/**
 * The ports, through which wings (the parts in src/wings/) extend the core without the core knowing them
 * (docs/architecture.md). `src/app/` puts the ports into the context; a use case declares those that it needs.
 */
export interface Ports {
  /** Sections of `status` and `manifest`, shown after the core's own. */
  sections: readonly Section[];
  /** Kinds of document that `check FILE` judges besides the core's own. */
  checks: readonly Load<readonly FileKindCheck[]>[];
  /** Handlers of harness events, called in this order. */
  hookHandlers: readonly Load<readonly HookHandler[]>[];
  /** The directories in which harnesses look for skills. */
  skills: Load<SkillDirectories>;
  /** Functions that find outdated files of wings. `install` updates these as well as the files that it wrote itself. */
  installs: readonly Load<FindStale>[];
  /** Audits that `ci` performs besides those of plans and journals, in this order. */
  audits: readonly Load<AuditProject>[];
  /** Extras that `install --with` can set up. */
  extras: readonly Load<InstallExtra>[];
  /** Checks that `doctor` performs besides those of the harnesses, in this order. */
  looks: readonly Load<Look>[];
  /** `init` without a name: writes the files that a project needs apart from runs. */
  setUp: Load<(context: Context) => Promise<Answer>>;
  /** Renders how many things other than runs wait for a person; empty if there are none. */
  tellInbox: Load<(context: Context) => Promise<string>>;
  /** The commands that `trust config` shows. */
  config: Load<(context: Context) => ConfigCommands>;
}

/** Commands of a project's configuration, which a person trusts all at once. */
export interface ConfigCommands {
  /** The files that contain them, for messages. */
  files: string;
  /** Command lines, verbatim. */
  commands: readonly string[];
  /** Digest of the commands in this clone, under which they are trusted. */
  digest: string;
}

/** An extra that `install --with NAME` sets up in a project, with the tools of `dev-cli mcp` (harness.md, Install). */
export interface InstallExtra {
  /**
   * The NAME of `install --with NAME`, and of the extra's directory below `.dev` (`wing-streams.ts` `findWingRoot`).
   * `install` creates the directory; its existence means that the extra is active.
   */
  name: string;
  /** At most ten lines, added to the instructions of each harness. */
  instructions: string;
  /** The extra needs to know who made a commit, so `install` sets up a git hook that records it. */
  readsCommits?: true;
}

/** A finding of `doctor` (harness.md, Doctor). */
export interface Diagnosis {
  /** The subject of the check: one of a closed list, so that programs can tell findings apart. */
  check: string;
  /** `problem`: something does not work. `note`: it works, but is unusual or could not be verified. */
  severity: 'ok' | 'note' | 'problem';
  message: string;
  fix?: Fix;
}

/**
 * Checks whether a wing's setup works, without writing into the project; an error that it throws is reported as a
 * problem.
 */
type Look = (context: Context, site: Pick<Call, 'cwd'>) => Promise<Diagnosis[]>;

/**
 * Judges some of the project's files; starts none of the project's programs and writes nothing (view.md, CI).
 * @throws DevCliError `PREFERENCES_INVALID`, `IO`, `INTERRUPTED`
 */
export type AuditProject = (context: Context & WithPorts) => Promise<AuditResult>;

export interface AuditResult {
  /** How many items of each kind were checked, by the kind's name in the singular. */
  counts: Readonly<Record<string, number>>;
  /** The problems found, each with the kind of item that was judged. */
  problems: readonly (AuditProblem & { check: string })[];
}

type AuditProblem = Pick<RecipeProblem, 'severity' | 'file' | 'message' | 'fix'> & Partial<RecipeProblem>;

/** Tools that an agent calls through the Model Context Protocol, offered together (memory.md, MCP). */
export interface ToolGroup {
  /** Name of the group in `mcp --tools`. */
  id: string;
  /** In the order of the tool list. */
  tools: readonly ToolDocument[];
  /**
   * Calls a tool of the group. If the answer has a text, the client gets the text instead of the JSON document.
   * @param given the arguments, unchecked
   * @throws DevCliError any error of the tool
   */
  call: (site: ToolSite, tool: string, given: JsonObject) => Promise<Answer>;
}

/** A group of tools that have no commands behind them. */
export interface OwnGroup extends Pick<ToolGroup, 'tools'> {
  /** Works like `call` of a `ToolGroup`, but gets the context of the root at which the tool is called. */
  call: (context: Context, tool: string, given: JsonObject) => Promise<Answer>;
}

/** Where a tool is called, and by whom. */
export interface ToolSite extends Pick<Call, 'cwd' | 'env'> {
  /** `--root` as given. */
  root?: string;
  caller: Pick<Caller, 'via' | 'harness'>;
  /** Aborted when the server ends, or when the client cancels the call. */
  signal: AbortSignal;
}

/** Loads a part of a wing on demand, so that calls that do not use it do not pay for loading it. */
type Load<T> = () => Promise<T>;

/** The directories for a project's skills, relative to the root. */
export interface SkillDirectories {
  listAll: () => string[];
  /** Lists the directories of the harnesses found. @throws DevCliError `USAGE` if there are none */
  listFound: (context: Context) => string[];
}

/**
 * Finds outdated files that a wing wrote into a directory of skills. A person is shown each file before it is
 * rewritten.
 * @param directory relative to the root
 * @returns paths relative to the root, with their new content
 * @throws DevCliError `IO`, `PREFERENCES_INVALID`
 */
type FindStale = (context: Context, directory: string) => { path: string; text: string }[];

/** Kinds of foreign text by name, each with the function that parses it in a thread (`foreign-reader.ts`). */
export type Readings = Readonly<Record<string, (given: never) => Promise<unknown>>>;

/** The part of a context that carries the ports `P`. */
export interface WithPorts<P extends keyof Ports = keyof Ports> {
  readonly ports: Pick<Ports, P>;
}

/** A kind of document that `check FILE` can judge, unless the file is already of one of the core's own kinds. */
export interface FileKindCheck {
  /** The name with which the answer of `check` calls this kind. */
  kind: string;
  /** Whether a file is of this kind. @param path relative to the root, with `/` between its parts */
  covers: (path: string) => boolean;
  /** Judges a text that is not empty; a document with only warnings is valid. */
  judge: (text: string) => DocumentFindings;
}

/** An event of any harness (harness.md, Hooks). */
export type HookEvent =
  | ({ on: 'session-start'; cause: 'startup' | 'resume' | 'clear' | 'compact' } & InSession)
  /**
   * `attended` is false if no person wrote the prompt: it comes from a script, it is a notice of the harness, or it is
   * the text by which dev-cli makes an agent continue that was about to stop.
   */
  | ({
      on: 'user-prompt-submit';
      agent: string | null;
      prompt: string;
      attended: boolean;
      spent: SubagentUsage | null;
    } & InSession)
  | ({ on: 'pre-tool-use' } & ToolUse)
  /**
   * `files`: the files that a file tool or a patch was to write, as named in the call; empty for a shell. `failed`: the
   * harness reports that the call failed. `attended` is false if no person is present, so that an answer given through
   * the tool is not a person's.
   */
  | ({
      on: 'post-tool-use';
      spent: SubagentUsage | null;
      files: readonly string[];
      failed: boolean;
      attended: boolean;
    } & ToolUse)
  /**
   * `again`: the agent had stopped before, and continued because a handler refused the stop. `said`: its last message,
   * if the harness reports it.
   */
  | ({ on: 'stop'; backgroundTasks: boolean; again: boolean; said: string | null } & InSession)
  | ({ on: 'session-end' } & InSession);

interface InSession {
  /** The harness's id for the session. */
  session: string;
  /** Absolute path of the directory in which the harness works. */
  cwd: string;
}

/** How many tokens a subagent has used in all; set only when the subagent has ended and if the harness reports it. */
export interface SubagentUsage {
  /** The harness's id for the agent. */
  agent: string;
  tokens: number;
}

/** An agent's tool call. */
interface ToolUse extends InSession {
  /** Id of the subagent; null for the main agent, and if the harness does not report it. */
  agent: string | null;
  /** The subagent's type, if the harness reports it. */
  agentType: string | null;
  tool: string;
  input: Readonly<Record<string, unknown>>;
}

/** A handler's answer to an event. */
export interface HookAnswer {
  /** Blocks the event, with this reason. */
  refuse?: string;
  /** Text for the agent. */
  tell?: string;
}

type HookHandlerOf<On extends HookEvent['on']> = {
  /** Names the handler in an error. */
  id: string;
  on: On;
  /** Returns null if it has nothing to say. */
  handle: (context: Context & WithPorts, event: Extract<HookEvent, { on: On }>) => Promise<HookAnswer | null>;
};

/** A handler of one kind of event. */
export type HookHandler = { [On in HookEvent['on']]: HookHandlerOf<On> }[HookEvent['on']];

/** Facts about a call that a command's handler receives besides the input. */
interface Call {
  /** Absolute directory against which relative paths on the command line are resolved. */
  cwd: string;
  /** The input as typed: still `@FILE` where `input` contains the file's text. */
  given: JsonObject;
  env: NodeJS.ProcessEnv;
  /** Columns of the terminal that shows the answer; absent if no terminal does. */
  columns?: number;
  /**
   * Reports single keys at the terminal until the returned function is called, which restores the terminal. Call it
   * only if a person sees the output and types the input.
   * @param pressed called with each key as the terminal sends it; Ctrl-C and the end of the input are `q`
   */
  keys?: (pressed: (key: string) => void) => Promise<() => void>;
  /** Writes to the terminal before the answer; absent if nobody reads the output. */
  write?: (text: string) => boolean;
  /** Reports progress on standard error before the answer; does nothing if nobody reads it. @param line one line */
  tell: (line: string) => void;
}

/** The function behind a command. Returns the answer to print, or throws a DevCliError. */
export type Handler<Input, Within = Context & WithPorts> = (
  context: Within,
  input: Input,
  call: Call,
) => Promise<Answer | StreamAnswer>;

/** A handler for each command, by name, with the input type declared by the command's schema. */
export type HandlersOf<Specs extends readonly CommandSpec[], Within = Context & WithPorts> = {
  readonly [Spec in Specs[number] as Spec['name']]: Handler<Static<Spec['input']>, Within>;
};

/** Loads the handlers of a wing at the first call of one of its commands. */
export type LoadHandlers = Load<Readonly<Record<string, Handler<never>>>>;

/**
 * Passes an event to the handlers of its kind, one after the other, until one refuses.
 * @returns the refusal, or else all texts for the agent, in order
 * @throws any error of a handler; the harness's adapter decides whether that blocks the event
 */
export async function dispatchHook(
  context: Context & WithPorts,
  event: HookEvent,
): Promise<{ refuse: string | null; tell: string[] }> {
  const tell: string[] = [];
  const loaded = await Promise.all(context.ports.hookHandlers.map((load) => load()));
  for (const handler of loaded.flat()) {
    if (handler.on !== event.on) continue;
    // The kinds match, but TypeScript cannot infer that through a union.
    const { handle } = handler as HookHandlerOf<typeof event.on>;
    const answer = await handle(context, event as never);
    if (answer?.refuse !== undefined) return { refuse: answer.refuse, tell: [] };
    if (answer?.tell !== undefined) tell.push(answer.tell);
  }
  return { refuse: null, tell };
}
