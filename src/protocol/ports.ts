import type { Static } from '@sinclair/typebox';
import type { Answer, StreamAnswer } from '../base/answer.js';
import type { Caller } from '../base/caller.js';
import type { Fix } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { RecipeProblem } from '../recipe/source/problem.js';
import type { CommandSpec, ToolDocument } from '../registry/spec.js';
import type { Context } from '../run/context.js';
import type { Findings } from '../views/check.js';
import type { Section } from '../views/run-view.js';

/**
 * The ports: what a wing adds to the core without the core knowing the wing (docs/architecture.md). `src/app/` puts
 * them into the context; a use case declares those that it needs.
 */
export interface Ports {
  /** Parts of `status` and `manifest`, shown after the core's own. */
  sections: readonly Section[];
  /** Kinds of document that `check FILE` judges. */
  checks: readonly Load<readonly Check[]>[];
  /** What is called at events of a harness, in this order. */
  hookHandlers: readonly Load<readonly HookHandler[]>[];
  /** Where the programs that run agents look for skills. */
  skills: Load<SkillDirectories>;
  /** What `install` brings up to date besides what it wrote itself. */
  installs: readonly Load<FindStale>[];
  /** What `ci` looks at besides plans and journals, in this order. */
  audits: readonly Load<Audit>[];
  /** What `install --with` sets up besides. */
  extras: readonly Load<Extra>[];
  /** What `doctor` looks at besides the harnesses, in this order. */
  looks: readonly Load<Look>[];
  /** What `init` without a name does: it writes what a project needs besides runs. */
  setUp: Load<(context: Context) => Promise<Answer>>;
  /** Says how many things wait for a person besides runs; empty where nothing does. */
  tellInbox: Load<(context: Context) => Promise<string>>;
  /** The commands that `trust config` shows. */
  config: Load<(context: Context) => ConfigCommands>;
}

/** Commands of a project's configuration, which a person trusts all at once. */
export interface ConfigCommands {
  /** Where they stand, for messages. */
  files: string;
  /** Lines as they are written. */
  commands: readonly string[];
  /** Of the commands, in this clone; trusted under it. */
  digest: string;
}

/** What `install --with NAME` sets up in a project, with the tools of `dev-cli mcp` (harness.md, Install). */
export interface Extra {
  /** Also its directory below `.dev` (`wing-streams.ts` `findWingRoot`), which is made: it is at work where that is. */
  name: string;
  /** At most ten lines, which stand in the instructions of each harness. */
  instructions: string;
  /** It reads who made a commit, which the hook of the clone notes. */
  readsCommits?: true;
}

/** What `doctor` says of one thing that it looked at (harness.md, Doctor). */
export interface Diagnosis {
  /** What was looked at: one of a closed list, so that programs can tell findings apart. */
  check: string;
  /** `problem`: something does not work. `note`: it does, but differs from what one would expect, or could not be proven. */
  severity: 'ok' | 'note' | 'problem';
  message: string;
  fix?: Fix;
}

/** Looks whether what a wing has set up works, and writes nothing into the project; what it throws is told as a problem. */
type Look = (context: Context, site: Pick<Call, 'cwd'>) => Promise<Diagnosis[]>;

/**
 * Judges a part of the project as it lies there, starts nothing of it, and writes nothing (view.md, CI).
 * @throws DevCliError `PREFERENCES_INVALID`, `IO`, `INTERRUPTED`
 */
export type Audit = (context: Context & Ported) => Promise<Audited>;

export interface Audited {
  /** How many there were of what was looked at, by the word for one of them. */
  counts: Readonly<Record<string, number>>;
  /** What is wrong, by the word for what was judged. */
  problems: readonly (AuditProblem & { check: string })[];
}

type AuditProblem = Pick<RecipeProblem, 'severity' | 'file' | 'message' | 'fix'> & Partial<RecipeProblem>;

/** Tools that an agent calls by the Model Context Protocol, offered together (memory.md, MCP). */
export interface ToolGroup {
  /** What `mcp --tools` calls it. */
  id: string;
  /** In the order in which they are listed. */
  tools: readonly ToolDocument[];
  /**
   * Calls a tool of the group. The answer's text, where it has one, is shown in place of its document.
   * @param given the arguments, unchecked
   * @throws DevCliError whatever the tool refuses or fails with
   */
  call: (site: ToolSite, tool: string, given: JsonObject) => Promise<Answer>;
}

/** A group of tools that are no commands. */
export interface OwnGroup extends Pick<ToolGroup, 'tools'> {
  /** As `ToolGroup.call`, at the root where the tool is called. */
  call: (context: Context, tool: string, given: JsonObject) => Promise<Answer>;
}

/** Where a tool is called, and by whom. */
export interface ToolSite extends Pick<Call, 'cwd' | 'env'> {
  /** `--root` as given. */
  root?: string;
  caller: Pick<Caller, 'via' | 'harness'>;
  /** Aborted when the server is to end, and when the client takes the call back. */
  signal: AbortSignal;
}

/** What a wing loads when it is needed, so that no other call pays for it. */
type Load<T> = () => Promise<T>;

/** Directories of a project's skills, relative to the root. */
export interface SkillDirectories {
  listAll: () => string[];
  /** Those of the harnesses that are found. @throws DevCliError `USAGE` where there is none */
  listFound: (context: Context) => string[];
}

/**
 * Finds files that a wing has written into a directory of skills, and that say something else by now; people see each before it is written.
 * @param directory relative to the root
 * @returns paths relative to the root, with what they should say
 * @throws DevCliError `IO`, `PREFERENCES_INVALID`
 */
type FindStale = (context: Context, directory: string) => { path: string; text: string }[];

