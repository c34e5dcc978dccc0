import type { ExitCode } from './error-codes.js';
import type { CommandFormatter } from './invocation.js';
import type { Paragraph } from './spans.js';

/**
 * What a use case returns. The front door turns each Invocation under `ack`, `poll`, `answer`, `fix`, `instead`,
 * `resume` and `ruling`, and each Instruction under `fix` and `you`, into command lines.
 */
export interface Answer {
  json: object;
  exit: ExitCode;
  /** Absolute path of the root, to which the answer's paths and commands are relative; absent if none was looked up. */
  root?: string;
  /** Renders the answer as text for a person; called only if the text is printed. */
  text?: (written: CommandFormatter) => string;
  /**
   * Lays the answer out for a person's terminal with this number of columns (view.md, Width). If it is absent, a
   * person's terminal shows `text`.
   */
  lines?: (written: CommandFormatter, columns: number) => Promise<readonly Paragraph[]>;
  /** Text for standard error, which a harness shows to its agent. */
  stderr?: string;
  /** Workflow commands for GitHub's runner, printed after the text when GitHub Actions runs the call. */
  commands?: string;
  /** Set if `json` is a stored record: it is printed verbatim, without turning its invocations into command lines. */
  recorded?: true;
}

export interface StreamItem {
  json: { seq: number; [key: string]: unknown };
  /** Renders the item for a person; null if it contains nothing of interest to a person. */
  text: (written: CommandFormatter) => string | null;
  /**
   * Set if the text is an overview of several lines that replaces the previous overview. A terminal overwrites the
   * previous one. Other output cannot do that; it prints the new overview only if its `seq` differs from that of the
   * item before.
   */
  block?: true;
  /** Set on the last item if the call must exit with this code instead of the one that `StreamAnswer` names. */
  exit?: ExitCode;
  /** One line that a person should see at once; the terminal rings, and the desktop may show it. */
  rings?: string;
}

/** What a use case returns if its output comes over time (protocol.md §1). The last item has `type: end`. */
export interface StreamAnswer extends Pick<Answer, 'exit' | 'root' | 'recorded'> {
  stream: AsyncIterable<StreamItem>;
}
