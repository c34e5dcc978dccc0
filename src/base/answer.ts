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
  /** `json` is what was recorded, and is printed as it is: its invocations are not written out. */
  recorded?: true;
}

/** One document of a stream. */
export interface StreamItem {
  json: { seq: number };
  /** The same for a person; null for what tells a person nothing. */
  text: () => string | null;
}

/**
 * What a use case gives back that has more to say as time goes by (protocol.md §1). Its last item has `type: end`. Items
 * are printed as they are: invocations in them are not written out.
 */
export interface StreamAnswer {
  stream: AsyncIterable<StreamItem>;
  exit: ExitCode;
}
