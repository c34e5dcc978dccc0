import type { Operation } from 'fast-json-patch';
import { DevCliError } from '../base/errors.js';
import { isJsonObject, isRecord, type Json, type JsonObject, normalizeJson, parseOrNull } from '../base/json.js';
import type { Codec, Entry, WithSeq } from './store.js';

// A plain `require`, as in recipe/conditions/language.ts: a reader who finds everything finished needs nothing of it.
const jsonpatch = (): typeof import('fast-json-patch') => require('fast-json-patch');

/** Keys that the library refuses to walk through when a patch is applied. */
const UNWALKABLE = /\/(__proto__|constructor\/prototype)(\/|$)/;

type Encoder = Pick<Codec<WithSeq>, 'encode'>;

/** The snapshot, or null when it is corrupt; one of another version is an error. */
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
 * The exact bytes of a snapshot: JSON with sorted keys, equal for equal snapshots, so that one rebuilt from the journal is the
 * stored one byte for byte (storage.md, A commit).
 */
export function serializeSnapshot(snapshot: object, codec: Encoder): string {
  return serializeNormal(normalizeJson(snapshot) as JsonObject, codec);
}

/** The same for a snapshot that is normal (base/json.ts `normalizeJson`): to look again would take longer than to write it. */
export function serializeNormal(snapshot: JsonObject, { encode }: Encoder): string {
  return `${JSON.stringify(encode === undefined ? snapshot : encode(snapshot), null, 1)}\n`;
}

/** `seq` of a stored snapshot without checking the rest: 0 when there is none, -1 when it cannot be told. */
export function readSeq(text: string | null): number {
  if (text === null) return 0;
  const value = parseOrNull(text);
  return isRecord(value) && typeof value['seq'] === 'number' ? value['seq'] : -1;
}

/**
 * `state` after the change that an entry records. It may be changed in place: use it no more.
 * @throws an error of the library when the patch does not fit
 */
export function applyEntry(state: JsonObject | null, { patch }: Entry): JsonObject | null {
  return patch.length > 0 ? applyPatch(state, patch) : state;
}

/** `state` with the patches of `entries`; null when there is nothing, or when they do not fit it. */
export function applyEntries(state: JsonObject | null, entries: readonly Entry[]): JsonObject | null {
  try {
    return entries.reduce(applyEntry, state);
  } catch {
    return null;
  }
}

/**
 * The JSON Patch (RFC 6902) that turns `before` into `after`. It does not keep the order of keys, which
 * `serializeSnapshot` sorts anyway. Both values must have gone through JSON: no `undefined`, no instances.
 */
export function createPatch(before: JsonObject | null, after: JsonObject): Json[] {
  if (before === null) return [{ op: 'add', path: '', value: after }];
  const [left, right] = keepDifferences(before, after) ?? [{}, {}];
  const operations = jsonpatch().compare(left, right);
  if (operations.some(({ path }) => UNWALKABLE.test(path))) return [{ op: 'replace', path: '', value: after }];
  return operations as unknown as Json[];
}

/**
 * Two objects without the members that are equal in both, down through objects; null when nothing differs. The library
 * walks through all of a large snapshot several times slower than this does.
 */
function keepDifferences(before: JsonObject, after: JsonObject): [JsonObject, JsonObject] | null {
  let found: [JsonObject, JsonObject] | null = null;
  const note = (key: string, one: Json | undefined, other: Json | undefined): void => {
    // Without a prototype, `__proto__` is a key like any other.
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

/** Two values reduced to what differs; null where they are equal. */
function narrow(one: Json, other: Json): [Json, Json] | null {
  if (one === other) return null;
  if (isJsonObject(one) && isJsonObject(other)) return keepDifferences(one, other);
  if (Array.isArray(one) && Array.isArray(other)) return narrowItems(one, other);
  return [one, other];
}

/** Two lists with null in the place of each item that is equal in both; null where all are. */
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
 * `document` after `patch`. The document is changed in place and takes over parts of the patch: use neither afterwards.
 * @throws an error of the library when the patch does not fit the document
 */
export function applyPatch(document: JsonObject | null, patch: readonly Json[]): JsonObject {
  return jsonpatch().applyPatch<JsonObject>(document ?? {}, patch as unknown as Operation[], true).newDocument;
}

/** Every place where two documents differ, as JSON pointers; a value that is not there is left out. */
export function listChanges(before: JsonObject, after: JsonObject): { pointer: string; before?: Json; after?: Json }[] {
  return jsonpatch()
    .compare(before, after)
    .map(({ path: pointer, op }) => ({
      pointer,
      ...(op === 'add' ? {} : { before: jsonpatch().getValueByPointer(before, pointer) as Json }),
      ...(op === 'remove' ? {} : { after: jsonpatch().getValueByPointer(after, pointer) as Json }),
    }));
}
