import { layOutFor } from '../app/lay-out.js';
import type { Answer } from '../base/answer.js';
import { ERROR_CODES } from '../base/error-codes.js';
import type { DevCliError, Fix } from '../base/errors.js';
import type { Instruction, Invocation } from '../base/invocation.js';
import type { Paragraph, Span } from '../base/spans.js';
import type { Screen } from './block.js';
import { paint, showsColour } from './paint.js';
import { createCommandFormatter, endSentence, listDetails, type Output, type OutputFormat } from './print.js';

/** The terminal that a person reads. */
interface Terminal {
  env: NodeJS.ProcessEnv;
  screen: () => Screen;
}

/** Prints an answer for a person, fitted to the terminal and painted (view.md, Colour, Width). */
export async function printForPerson(
  { lines, exit }: Answer & Required<Pick<Answer, 'lines'>>,
  format: OutputFormat,
  terminal: Terminal,
): Promise<Output> {
  const written = createCommandFormatter(format);
  const stdout = await paintFitted((columns) => lines(written, columns), format, terminal);
  return { stdout, stderr: '', exit };
}

/**
 * Prints an error for a person: code and message, then how to go on, the problems, and what only a person can run.
 * @returns what goes to standard error, which is a person's terminal, too
 */
export async function printFailureForPerson(
  error: DevCliError,
  format: OutputFormat,
  terminal: Terminal,
): Promise<Output> {
  const written = createCommandFormatter(format);
  const command = (one: Invocation): Span => ({ text: written(one), as: 'busy', command: true });
  const indented = (...spans: Span[]): Paragraph => ({ spans: [{ text: '  ' }, ...spans], indent: 4 });
  const paragraphs: Paragraph[] = [
    { spans: [{ text: error.code, as: 'bad' }, { text: `: ${endSentence(error)}` }], indent: 2 },
    ...(error.fix === undefined
      ? []
      : [indented(...listParts(error.fix).map((part) => (typeof part === 'string' ? { text: part } : command(part))))]),
    ...listDetails(error).map((detail) => indented({ text: detail, as: 'quiet' })),
    ...(error.answer === undefined ? [] : [indented({ text: 'answer: ' }, command(error.answer))]),
  ];
  return {
    stdout: '',
    stderr: await paintFitted(async () => paragraphs, format, terminal),
    exit: ERROR_CODES[error.code],
  };
}

function listParts(fix: Fix): Instruction {
  return typeof fix === 'string' || 'command' in fix ? [fix] : fix;
}

async function paintFitted(
  build: (columns: number) => Promise<readonly Paragraph[]>,
  { reach }: OutputFormat,
  { env, screen }: Terminal,
): Promise<string> {
  const written = async (columns: number): Promise<readonly Paragraph[]> => {
    const built = await build(columns);
    if (reach === undefined) return built;
    return built.map(({ spans, ...paragraph }) => ({
      ...paragraph,
      spans: spans.map((span) => (span.command === true ? span : { ...span, text: reach.text(span.text) })),
    }));
  };
  return paint(await layOutFor(screen().columns, written), showsColour(env));
}
