import type { Operation } from 'fast-json-patch';
import type { Json, JsonObject } from '../base/json.js';

// A plain `require`, as in recipe/conditions.ts: a reader who finds everything finished needs nothing of it.
const jsonpatch = (): typeof import('fast-json-patch') => require('fast-json-patch');

/** Keys that the library refuses to walk through when a patch is applied. */
const UNWALKABLE = /\/(__proto__|constructor\/prototype)(\/|$)/;

/**
 * The JSON Patch (RFC 6902) that turns `before` into `after`. The order of keys is not kept: a codec must not depend on
 * it. Both values must have gone through JSON: no `undefined`, no instances.
 */
export function patchBetween(before: JsonObject | null, after: JsonObject): Json[] {
  if (before === null) return [{ op: 'add', path: '', value: after }];
  const operations = jsonpatch().compare(before, after);
  if (operations.some(({ path }) => UNWALKABLE.test(path))) return [{ op: 'replace', path: '', value: after }];
  return operations as unknown as Json[];
}

/**
 * `document` after `patch`. The document is changed in place and takes over parts of the patch: use neither afterwards.
 * @throws an error of the library when the patch does not fit the document
 */
export function patched(document: JsonObject | null, patch: readonly Json[]): JsonObject {
  return jsonpatch().applyPatch<JsonObject>(document ?? {}, patch as unknown as Operation[], true).newDocument;
}

/** Every place where two documents differ, as JSON pointers; a value that is not there is left out. */
export function changesBetween(
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
