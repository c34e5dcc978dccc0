import type { Operation } from 'fast-json-patch';
import { DevCliError } from '../base/errors.js';
import { isJsonObject, isRecord, type Json, type JsonObject, normalizeJson, parseOrNull } from '../base/json.js';
import type { Codec, Entry, WithSeq } from './store.js';

// Loaded with `require` on first use, as in recipe/conditions/language.ts, since most readers do not need the library.
const jsonpatch = (): typeof import('fast-json-patch') => require('fast-json-patch');

/** Matches JSON pointers that the library refuses to follow when it applies a patch. */
const UNWALKABLE = /\/(__proto__|constructor\/prototype)(\/|$)/;

type Encoder = Pick<Codec<WithSeq>, 'encode'>;

/** Parses a snapshot; returns null if it is corrupt and throws if it has another version. */
export function parseSnapshot<S extends WithSeq>(text: string, codec: Codec<S>): S | null {
  try {
    const snapshot = codec.parse(text);
    return Number.isSafeInteger(snapshot.seq) && snapshot.seq > 0 ? snapshot : null;
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'STATE_CORRUPT') return null;
    throw error;
  }
}

/**
 * Serializes a snapshot as JSON with sorted keys. Equal snapshots give the same text, so a snapshot rebuilt from the
 * journal equals the stored one byte for byte (storage.md, A commit).
 */
export function serializeSnapshot(snapshot: object, codec: Encoder): string {
  return serializeNormal(normalizeJson(snapshot) as JsonObject, codec);
}

/** Serializes a snapshot that is already normalized (base/json.ts `normalizeJson`), since normalizing takes long. */
export function serializeNormal(snapshot: JsonObject, { encode }: Encoder): string {
  return `${JSON.stringify(encode === undefined ? snapshot : encode(snapshot), null, 1)}\n`;
}

/** Reads `seq` of a stored snapshot without checking the rest: 0 without a snapshot, -1 if it cannot be read. */
export function readSeq(text: string | null): number {
  if (text === null) return 0;
  const value = parseOrNull(text);
  return isRecord(value) && typeof value['seq'] === 'number' ? value['seq'] : -1;
}

/**
 * Returns `state` after the change that an entry records. May change `state` in place, so do not use it afterwards.
 * @throws an error of the library when the patch does not fit
 */
export function applyEntry(state: JsonObject | null, { patch }: Entry): JsonObject | null {
  return patch.length > 0 ? applyJsonPatch(state, patch) : state;
}

/** Applies the patches of `entries` to `state`; null if one does not fit, or if there is no state at the end. */
export function applyEntries(state: JsonObject | null, entries: readonly Entry[]): JsonObject | null {
  try {
    return entries.reduce(applyEntry, state);
  } catch {
    return null;
  }
}

/**
 * Creates the JSON Patch (RFC 6902) that turns `before` into `after`. It does not keep the order of keys, which
 * `serializeSnapshot` sorts anyway. Both values must be plain JSON: no `undefined`, no class instances.
 */
export function createPatch(before: JsonObject | null, after: JsonObject): Json[] {
  if (before === null) return [{ op: 'add', path: '', value: after }];
  const [left, right] = keepDifferences(before, after) ?? [{}, {}];
  const operations = jsonpatch().compare(left, right);
  if (operations.some(({ path }) => UNWALKABLE.test(path))) return [{ op: 'replace', path: '', value: after }];
  return operations as unknown as Json[];
}

/**
 * Reduces two objects, recursively, to the members that differ; null if nothing differs. Done first because the library
 * would take several times longer to compare two large snapshots.
 */
function keepDifferences(before: JsonObject, after: JsonObject): [JsonObject, JsonObject] | null {
  let found: [JsonObject, JsonObject] | null = null;
  const note = (key: string, one: Json | undefined, other: Json | undefined): void => {
    // On an object without a prototype, `__proto__` is a key like any other.
    found ??= [Object.create(null) as JsonObject, Object.create(null) as JsonObject];
    if (one !== undefined) found[0][key] = one;
    if (other !== undefined) found[1][key] = other;
  };
  for (const key of Object.keys(before)) {
    const one = before[key] as Json;
    if (!Object.hasOwn(after, key)) note(key, one, undefined);
    else {
      const narrowed = narrow(one, after[key] as Json);
      if (narrowed !== null) note(key, ...narrowed);
    }
  }
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) note(key, undefined, after[key]);
  return found;
}

/** Reduces two values to their differing parts; null if they are equal. */
function narrow(one: Json, other: Json): [Json, Json] | null {
  if (one === other) return null;
  if (isJsonObject(one) && isJsonObject(other)) return keepDifferences(one, other);
  if (Array.isArray(one) && Array.isArray(other)) return narrowItems(one, other);
  return [one, other];
}

/** Replaces each item that is equal in both lists by null; returns null if all are equal. */
function narrowItems(before: readonly Json[], after: readonly Json[]): [Json[], Json[]] | null {
  let equal = before.length === after.length;
  const left: Json[] = [];
  const right: Json[] = [];
  for (const [index, one] of before.entries()) {
    const other = after[index];
    const narrowed: [Json, Json?] | null = other === undefined ? [one] : narrow(one, other);
    equal &&= narrowed === null;
    const [kept, now] = narrowed ?? [null, null];
    left.push(kept);
    if (now !== undefined) right.push(now);
  }
  return equal ? null : [left, [...right, ...after.slice(before.length)]];
}

/**
 * Returns `document` after `patch`. Changes the document in place and shares parts of the patch with it, so use neither
 * afterwards.
 * @throws an error of the library when the patch does not fit the document
 */
export function applyJsonPatch(document: JsonObject | null, patch: readonly Json[]): JsonObject {
  return jsonpatch().applyPatch<JsonObject>(document ?? {}, patch as unknown as Operation[], true).newDocument;
}

/** Lists the positions where two documents differ, as JSON pointers; `before` or `after` is left out where absent. */
export function listJsonDifferences(
  before: JsonObject,
  after: JsonObject,
): { pointer: string; before?: Json; after?: Json }[] {
  return jsonpatch()
    .compare(before, after)
    .map(({ path: pointer, op }) => ({
      pointer,
      ...(op === 'add' ? {} : { before: jsonpatch().getValueByPointer(before, pointer) as Json }),
      ...(op === 'remove' ? {} : { after: jsonpatch().getValueByPointer(after, pointer) as Json }),
    }));
}
