import type { StreamAnswer, StreamItem } from '../base/answer.js';
import { ERROR_CODES } from '../base/error-codes.js';
import { createBlock, type Screen } from './block.js';
import { oneLine, plainText } from './plain.js';
import {
  asDevCliError,
  failureDocument,
  failureText,
  jsonText,
  type Manner,
  type Printed,
  reachable,
  writtenFrom,
} from './print.js';

interface Outlet {
  env: NodeJS.ProcessEnv;
  write: (text: string) => boolean;
  screen: () => Screen;
}

/**
 * Writes a stream, a document a line, as it comes (protocol.md §1); blocks for a person take each other's place on a
 * terminal. What goes wrong on the way is its last line; a reader that went away ends it.
 */
export async function printStream(
  answer: StreamAnswer,
  manner: Manner,
  { env, write, screen }: Outlet,
): Promise<Printed> {
  let seq = 0;
  const block = createBlock(screen);
  const redrawn = !manner.json && manner.terminal;
  const made = (item: StreamItem): string | null => {
    if (item.block === true && !redrawn && item.json.seq === seq) return null;
    if (manner.json) return `${jsonText(item.json, { ...manner, terminal: false }, answer.recorded)}\n`;
    const made = item.text(writtenFrom(manner));
    if (made === null) return null;
    const text = reachable(made, manner);
    if (item.block !== true) return `${oneLine(text)}\n`;
    const plain = plainText(text);
    if (redrawn) return block.draw(plain);
    return `${seq === 0 ? '' : '\n'}${plain}\n`;
  };
  try {
    for await (const item of answer.stream) {
      const text = made(item);
      seq = item.json.seq;
      if (text !== null && !write(text)) break;
    }
    return { stdout: block.rest(), stderr: '', exit: answer.exit };
  } catch (thrown) {
    const error = asDevCliError(thrown, env['DEV_CLI_DEBUG'] === '1');
    const { exit } = ERROR_CODES[error.code];
    if (manner.failsInText) return { stdout: '', stderr: failureText(error, manner), exit };
    const last = { seq, type: 'end', ...failureDocument(error, manner) };
    return { stdout: `${jsonText(last, { ...manner, terminal: false })}\n`, stderr: '', exit };
  }
}
