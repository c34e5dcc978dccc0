import type { ExitCode } from './error-codes.js';

/**
 * What a use case gives back. `json` may hold an Invocation under `ack`, `poll`, `fix`, `instead` and `resume`;
 * the front door writes those out as command lines.
 */
export interface Answer {
  json: object;
  exit: ExitCode;
  /** The same for a person; made only when somebody will read it. */
  text?: () => string;
}
