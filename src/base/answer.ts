import type { ExitCode } from './error-codes.js';
import type { CommandFormatter } from './invocation.js';

/**
 * What a use case gives back. `json` may hold an Invocation under `ack`, `poll`, `answer`, `fix`, `instead`, `resume` and `ruling`, and an
 * Instruction under `fix` and `you`; the front door writes those out as command lines.
 */
export interface Answer {
  json: object;
  exit: ExitCode;
  /** Absolute: where the paths and commands in it hold. Added by the composition root; absent where no run was looked for. */
  root?: string;
  /** The same for a person; made only when somebody will read it. */
  text?: (written: CommandFormatter) => string;
  /** `json` is what was recorded, and is printed as it is: its invocations are not written out. */
  recorded?: true;
}

/** One document of a stream. */
export interface StreamItem {
  json: { seq: number; [key: string]: unknown };
  /** The same for a person; null for what tells a person nothing. */
  text: (written: CommandFormatter) => string | null;
  /**
   * It tells all that the ones before it told, as it is now, in several lines: on a terminal it takes their place, elsewhere
   * one of the same `seq` is left out.
   */
  block?: true;
}

/** What a use case gives back that has more to say as time goes by (protocol.md §1). Its last item has `type: end`. */
export interface StreamAnswer {
  stream: AsyncIterable<StreamItem>;
  exit: ExitCode;
  /** As in `Answer`. */
  root?: string;
  /** As in `Answer`, of every item. */
  recorded?: true;
}
