import type { JsonObject } from '../../../../src/base/json.js';
import { runCodec } from '../../../../src/run/codec.js';
import { decodeLine } from '../../../../src/store/line.js';
import { applyEntries, serializeSnapshot } from '../../../../src/store/snapshot.js';
import type { Entry } from '../../../../src/store/store.js';

/** The whole commits of a journal; what is torn at its end is left out. */
export function entriesOf(journal: Buffer | undefined): Entry[] {
  const lines = (journal?.toString('utf8') ?? '').split('\n').slice(0, -1);
  const entries = lines.flatMap((line) => decodeLine(Buffer.from(line)) ?? []);
  return entries.slice(0, entries.findLastIndex((entry) => entry.more !== true) + 1);
}

/** state.json as the entries alone give it; null before the first. */
export function rebuilt(entries: readonly Entry[]): string | null {
  const state: JsonObject | null = applyEntries(null, entries);
  return state === null ? null : serializeSnapshot(state, runCodec);
}
