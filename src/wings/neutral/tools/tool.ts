import type { JsonObject } from '../../../base/json.js';
import type { FileChange } from '../../../store/shared-files.js';
import type { FileKey, Read } from '../files.js';
import type { Cycle } from '../schemas.js';
import type { CallName, ParamsOf } from '../specs.js';

/** The files in their current state. */
export interface Found {
  read: Read;
  /** Returns whether a file exists, even an unusable one. @throws DevCliError `IO` */
  isThere: (key: FileKey) => boolean;
}

/** The input of a tool: the files, and the call. */
export interface Given<Params> extends Found {
  /**
   * Returns the parameters; call it after reading the state file, whose faults come first.
   * @throws DevCliError `TOOL_REFUSED` for a missing parameter, or one of the wrong type
   */
  params: () => Params;
  /** UTC with milliseconds. */
  now: string;
  /** The branch, `HEAD` or `unknown`. */
  branch: () => string;
  /** Absolute path of the work tree. */
  root: string;
  /** Returns whether a path stays in a directory, with links followed; both are relative to the work tree. */
  isInside: (directory: string, path: string) => boolean;
}

/** The result of a call. */
export interface Outcome {
  reply: JsonObject;
  /** Applied in this order. */
  changes?: FileChange[];
  /** Appended to the history before the changes are made; after a crash in between, the next call makes them. */
  cycle?: Cycle;
  warnings?: string[];
}

/**
 * A tool or an event of the contract (neutral.md, The tools). @throws DevCliError `TOOL_REFUSED` with the contract's
 * wording
 */
export interface Tool<Params> {
  /**
   * The locks to take, in order: those of the files that the tool changes or always needs for its decision. `reads`: it
   * changes nothing.
   */
  locks: readonly Extract<FileKey, 'history' | 'plan' | 'tasks' | 'tracker'>[] | 'reads';
  run: (given: Given<Params>) => Outcome;
}

/** Tools by name, each with its own parameters. */
export type Tools<Name extends CallName> = { [Each in Name]: Tool<ParamsOf<Each>> };
