import { layOutFor } from '../app/lay-out.js';
import type { Answer } from '../base/answer.js';
import { ERROR_CODES } from '../base/error-codes.js';
import { DevCliError, type Fix } from '../base/errors.js';
import type { CommandFormatter, Instruction, Invocation } from '../base/invocation.js';
import type { TerminalSize } from '../base/screen.js';
import type { Paragraph, Span } from '../base/spans.js';
import { listFailure } from './failure.js';
import { paint, showsColour } from './paint.js';
import { createCommandFormatter, type Output, type OutputFormat } from './print.js';

/** The terminal at which a person reads. */
interface Terminal {
  env: NodeJS.ProcessEnv;
  screen: () => TerminalSize;
}

/**
 * Prints the result of a call at a person's terminal, fitted and painted (view.md, Colour, Width).
 * @returns null if the ordinary output is to be used: for JSON, for text without a layout, for GitHub's runner, or for
 * an error if standard error is not a terminal
 */
export async function printForPerson(
  result: Answer | DevCliError,
  format: OutputFormat,
  terminal: Terminal,
): Promise<Output | null> {
  if (format.runner === true) return null;
  const written = createCommandFormatter(format);
  if (result instanceof DevCliError) {
    if (!format.failsInText || !process.stderr.isTTY) return null;
    const stderr = await paintFitted(async () => layOutFailure(result, written), format, terminal);
    return { stdout: '', stderr, exit: ERROR_CODES[result.code] };
  }
  const { lines, exit } = result;
  if (lines === undefined || format.json) return null;
  return { stdout: await paintFitted((columns) => lines(written, columns), format, terminal), stderr: '', exit };
}

/** Lays out an error: code and message, the fix, the problems, and the command that only a person can run. */
function layOutFailure(error: DevCliError, written: CommandFormatter): Paragraph[] {
  const { code, fix, answer } = error;
  const [first = '', ...problems] = listFailure(error);
  const command = (one: Invocation): Span => ({ text: written(one), as: 'busy', command: true });
  const below = (...spans: Span[]): Paragraph => ({ spans: [{ text: '  ' }, ...spans], indent: 4 });
  const fixes = toInstruction(fix).map((part) => (typeof part === 'string' ? { text: part } : command(part)));
  return [
    { spans: [{ text: code, as: 'bad' }, { text: first.slice(code.length) }], indent: 2 },
    ...(fixes.length === 0 ? [] : [below(...fixes)]),
    ...problems.map((text): Paragraph => ({ spans: [{ text, as: 'quiet' }], indent: 4 })),
    ...(answer === undefined ? [] : [below({ text: 'answer: ' }, command(answer))]),
  ];
}

function toInstruction(fix: Fix | undefined): Instruction {
  if (fix === undefined) return [];
  return typeof fix === 'string' || 'command' in fix ? [fix] : fix;
}

/**
 * Lays out and paints paragraphs. Rewrites paths for the call's directory, except in commands, where this has already
 * been done.
 */
async function paintFitted(
  build: (columns: number) => Promise<readonly Paragraph[]>,
  { reach }: OutputFormat,
  { env, screen }: Terminal,
): Promise<string> {
  const { columns } = screen();
  const written = ({ spans, ...paragraph }: Paragraph): Paragraph => ({
    ...paragraph,
    spans: spans.map((span) => (span.command === true ? span : { ...span, text: reach?.text(span.text) ?? span.text })),
  });
  return paint(await layOutFor(columns, async (room) => (await build(room)).map(written)), showsColour(env));
}
