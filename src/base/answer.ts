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
  /** Absolute path that the answer's paths and commands are relative to; absent where no run was looked for. */
  root?: string;
  /** Renders the answer as text for a person; called only when somebody will read it. */
  text?: (written: CommandFormatter) => string;
  /**
   * Lays the answer out for a person's terminal of that many columns (view.md, Width); without this member, `text` is
   * shown there too.
   */
  lines?: (written: CommandFormatter, columns: number) => Promise<readonly Paragraph[]>;
  /** Text for standard error: a harness shows it to its agent. */
  stderr?: string;
  /** Workflow commands for GitHub's runner, printed after the text when GitHub Actions runs the call. */
  commands?: string;
  /** `json` is a record and is printed verbatim: the invocations in it are not turned into command lines. */
  recorded?: true;
}

export interface StreamItem {
  json: { seq: number; [key: string]: unknown };
  /** Renders the item for a person; null when it tells a person nothing. */
  text: (written: CommandFormatter) => string | null;
  /**
   * The text is an overview of several lines that replaces the previous one: a terminal overwrites it, any other output
   * skips an item whose `seq` repeats.
   */
  block?: true;
  /** Set on the last item when the call must exit with a different code than the stream's. */
  exit?: ExitCode;
  /** One line that a person must learn at once: the terminal rings, and the desktop may show it. */
  rings?: string;
}

/** What a use case returns when more follows over time (protocol.md §1). The last item has `type: end`. */
export interface StreamAnswer extends Pick<Answer, 'exit' | 'root' | 'recorded'> {
  stream: AsyncIterable<StreamItem>;
}
