import type { Caller } from '../base/caller.js';
import type { Decision } from '../base/decision.js';
import type { JsonObject } from '../base/json.js';

/** The surroundings of one call, which a use case must not look up by itself. */
export interface CallEnvironment {
  /** The directory of the call, absolute. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The input as typed, with values such as `@FILE`; the use case itself is given the text of the file instead. */
  given: JsonObject;
  /** `--root` as given; relative to `cwd`. */
  root?: string;
  /** Where the call came from; by default the command line. */
  caller?: Pick<Caller, 'via' | 'harness'>;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  /** Columns of the terminal that shows the answer; absent where the answer goes elsewhere. */
  columns?: number;
  /** Passes each key to `pressed` until the returned function is called. Absent without a person at a terminal. */
  keys?: (pressed: (key: string) => void) => Promise<() => void>;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  signal: AbortSignal;
  /**
   * Reads a file or, for `-`, standard input, which can be read only once.
   * @throws DevCliError `DATA_MISSING`, `DATA_MALFORMED`, `IO`
   */
  readInput: (source: '-' | { file: string }) => Buffer;
  /** Writes to the terminal before the answer; absent where nobody reads. Returns false once the reader is gone. */
  write?: (text: string) => boolean;
  /** Writes a line to standard error at once; does nothing where nobody reads standard error. */
  tell: (line: string) => void;
  /** Asks the person at the terminal for one line; only called when standard input and output are both a terminal. */
  ask: (question: string) => Promise<string>;
  /** Shows the person at the terminal a decision and returns the answer; only called on the same condition as `ask`. */
  decide: (decision: Decision) => Promise<string | null>;
}
