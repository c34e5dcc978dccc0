import { DevCliError } from '../base/errors.js';
import { isRecord, type JsonObject } from '../base/json.js';
import { patched } from './patch.js';
import type { Codec, Entry, Numbered } from './store.js';

/** The snapshot, or null when it is corrupt; a newer one is an error. */
export function parsed<S extends Numbered>(text: string, codec: Codec<S>): S | null {
  try {
    const snapshot = codec.parse(text);
    return Number.isSafeInteger(snapshot.seq) && snapshot.seq > 0 ? snapshot : null;
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'STATE_CORRUPT') return null;
    throw error;
  }
}

/** `seq` of a stored snapshot without checking the rest: 0 when there is none, -1 when it cannot be told. */
export function seqOf(text: string | null): number {
  if (text === null) return 0;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value['seq'] === 'number' ? value['seq'] : -1;
  } catch {
    return -1;
  }
}

/** `state` with the patches of `entries`; null when there is nothing, or when they do not fit it. */
export function folded(state: JsonObject | null, entries: readonly Entry[]): JsonObject | null {
  try {
    return entries.reduce<JsonObject | null>(
      (before, { patch }) => (patch.length > 0 ? patched(before, patch) : before),
      state,
    );
  } catch {
    return null;
  }
}
