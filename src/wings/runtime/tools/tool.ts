import type { JsonObject } from '../../../base/json.js';
import type { ToolDescription } from '../provider.js';

/** The interface of the runtime's tools (runtime.md, Tools). */

/** Permission that a call needs; each permission includes those before it. */
export type PermissionLevel = 'read-only' | 'workspace-write' | 'danger-full-access';

/** The result of a call, as the model receives it. */
export interface ToolResult {
  output: string;
  isError: boolean;
  /** More about the result, as data for programs. */
  data?: JsonObject;
}

/** The place and limits of a call. */
export interface ToolScope {
  /** Absolute; relative paths of an input start here, and calls may not write outside it. */
  workTree: string;
  /** Absolute; the root that holds `.dev`. */
  root: string;
  /** Absolute paths below `.dev` that may be written nevertheless. */
  promised: readonly string[];
  /** Absolute; dev-cli's own files, which are never written, because the driver runs them. */
  own: string;
  /**
   * Absolute; a directory for this call alone, not created yet. It holds full outputs, logs and records of commands.
   */
  directory: string;
  /** Cleans text before it is shown or stored: masks secrets, replaces invisible characters. */
  clean: (text: string) => string;
  signal: AbortSignal;
}

/**
 * What a call will do; finding it out changes nothing. `file`: the digests of the file before and after (SHA-256; null:
 * no file) are recorded before `write` runs, so a later process can see whether an interrupted call wrote. `command`:
 * `run` starts the command unless the call's directory shows that this was done, so no command runs twice, and collects
 * its end.
 */
export type CallPlan =
  | { kind: 'read'; run: () => Promise<ToolResult> }
  | { kind: 'file'; path: string; before: string | null; after: string; write: () => Promise<ToolResult> }
  | { kind: 'command'; run: () => Promise<ToolResult> };

/** A tool of a session. */
export interface SessionTool extends ToolDescription {
  /** Permission that a call of the tool needs. */
  needs: PermissionLevel;
  /** Whether calls of the tool may run concurrently. */
  isParallel: boolean;
  /** What permission rules are compared with: a path as the input names it, a shell line, or (null) the whole input. */
  target: (input: JsonObject) => { path: string } | { command: string } | null;
  /** The same call as harnesses report it to hooks: with `Write`, `Edit`, `Bash`, … and their names for the input. */
  toHook: (input: JsonObject) => { tool: string; input: JsonObject };
  /**
   * Determines what a call would do.
   * @param input conforms to `schema`
   * @throws ToolRefusal if it cannot be done
   */
  prepare: (input: JsonObject, site: ToolScope) => Promise<CallPlan>;
}

/** A call that is not carried out; the message becomes its result for the model. */
export class ToolRefusal extends Error {}
