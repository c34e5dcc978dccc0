import type { Caller } from '../base/caller.js';
import type { Decision } from '../base/decision.js';
import type { JsonObject } from '../base/json.js';

/** The surroundings of one call: what a use case must not look up by itself. */
export interface Environment {
  /** Absolute. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The input as typed: `@FILE` where a use case gets the text. */
  given: JsonObject;
  /** `--root` as given; relative to `cwd`. */
  root?: string;
  /** Where the call came in; by default the command line. */
  caller?: Pick<Caller, 'via' | 'harness'>;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  /** Columns of the terminal that the answer goes to; absent where it goes elsewhere. */
  columns?: number;
  /** Hears single keys at the terminal until it is called back; only called where a person is at both ends. */
  keys?: (pressed: (key: string) => void) => Promise<() => void>;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  signal: AbortSignal;
  /**
   * Reads standard input (`-`, once) or a file.
   * @throws DevCliError `DATA_MISSING`, `DATA_MALFORMED`, `IO`
   */
  readInput: (source: '-' | { file: string }) => Buffer;
  /** Writes to the terminal before the answer; absent where nobody reads one. */
  write?: (text: string) => boolean;
  /** Writes a line to standard error at once; dropped where nobody reads one. */
  tell: (line: string) => void;
  /** Asks the person at the terminal for a line; only called when both ends are one. */
  ask: (question: string) => Promise<string>;
  /** Has the person at the terminal decide; only called when both ends are one. */
  decide: (decision: Decision) => Promise<string | null>;
}
