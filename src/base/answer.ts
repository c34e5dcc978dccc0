import type { ExitCode } from './error-codes.js';
import type { Written } from './invocation.js';

/**
 * What a use case gives back. `json` may hold an Invocation under `ack`, `poll`, `fix`, `instead` and `resume`, and an
 * Instruction under `fix` and `you`; the front door writes those out as command lines.
 */
export interface Answer {
  json: object;
  exit: ExitCode;
  /** The same for a person; made only when somebody will read it. */
  text?: (written: Written) => string;
}
