import type { Static } from '@sinclair/typebox';
import type { Answer, StreamAnswer } from '../base/answer.js';
import type { JsonObject } from '../base/json.js';
import type { CommandSpec, SpecGroup } from '../registry/spec.js';
import type { Context } from '../run/context.js';
import type { Findings } from '../views/check.js';
import type { Section } from '../views/section.js';

/**
 * The ports: what a wing adds to the core without the core knowing it (docs/architecture.md). `src/app/` makes them and hands
 * them on in the context; a use case asks for those that it needs.
 */
export interface Ports {
  /** Parts of `status` and `manifest`, shown behind the core's own. */
  sections: readonly Section[];
  /** Kinds of document that `check FILE` judges. */
  checks: readonly Check[];
  /** What is done at events of a harness, in this order. */
  hookHandlers: readonly HookHandler[];
}

/** The part of a context that carries ports. */
export interface Ported<P extends keyof Ports = keyof Ports> {
  readonly ports: Pick<Ports, P>;
}

/** A kind of document and how one is judged by its content. The core's own kinds come first. */
interface Check {
  /** What the answer calls this kind. */
  kind: string;
  /** Whether a file is of this kind. @param path relative to the root, with `/` between its parts */
  covers: (path: string) => boolean;
  /** What is wrong with a text that is not empty; a document with warnings only holds up. */
  judge: (text: string) => Findings;
}

/** Something that happened in a harness, whichever it is (house.md, Ports). */
export type HookEvent =
  | { on: 'session-start'; session: string; cause: 'startup' | 'resume' | 'compact' }
  | { on: 'user-prompt-submit'; session: string; agent: string | null; prompt: string }
  | ({ on: 'pre-tool-use' } & ToolUse)
  | ({ on: 'post-tool-use' } & ToolUse)
  | { on: 'stop'; session: string; backgroundTasks: boolean }
  | { on: 'session-end'; session: string };

/** A call of a tool by the main agent, or by a subagent of that id. */
interface ToolUse {
  session: string;
  agent: string | null;
  tool: string;
  input: Readonly<Record<string, unknown>>;
}

/** What a handler has to say: `refuse`: what happened is not to go on, and why; `tell`: what the agent should read. */
interface HookAnswer {
  refuse?: string;
  tell?: string;
}

/** A handler of one kind of event. */
export type HookHandlerOf<On extends HookEvent['on']> = {
  /** Says whose handler it is, where one fails. */
  id: string;
  on: On;
  /** Null: nothing to say. */
  handle: (context: Context & Ported, event: Extract<HookEvent, { on: On }>) => Promise<HookAnswer | null>;
};

/** What is done at events of a harness; each handler is for one kind. */
type HookHandler = { [On in HookEvent['on']]: HookHandlerOf<On> }[HookEvent['on']];

/** What a handler may know of the call it answers, besides its input. */
interface Call {
  /** Absolute; a path on the command line is meant from here. */
  cwd: string;
  /** The input as it was typed: `@FILE` stands where the handler gets the text. */
  given: JsonObject;
}

/** What a command is bound to. It returns what is printed, or throws a DevCliError. */
export type Handler<Input, Within = Context & Ported> = (
  context: Within,
  input: Input,
  call: Call,
) => Promise<Answer | StreamAnswer>;

/** A handler for each of the commands, by its name, with the input that the command's schema declares. */
export type HandlersOf<Specs extends readonly CommandSpec[], Within = Context & Ported> = {
  readonly [Spec in Specs[number] as Spec['name']]: Handler<Static<Spec['input']>, Within>;
};

/** Commands that a room adds to the command line from outside; `src/app/wings.ts` composes them. */
export interface CommandGroup extends SpecGroup {
  /** Fetched at the first call of one of them: no other call has to load what carries them out. */
  handlers: () => Promise<Readonly<Record<string, Handler<never>>>>;
}

/** A group whose handlers are held to the schemas of its commands; one too few, or of another type, does not compile. */
export function commandGroup<const Specs extends readonly CommandSpec[]>(
  group: SpecGroup & { specs: Specs; handlers: () => Promise<HandlersOf<Specs>> },
): CommandGroup {
  return group;
}
