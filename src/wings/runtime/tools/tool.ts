import type { JsonObject } from '../../../base/json.js';
import type { ToolDescription } from '../provider.js';

/** What a tool of the runtime is (runtime.md, Tools). */

/** What a call needs to be allowed: each includes those before it. */
export type Need = 'read-only' | 'workspace-write' | 'danger-full-access';

/** What a call came to, as the model is told. */
export interface ToolResult {
  output: string;
  isError: boolean;
  /** The same for programs, where there is more to say. */
  data?: JsonObject;
}

/** Where a tool works. */
export interface ToolSite {
  /** Absolute; what a relative path of an input starts from, and what a writing call may not leave. */
  workTree: string;
  /** Absolute; the root that holds `.dev`. */
  root: string;
  /** Absolute paths below `.dev` that may be written all the same. */
  promised: readonly string[];
  /** Absolute; dev-cli itself, which is never written: the driver runs what is there. */
  own: string;
  /** Absolute; of this call alone, not made yet: whole outputs, logs and records of commands lie there. */
  directory: string;
  /** Text as it may be shown and kept: secrets masked, invisible signs replaced. */
  clean: (text: string) => string;
  signal: AbortSignal;
}

/**
 * What a call is going to do, found out without doing it. `file`: the digests (SHA-256, null: not there) before and after are on record
 * before `write` runs, so that a call that was cut off can be told done or not done. `command`: `run` starts it unless its directory
 * says that it was begun, and collects how it ended: it never runs twice.
 */
export type Plan =
  | { kind: 'read'; run: () => Promise<ToolResult> }
  | { kind: 'file'; path: string; before: string | null; after: string; write: () => Promise<ToolResult> }
  | { kind: 'command'; run: () => Promise<ToolResult> };

/** A tool. */
export interface Tool extends ToolDescription {
  /** What a call of it needs. */
  needs: Need;
  /** Whether calls of it may run beside each other. */
  isParallel: boolean;
  /** What rules compare (`permissions`): a path as the input names it, a shell line, or nothing. */
  target: (input: JsonObject) => { path: string } | { command: string } | null;
  /** The same call as the harnesses' hooks know it: `Write`, `Edit`, `Bash`, … with their names for the input. */
  toHook: (input: JsonObject) => { tool: string; input: JsonObject };
  /**
   * Looks at what a call would do.
   * @param input holds to `schema`
   * @throws ToolRefusal where it cannot be done
   */
  prepare: (input: JsonObject, site: ToolSite) => Promise<Plan>;
}

/** A call that is not carried out; the message is the model's result. */
export class ToolRefusal extends Error {}
