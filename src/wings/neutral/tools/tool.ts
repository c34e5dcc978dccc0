import type { JsonObject } from '../../../base/json.js';
import type { FileChange } from '../../../store/shared-files.js';
import type { FileKey, Read } from '../files.js';
import type { Cycle } from '../schemas.js';
import type { CallName, ParamsOf } from '../specs.js';

/** The files as they are. */
export interface Found {
  read: Read;
  /** Whether a file is there, of whatever use. @throws DevCliError `IO` */
  isThere: (key: FileKey) => boolean;
}

/** What a tool is given: the files as they are, and what the call says. */
export interface Given<Params> extends Found {
  /**
   * The parameters. Asked for after the state file has been looked at.
   * @throws DevCliError `TOOL_REFUSED` for one that is missing or of another type
   */
  params: () => Params;
  /** UTC with milliseconds. */
  now: string;
  /** The branch, `HEAD` or `unknown`. */
  branch: () => string;
  /** Absolute path of the work tree. */
  root: string;
  /** Whether a path stays in a directory, both relative to the work tree, links followed. */
  isInside: (directory: string, path: string) => boolean;
}

/** What comes of a call. */
export interface Outcome {
  reply: JsonObject;
  /** In this order. */
  changes?: FileChange[];
  /** Is appended to the history first; then the changes are made, whatever comes between. */
  cycle?: Cycle;
  warnings?: string[];
}

/** A tool or an event of the contract (neutral.md, The tools). @throws DevCliError `TOOL_REFUSED` in the words of the contract */
export interface Tool<Params> {
  /**
   * The files that it changes, or always reads for a decision, and that have locks, in the order in which these are taken. `reads`: it
   * changes nothing.
   */
  locks: readonly Extract<FileKey, 'history' | 'plan' | 'tasks' | 'tracker'>[] | 'reads';
  run: (given: Given<Params>) => Outcome;
}

/** Tools by name, each given its own parameters. */
export type Tools<Name extends CallName> = { [Each in Name]: Tool<ParamsOf<Each>> };
