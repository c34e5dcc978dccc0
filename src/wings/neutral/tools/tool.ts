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
   * Returns the checked parameters. Must be called after the state file is read, because faults in that file are
   * reported first.
   * @throws DevCliError `TOOL_REFUSED` for a missing parameter, or one of the wrong type
   */
  params: () => Params;
  /** UTC with milliseconds. */
  now: string;
  /** Returns the branch; `HEAD` if none is checked out, `unknown` if that cannot be read. */
  branch: () => string;
  /** Absolute path of the work tree. */
  root: string;
  /** Returns whether a path stays inside a directory after following links; both are relative to the work tree. */
  isInside: (directory: string, path: string) => boolean;
}

/** The result of a tool: its reply, and the changes to make. */
export interface ToolOutcome {
  reply: JsonObject;
  /** The changes, which are made in this order. */
  changes?: SharedFileChange[];
  /**
   * A cycle that is appended to the history before the changes are made; after a crash in between, the next call makes
   * them.
   */
  cycle?: Cycle;
  warnings?: string[];
}

/**
 * A tool or an event of the contract (neutral.md, The tools). @throws DevCliError `TOOL_REFUSED` with the contract's
 * wording
 */
export interface ContractTool<Params> {
  /**
   * The locks to take, in order, for the files that the tool changes or always needs for its decision. `reads`: it
   * changes nothing, and takes no lock.
   */
  locks: readonly Extract<FileKey, 'history' | 'plan' | 'tasks' | 'tracker'>[] | 'reads';
  run: (given: ContractToolInput<Params>) => ToolOutcome;
}

/** Tools by name, each with its own parameters. */
export type ContractTools<Name extends CallName> = { [Each in Name]: ContractTool<ParamsOf<Each>> };
