import type { JsonObject } from '../../../base/json.js';
import type { SharedFileChange } from '../../../store/shared-files.js';
import type { FileKey, ReadContractFile } from '../files.js';
import type { Cycle } from '../schemas.js';
import type { CallName, ParamsOf } from '../specs.js';

/** The files in their current state. */
export interface ContractState {
  read: ReadContractFile;
  /** Returns whether a file exists, even an unusable one. @throws DevCliError `IO` */
  isThere: (key: FileKey) => boolean;
}

/** The input of a tool: the files, and the call. */
export interface ContractToolInput<Params> extends ContractState {
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
export interface ToolOutcome {
  reply: JsonObject;
  /** Applied in this order. */
  changes?: SharedFileChange[];
  /** Appended to the history before the changes are made; after a crash in between, the next call makes them. */
  cycle?: Cycle;
  warnings?: string[];
}

/**
 * A tool or an event of the contract (neutral.md, The tools). @throws DevCliError `TOOL_REFUSED` with the contract's
 * wording
 */
export interface ContractTool<Params> {
  /**
   * The locks to take, in order: those of the files that the tool changes or always needs for its decision. `reads`: it
   * changes nothing.
   */
  locks: readonly Extract<FileKey, 'history' | 'plan' | 'tasks' | 'tracker'>[] | 'reads';
  run: (given: ContractToolInput<Params>) => ToolOutcome;
}

/** Tools by name, each with its own parameters. */
export type ContractTools<Name extends CallName> = { [Each in Name]: ContractTool<ParamsOf<Each>> };
