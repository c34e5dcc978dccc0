import type { StreamAnswer, StreamItem } from '../base/answer.js';
import { ERROR_CODES } from '../base/error-codes.js';
import { oneLine } from './plain.js';
import { asDevCliError, failureDocument, failureText, jsonText, type Manner, type Printed } from './print.js';

interface Outlet {
  env: NodeJS.ProcessEnv;
  write: (text: string) => boolean;
}

/**
 * Writes a stream, a document a line, as it comes (protocol.md §1). What goes wrong on the way is its last line; a reader
 * that went away ends it.
 */
export async function printStream(answer: StreamAnswer, manner: Manner, { env, write }: Outlet): Promise<Printed> {
  let seq = 0;
  try {
    for await (const item of answer.stream) {
      seq = item.json.seq;
      const text = manner.json ? jsonText(item.json, { terminal: false }, true) : personal(item);
      if (text !== null && !write(`${text}\n`)) break;
    }
    return { stdout: '', stderr: '', exit: answer.exit };
  } catch (thrown) {
    const error = asDevCliError(thrown, env['DEV_CLI_DEBUG'] === '1');
    const { exit } = ERROR_CODES[error.code];
    if (!manner.json) return { stdout: '', stderr: failureText(error, manner), exit };
    const last = { seq, type: 'end', ...failureDocument(error, manner) };
    return { stdout: `${jsonText(last, { ...manner, terminal: false })}\n`, stderr: '', exit };
  }
}

function personal(item: StreamItem): string | null {
  const text = item.text();
  return text === null ? null : oneLine(text);
}
