import type { JsonObject } from '../../../../src/base/json.js';
import { runCodec } from '../../../../src/run/codec.js';
import { decodeLine } from '../../../../src/store/line.js';
import { applyEntries, serializeSnapshot } from '../../../../src/store/snapshot.js';
import type { Entry } from '../../../../src/store/store.js';

/** Returns the entries of a journal's complete commits, without a torn end. */
export function entriesOf(journal: Buffer | undefined): Entry[] {
  const lines = (journal?.toString('utf8') ?? '').split('\n').slice(0, -1);
  const entries = lines.flatMap((line) => decodeLine(Buffer.from(line)) ?? []);
  return entries.slice(0, entries.findLastIndex((entry) => entry.more !== true) + 1);
}

/** Rebuilds state.json from the entries alone; null if there are none. */
export function rebuilt(entries: readonly Entry[]): string | null {
  const state: JsonObject | null = applyEntries(null, entries);
  return state === null ? null : serializeSnapshot(state, runCodec);
}
