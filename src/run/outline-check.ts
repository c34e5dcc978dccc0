import { isRecord } from '../base/json.js';

/** The part of JSON Schema that snapshots and entries are checked with; a test proves that their schemas use no other keyword. */
export interface OutlineSchema {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly OutlineSchema[];
  required?: readonly string[];
  properties?: Readonly<Record<string, OutlineSchema>>;
  items?: OutlineSchema;
  /** False: no key but those of `properties`. */
  additionalProperties?: false;
  /** One pattern that every key fits, as a record of values of one kind has it. */
  patternProperties?: { readonly '^(.*)$': OutlineSchema };
}

export interface OutlineFault {
  /** JSON pointer, without escapes; empty for the whole value. */
  at: string;
  problem: string;
}

/**
 * The first place where a value does not fit, or null. A validator compiled ahead says the same, but it is one large
 * function that every call would have to compile first: reading its schema is several times faster for one snapshot.
 */
export function misfit(schema: OutlineSchema, value: unknown, at = ''): OutlineFault | null {
  if (schema.anyOf !== undefined) {
    return schema.anyOf.some((option) => misfit(option, value) === null) ? null : { at, problem: 'fits no variant' };
  }
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(type, value))) {
    return { at, problem: `must be ${[schema.type].flat().join(' or ')}` };
  }
  if ('const' in schema && value !== schema.const) return { at, problem: `must be ${JSON.stringify(schema.const)}` };
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    return { at, problem: `must be one of ${schema.enum.join(', ')}` };
  }
  if (Array.isArray(value)) return itemMisfit(schema.items, value, at);
  return isRecord(value) ? memberMisfit(schema, value, at) : null;
}

function itemMisfit(items: OutlineSchema | undefined, values: unknown[], at: string): OutlineFault | null {
  if (items === undefined) return null;
  for (const [index, value] of values.entries()) {
    const found = misfit(items, value, `${at}/${index}`);
    if (found !== null) return found;
  }
  return null;
}

function memberMisfit(schema: OutlineSchema, value: Record<string, unknown>, at: string): OutlineFault | null {
  const { properties = {}, required = [], patternProperties } = schema;
  const missing = required.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return { at, problem: `must have ${JSON.stringify(missing)}` };
  for (const [key, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : patternProperties?.['^(.*)$'];
    if (known === undefined && schema.additionalProperties === false) {
      return { at, problem: `must not have ${JSON.stringify(key.slice(0, 60))}` };
    }
    const found = known === undefined ? null : misfit(known, member, `${at}/${key}`);
    if (found !== null) return found;
  }
  return null;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      // The other types of JSON have the names that JavaScript gives them.
      return typeof value === type;
  }
}
