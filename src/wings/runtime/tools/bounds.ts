import { join } from 'node:path';
import { replaceInvisible, stripInvisible } from '../../../base/visible.js';
import { maskSecrets } from '../../../documents/foreign.js';
import { renderCodePoint } from '../../../documents/plan-text.js';
import { ensureDirectory, writeDurably } from '../../../store/durable.js';
import { cutBytes, cutToLastBytes } from '../core/cut.js';
import type { ToolScope } from './tool.js';

/** Bounds and cleans the text of results that a model sees (runtime.md, Tools). */

/**
 * Maximum bytes that a model sees of a result. Of a command's output, it sees `HEAD_BYTES` of the beginning, and the
 * rest from the end.
 */
export const SHOWN_BYTES = 16 * 1024;
export const HEAD_BYTES = 4 * 1024;
/** The file with the full text of a result that was too long. */
const WHOLE = 'output.txt';

/**
 * Creates the function that cleans all text that a model reads and a session stores: it masks secrets, shows invisible
 * characters by their codes, and removes control characters and terminal sequences.
 * @param values values to mask wherever they occur, such as the runtime's own keys; short ones are ignored
 */
export function createCleaner(values: readonly string[]): ToolScope['clean'] {
  const known = values.filter((value) => value.length >= 8).sort((a, b) => b.length - a.length);
  return (text) => {
    const plain = known.reduce((left, value) => left.replaceAll(value, '[masked]'), text);
    // Removes terminal sequences before masking, because they could hide a key.
    return maskSecrets(stripInvisible(replaceInvisible(plain, renderCodePoint)));
  };
}

/**
 * Bounds the text of a result, which has to be clean already.
 * @param whole the absolute path of a file with the full text; by default, the text is written into the call's
 * directory
 * @param head the bytes to show from the beginning; the rest of the limit is shown from the end
 * @throws DevCliError `IO`
 */
export function boundResult(
  text: string,
  { directory }: Pick<ToolScope, 'directory'>,
  { head = SHOWN_BYTES, whole }: { head?: number; whole?: string } = {},
): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= SHOWN_BYTES) return text;
  const path = whole ?? join(directory, WHOLE);
  if (whole === undefined) {
    ensureDirectory(directory);
    writeDurably(path, text);
  }
  const first = cutBytes(text, head);
  const last = head < SHOWN_BYTES ? cutToLastBytes(text, SHOWN_BYTES - head) : '';
  const left = bytes - Buffer.byteLength(first) - Buffer.byteLength(last);
  return `${first}\n[${left} of ${bytes} bytes omitted here; the full text: ${path}]\n${last}`;
}