/** Kinds of foreign text by name, each with what reads it in a thread (`foreign-reader.ts`). */
export type Readings = Readonly<Record<string, (given: never) => Promise<unknown>>>;

/** The part of a context that carries the ports `P`. */
export interface Ported<P extends keyof Ports = keyof Ports> {
  readonly ports: Pick<Ports, P>;
}

/** A kind of document that `check FILE` can judge. The core's own kinds come first. */
export interface Check {
  /** The name of this kind in the answer. */
  kind: string;
  /** Whether a file is of this kind. @param path relative to the root, with `/` between its parts */
  covers: (path: string) => boolean;
  /** Judges a text that is not empty; a document with nothing but warnings is valid. */
  judge: (text: string) => Findings;
}

/** An event of any harness (harness.md, Hooks). */
export type HookEvent =
  | ({ on: 'session-start'; cause: 'startup' | 'resume' | 'clear' | 'compact' } & InSession)
  /** `attended` is false where no person wrote the prompt, as far as it tells: a script's, a notice, what an agent that stops is told. */
  | ({
      on: 'user-prompt-submit';
      agent: string | null;
      prompt: string;
      attended: boolean;
      spent: Spent | null;
    } & InSession)
  | ({ on: 'pre-tool-use' } & ToolUse)
  /**
   * `files`: what a tool of files or a patch was given to write, as the call names them; none of a shell's. `failed`: the harness says
   * that the call came to nothing. `attended` as of a prompt: an answer is no person's where no person is there.
   */
  | ({
      on: 'post-tool-use';
      spent: Spent | null;
      files: readonly string[];
      failed: boolean;
      attended: boolean;
    } & ToolUse)
  /** `again`: the agent goes on because of an earlier answer to this event. `said`: its last message, where the harness tells. */
  | ({ on: 'stop'; backgroundTasks: boolean; again: boolean; said: string | null } & InSession)
  | ({ on: 'session-end' } & InSession);

interface InSession {
  /** The id of the session, as the harness calls it. */
  session: string;
  /** Absolute directory that the harness works in. */
  cwd: string;
}

/** What a subagent has used so far, where the event is its end and the harness tells. */
export interface Spent {
  /** The harness's id of the agent. */
  agent: string;
  tokens: number;
}

/** A call of a tool by an agent. */
interface ToolUse extends InSession {
  /** Id of the subagent; null for the main agent, and where the harness does not tell. */
  agent: string | null;
  /** The subagent's type, where the harness tells it. */
  agentType: string | null;
  tool: string;
  input: Readonly<Record<string, unknown>>;
}

/** A handler's answer to an event. */
export interface HookAnswer {
  /** The event must not go on, for this reason. */
  refuse?: string;
  /** What the agent should read. */
  tell?: string;
}

type HookHandlerOf<On extends HookEvent['on']> = {
  /** Names the handler in an error. */
  id: string;
  on: On;
  /** Null where it has nothing to say. */
  handle: (context: Context & Ported, event: Extract<HookEvent, { on: On }>) => Promise<HookAnswer | null>;
};

/** A handler of any one kind of event. */
export type HookHandler = { [On in HookEvent['on']]: HookHandlerOf<On> }[HookEvent['on']];

/** What a command's handler may know of the call besides its input. */
interface Call {
  /** Absolute directory that relative paths of the command line start from. */
  cwd: string;
  /** The input as it was typed, with `@FILE` where the handler gets the file's text. */
  given: JsonObject;
  env: NodeJS.ProcessEnv;
  /** Columns of the terminal that the answer goes to; absent where it goes elsewhere. */
  columns?: number;
  /**
   * Hears single keys at the terminal until it is called back; the terminal is as before then. Only called where a person is at both ends.
   * @param pressed is told each key as the terminal sends it; Ctrl-C and the end of the input are `q`
   */
  keys?: (pressed: (key: string) => void) => Promise<() => void>;
  /** Writes to the terminal before the answer; absent where nobody reads one. */
  write?: (text: string) => boolean;
  /** Says on standard error, before the answer, how far the call is; dropped where nobody reads it. @param line one line */
  tell: (line: string) => void;
}

/** The function that a command is bound to. It returns what is printed, or throws a DevCliError. */
export type Handler<Input, Within = Context & Ported> = (
  context: Within,
  input: Input,
  call: Call,
) => Promise<Answer | StreamAnswer>;

/** A handler for each of the commands, by name, with the input type that the command's schema declares. */
export type HandlersOf<Specs extends readonly CommandSpec[], Within = Context & Ported> = {
  readonly [Spec in Specs[number] as Spec['name']]: Handler<Static<Spec['input']>, Within>;
};

/** Loads the handlers of a wing at the first call of one of its commands. */
export type LoadHandlers = Load<Readonly<Record<string, Handler<never>>>>;

/**
 * Hands an event to the handlers of its kind, one after the other, until one refuses.
 * @returns the refusal, else all that the agent is to read, in order
 * @throws what a handler throws; the harness's adapter decides whether that blocks the event
 */
export async function dispatchHook(
  context: Context & Ported,
  event: HookEvent,
): Promise<{ refuse: string | null; tell: string[] }> {
  const tell: string[] = [];
  const loaded = await Promise.all(context.ports.hookHandlers.map((load) => load()));
  for (const handler of loaded.flat()) {
    if (handler.on !== event.on) continue;
    // The kinds match, which TypeScript cannot follow through a union.
    const { handle } = handler as HookHandlerOf<typeof event.on>;
    const answer = await handle(context, event as never);
    if (answer?.refuse !== undefined) return { refuse: answer.refuse, tell: [] };
    if (answer?.tell !== undefined) tell.push(answer.tell);
  }
  return { refuse: null, tell };
}
