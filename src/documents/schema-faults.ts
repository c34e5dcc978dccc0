// shared: common

import { isRecord } from '../base/json.js';
import { findMisfit, type OutlineSchema } from './outline.js';

/** The members of an ajv error (with the option `verbose`) that this file uses. */
interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  message?: string;
  data?: unknown;
  parentSchema?: Record<string, unknown>;
}

/** A validator that reports all errors, with their values. */
export type Validator = ((value: unknown) => boolean) & { errors?: SchemaError[] | null };

/** One fault of a value according to a schema, as data from which callers build their own messages. */
export type SchemaFault = {
  /** JSON pointer of the value. */
  pointer: string;
  /** The value at `pointer`. */
  given: unknown;
  /** The part of the schema that the value does not fit. */
  schema: Record<string, unknown>;
} & (
  | { kind: 'missing'; key: string }
  | { kind: 'unknown-key'; key: string }
  /** Is none of the allowed words. `isTag`: the word selects the variant of the object that contains it. */
  | { kind: 'word'; allowed: string[]; isTag?: true }
  | { kind: 'type'; wanted: string[] }
  | { kind: 'empty' }
  /** Does not match `pattern`. */
  | { kind: 'form'; pattern: string }
  | { kind: 'limit'; what: 'value' | 'entries' | 'characters'; least: boolean; limit: number }
  /** Anything else, in the words of ajv. */
  | { kind: 'other'; message: string }
);

/**
 * A schema against which values are checked. Most values fit, so the validator, which is large, is loaded only for a
 * value that does not.
 */
export interface CheckedSchema {
  outline: OutlineSchema;
  validator: () => Validator;
}

/** Finds all faults of a value, except those that only follow from other faults; empty if the value fits. */
export function findFaults({ outline, validator }: CheckedSchema, value: unknown): SchemaFault[] {
  return findMisfit(outline, value) === null ? [] : listSchemaFaults(validator(), value);
}

/** Finds all faults of a value with a validator alone, for schemas without an outline. */
export function listSchemaFaults(validate: Validator, value: unknown): SchemaFault[] {
  return validate(value) ? [] : selectMeant(validate.errors ?? []).map(readFault);
}

function readFault(error: SchemaError): SchemaFault {
  const { keyword, params, data: given, parentSchema: schema = {} } = error;
  const at = { pointer: error.instancePath, given, schema };
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'required':
      return { ...at, kind: 'missing', key: String(params['missingProperty']) };
    case 'additionalProperties':
      return { ...at, kind: 'unknown-key', key: String(params['additionalProperty']) };
    case 'enum':
      return { ...at, kind: 'word', allowed: (params['allowedValues'] as unknown[]).map(String) };
    case 'const':
      return { ...at, kind: 'word', allowed: [String(params['allowedValue'])] };
    case 'discriminator': {
      const tag = String(params['tag']);
      const tagged = { pointer: `${at.pointer}/${tag}`, given: isRecord(given) ? given[tag] : undefined, schema };
      return { ...tagged, kind: 'word', allowed: listVariants(schema, tag), isTag: true };
    }
    case 'type':
      return { ...at, kind: 'type', wanted: [params['type']].flat().map(String) };
    case 'pattern':
      return params['pattern'] === '\\S'
        ? { ...at, kind: 'empty' }
        : { ...at, kind: 'form', pattern: String(params['pattern']) };
    case 'minItems':
    case 'maxItems':
      return { ...at, kind: 'limit', what: 'entries', least: keyword === 'minItems', limit };
    case 'maxLength':
      return { ...at, kind: 'limit', what: 'characters', least: false, limit };
    case 'minimum':
    case 'maximum':
      return { ...at, kind: 'limit', what: 'value', least: keyword === 'minimum', limit };
    default:
      return { ...at, kind: 'other', message: error.message ?? 'does not fit' };
  }
}

/** Lists the values of `tag`, one for each variant of a schema. */
function listVariants(schema: Record<string, unknown>, tag: string): string[] {
  const among = (schema['oneOf'] ?? []) as { properties?: Record<string, { const?: string }> }[];
  return among.flatMap(({ properties }) => properties?.[tag]?.const ?? []);
}

/**
 * Of the errors about a union, keeps only those of the variants that the value was probably meant to be. If its type
 * fits no variant, one error replaces those of all variants.
 */
function selectMeant(errors: readonly SchemaError[]): SchemaError[] {
  const instead = new Map<SchemaError, SchemaError[]>();
  for (const union of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const inside = errors.filter((error) => isInside(error, union));
    const deeper = inside.filter((error) => error.instancePath !== union.instancePath || !isWrongKind(error));
    const closedList = inside.filter(({ keyword }) => typeof union.data === 'string' && keyword === 'enum');
    const meant = deeper.length > 0 ? deeper : closedList;
    for (const error of inside) if (!meant.includes(error)) instead.set(error, []);
    instead.set(union, meant.length > 0 ? [] : [buildTypeError(union, inside)]);
  }
  return errors.filter((error) => !followsFromMissingTag(error)).flatMap((error) => instead.get(error) ?? [error]);
}

function buildTypeError(union: SchemaError, inside: readonly SchemaError[]): SchemaError {
  const types = inside.flatMap(({ keyword, params }) => (keyword === 'type' ? [params['type']] : []));
  return types.length === inside.length && types.length > 0
    ? { ...union, keyword: 'type', params: { type: types.flat() } }
    : { ...union, message: 'has a value that cannot be used here' };
}

function isInside(error: SchemaError, union: SchemaError): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/`) && error.instancePath.startsWith(union.instancePath);
}

function isWrongKind({ keyword }: SchemaError): boolean {
  return keyword === 'type' || keyword === 'enum' || keyword === 'const';
}

/** Returns whether an error only says that the tag is missing, which `required` reports as well. */
function followsFromMissingTag({ keyword, params }: SchemaError): boolean {
  return keyword === 'discriminator' && params['error'] === 'tag' && params['tagValue'] === undefined;
}
