import type { ExitCode } from './error-codes.js';
import type { CommandFormatter } from './invocation.js';
import type { Paragraph } from './spans.js';

/**
 * What a use case returns. The front door writes command lines for each Invocation under `ack`, `poll`, `answer`,
 * `fix`, `instead`, `resume` and `ruling`, and for each Instruction under `fix` and `you`.
 */
export interface Answer {
  json: object;
  exit: ExitCode;
  /** Absolute path against which the answer's paths and commands hold; absent where no run was looked for. */
  root?: string;
  /** Renders the same for a person; called only when somebody will read it. */
  text?: (written: CommandFormatter) => string;
  /** Lays the same out for a person's terminal of so many columns (view.md, Width); without it `text` is shown there, too. */
  lines?: (written: CommandFormatter, columns: number) => Promise<readonly Paragraph[]>;
  /** What goes to standard error beside it: a harness shows it to its agent. */
  stderr?: string;
  /** Lines for GitHub's runner, behind the text; printed where it reads that. */
  commands?: string;
  /** `json` is a record and is printed verbatim: its invocations are not written out as command lines. */
  recorded?: true;
}

export interface StreamItem {
  json: { seq: number; [key: string]: unknown };
  /** Renders the item for a person; null when a person learns nothing from it. */
  text: (written: CommandFormatter) => string | null;
  /**
   * The text is a multi-line overview that replaces the earlier ones: a terminal overwrites them, any other output
   * skips a repeated `seq`.
   */
  block?: true;
  /** Of the call, if this is its last item and that is another than the stream's. */
  exit?: ExitCode;
  /** What a person has to be told at once, in one line: a terminal rings, and its desktop may show it. */
  rings?: string;
}

/** What a use case returns when more follows over time (protocol.md §1). Its last item has `type: end`. */
export interface StreamAnswer extends Pick<Answer, 'exit' | 'root' | 'recorded'> {
  stream: AsyncIterable<StreamItem>;
}
