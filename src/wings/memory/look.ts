import { renderCount } from '../../base/words.js';
import { isExistingDirectory } from '../../project/root.js';
import type { Diagnosis } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import { BOOK, getDirectory, openMemory } from './memory.js';

/**
 * Checks for `doctor` whether the book matches its journal (memory.md, Truth); reports nothing if there is no memory.
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
 */
export async function lookAtMemory(context: Context, { cwd }: { cwd: string }): Promise<Diagnosis[]> {
  const memory = openMemory(context, cwd);
  if (!isExistingDirectory(getDirectory(memory))) return [];
  const { entries, differences } = await memory.streams.replay(BOOK, {});
  const [first] = differences;
  if (first === undefined) {
    const message = `The book of memory matches its journal: ${renderCount(entries, 'entry', 'entries')}.`;
    return [{ check: 'memory', severity: 'ok', message }];
  }
  const message = `The book of memory does not match its journal: ${first.problem}.`;
  const fix = 'Remove .dev/memory/book/state.json: it is rebuilt from the journal.';
  return [{ check: 'memory', severity: 'problem', message, fix }];
}
