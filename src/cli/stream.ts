import { spellOutSigns } from '../app/words.js';
import type { StreamAnswer, StreamItem } from '../base/answer.js';
import { ERROR_CODES } from '../base/error-codes.js';
import type { TerminalSize } from '../base/screen.js';
import { createBlock } from './block.js';
import { toPlainLine, toPlainText } from './plain.js';
import {
  buildFailureDocument,
  createCommandFormatter,
  keepInert,
  type Output,
  type OutputFormat,
  renderFailure,
  renderJson,
  rewritePaths,
  toDevCliError,
} from './print.js';

interface Outlet {
  env: NodeJS.ProcessEnv;
  /** Writes to standard output; returns false if its reader is gone. */
  write: (text: string) => boolean;
  screen: () => TerminalSize;
}

/**
 * Writes the items of a stream as they come, one document per line (protocol.md §1). On a terminal that can move its
 * cursor, an item that is a `block` overwrites the block before it. An error becomes the last line. Stops when the
 * reader is gone.
 * @returns the output still to be written, and the exit code
 */
export async function printStream(
  answer: StreamAnswer,
  format: OutputFormat,
  { env, write, screen }: Outlet,
): Promise<Output> {
  let { exit } = answer;
  let seq = 0;
  const block = createBlock(screen);
  const isTerminal = !format.json && format.terminal;
  const canMove = env['TERM'] !== 'dumb';
  const redrawn = isTerminal && canMove && format.inWords !== true;
  const render = (item: StreamItem): string | null => {
    if (item.block === true && !redrawn && item.json.seq === seq) return null;
    if (format.json) return `${renderJson(item.json, { ...format, terminal: false }, answer.recorded)}\n`;
    const raw = item.text(createCommandFormatter(format));
    if (raw === null) return null;
    const text = rewritePaths(raw, format);
    if (item.block !== true) return redrawn ? block.above(toPlainLine(text)) : `${toPlainLine(text)}\n`;
    const plain = format.inWords === true ? spellOutSigns(toPlainText(text)) : toPlainText(text);
    if (redrawn) return block.draw(plain);
    return `${seq === 0 ? '' : '\n'}${plain}\n`;
  };
  try {
    for await (const item of answer.stream) {
      const made = render(item);
      const text = made === null || format.json ? made : keepInert(made, format);
      seq = item.json.seq;
      exit = item.exit ?? exit;
      if (text !== null && !write(text)) break;
      if (isTerminal && item.rings !== undefined && !write(canMove ? renderBell(item.rings) : BELL)) break;
    }
    return { stdout: block.rest(), stderr: '', exit };
  } catch (thrown) {
    const error = toDevCliError(thrown, env['DEV_CLI_DEBUG'] === '1');
    exit = ERROR_CODES[error.code];
    if (format.failsInText) return { stdout: '', stderr: keepInert(renderFailure(error, format), format), exit };
    const last = { seq, type: 'end', ...buildFailureDocument(error, format) };
    return { stdout: `${renderJson(last, { ...format, terminal: false })}\n`, stderr: '', exit };
  }
}

const BELL = '\u0007';

/** Renders the bell, and the sequence by which many terminals show a desktop notification (OSC 9); others ignore it. */
export function renderBell(notice: string): string {
  return `${BELL}\u001b]9;${toPlainLine(notice)}${BELL}`;
}
