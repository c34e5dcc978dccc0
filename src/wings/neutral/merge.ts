import { resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { canonicalJson, isRecord, parseOrNull } from '../../base/json.js';
import { writeDurably } from '../../store/durable.js';
import { readRegularText } from '../../store/inside.js';
import { withIoErrors } from '../../store/io.js';
import type { History } from './files.js';

/** Most that a history may have, in bytes. */
const LARGEST = 64 * 1024 * 1024;

/**
 * `nexus merge` (neutral.md, Doors): both histories in one, written where git has ours.
 * @param cwd absolute
 * @throws DevCliError `DOCUMENT_UNREADABLE` for one that is none; nothing is written, and git reports a conflict. `IO`
 */
export async function mergeHistories({ ours, theirs }: { ours: string; theirs: string }, cwd: string): Promise<Answer> {
  const path = resolve(cwd, ours);
  const merged = merge(readHistory(path, ours), readHistory(resolve(cwd, theirs), theirs));
  writeDurably(path, `${JSON.stringify(merged, null, 2)}\n`);
  return { json: { ok: true, cycles: merged.cycles.length }, exit: 0 };
}

/** All cycles of both, none twice, in the order in which they were closed; members that only one has are kept. */
export function merge(ours: History, theirs: History): History {
  const seen = new Map([...ours.cycles, ...theirs.cycles].map((cycle) => [canonicalJson(cycle), cycle]));
  const instant = (cycle: History['cycles'][number]): number => Date.parse(String(cycle.completed_at)) || 0;
  return { ...theirs, ...ours, cycles: [...seen.values()].sort((a, b) => instant(a) - instant(b)) };
}

function readHistory(path: string, shown: string): History {
  const value = parseOrNull(withIoErrors(path, null, () => readRegularText(path, LARGEST)));
  if (isRecord(value) && Array.isArray(value['cycles'])) return value as unknown as History;
  throw new DevCliError('DOCUMENT_UNREADABLE', `${shown} is no history of cycles.`, {
    details: [{ target: shown, problem: 'no JSON object with a list "cycles"' }],
    fix: 'Merge it by hand.',
  });
}
