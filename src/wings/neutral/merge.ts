import { resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { canonicalJson } from '../../base/json.js';
import { writeDurably } from '../../store/durable.js';
import { readRegularText } from '../../store/inside.js';
import { withIoErrors } from '../../store/io.js';
import { type NeutralHistory, parseFile } from './files.js';

/** Maximum size of a history in bytes. */
const LARGEST = 64 * 1024 * 1024;

/**
 * `nexus merge` (neutral.md, Doors): merges both histories into the file that git passes as ours.
 * @param cwd absolute
 * @throws DevCliError `DOCUMENT_UNREADABLE` for an invalid history; nothing is written then, so that git reports a
 * conflict. `IO`
 */
export async function mergeHistories({ ours, theirs }: { ours: string; theirs: string }, cwd: string): Promise<Answer> {
  const path = resolve(cwd, ours);
  const merged = mergeCycles(readHistory(path, ours), readHistory(resolve(cwd, theirs), theirs));
  writeDurably(path, `${JSON.stringify(merged, null, 2)}\n`);
  return { json: { ok: true, cycles: merged.cycles.length }, exit: 0 };
}

/**
 * Merges the cycles of both histories without duplicates, in the order in which they were closed; a cycle without a
 * time is placed after the one before it in its history. Keeps members that only one of the histories has.
 */
export function mergeCycles(ours: NeutralHistory, theirs: NeutralHistory): NeutralHistory {
  const seen = new Map<string, { cycle: NeutralHistory['cycles'][number]; at: number }>();
  for (const { cycles } of [ours, theirs]) {
    let last = 0;
    for (const cycle of cycles) {
      last = Date.parse(String(cycle.completed_at)) || last;
      const key = canonicalJson(cycle);
      if (!seen.has(key)) seen.set(key, { cycle, at: last });
    }
  }
  const sorted = [...seen.values()].sort((a, b) => a.at - b.at);
  return { ...theirs, ...ours, cycles: sorted.map(({ cycle }) => cycle) };
}

function readHistory(path: string, shown: string): NeutralHistory {
  const text = withIoErrors(path, null, () => readRegularText(path, LARGEST));
  let problem = 'it is no file that can be read';
  try {
    const history = parseFile('history', text === null ? null : Buffer.from(text));
    if (history !== null) return history;
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    problem = error.message.replace(/^.*?: /, '');
  }
  throw new DevCliError('DOCUMENT_UNREADABLE', `${shown} is no history of cycles: ${problem}.`, {
    details: [{ target: shown, problem }],
    fix: 'Merge it by hand.',
  });
}
