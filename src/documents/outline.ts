import { isRecord } from '../base/json.js';

/** The part of JSON Schema that is checked at run time; a test proves that the schemas use no other keyword. */
export interface OutlineSchema {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly OutlineSchema[];
  /**
   * The variants of a tagged union. A value has to fit the variant whose `const` for the tag equals the value's tag.
   */
  oneOf?: readonly OutlineSchema[];
  discriminator?: { propertyName: string };
  required?: readonly string[];
  properties?: Readonly<Record<string, OutlineSchema>>;
  items?: OutlineSchema;
  /** The schema of keys that `properties` does not name and no pattern fits; false forbids such keys. */
  additionalProperties?: false | OutlineSchema;
  /** At most one pattern; `^(.*)$` stands for a record whose values are all of one kind. */
  patternProperties?: Readonly<Record<string, OutlineSchema>>;
  pattern?: string;
  /** In code units, as JavaScript counts them. */
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

/** A place where a value does not fit its schema. */
export interface OutlineFault {
  /** JSON pointer, without escapes; empty for the whole value. */
  at: string;
  problem: string;
}

/**
 * Finds the first place where a value does not fit, or null. Interprets the schema, because a precompiled validator
 * would be one large function for Node to parse in every call: for a single value, interpreting is several times
 * faster.
 */
export function findMisfit(schema: OutlineSchema, value: unknown): OutlineFault | null {
  // Types are compared first, because most variants have another type, and the faults of variants are discarded anyway.
  if (schema.anyOf?.every((option) => !hasType(option, value) || findMisfit(option, value) !== null))
    return fault('fits no variant');
  if (!hasType(schema, value)) return fault(`must be ${[schema.type].flat().join(' or ')}`);
  if ('const' in schema && value !== schema.const) return fault(`must be ${JSON.stringify(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return fault(`must be one of ${schema.enum.join(', ')}`);
  if (Array.isArray(value)) return itemMisfit(schema, value);
  if (isRecord(value)) return variantMisfit(schema, value) ?? memberMisfit(schema, value);
  return isWithin(schema, value) ? null : fault('is out of bounds');
}

const fault = (problem: string): OutlineFault => ({ at: '', problem });

/** Checks a member. Builds the member's pointer only if there is a fault. */
function memberFault(key: string | number, schema: OutlineSchema, member: unknown): OutlineFault | null {
  const found = findMisfit(schema, member);
  return found === null ? null : { at: `/${key}${found.at}`, problem: found.problem };
}

/** Checks the pattern and length of a text, or the limits of a number. */
function isWithin({ pattern, maxLength, minimum, maximum }: OutlineSchema, value: unknown): boolean {
  if (typeof value === 'number') return !(value < (minimum ?? value)) && !(value > (maximum ?? value));
  if (typeof value !== 'string') return true;
  return value.length <= (maxLength ?? Infinity) && (pattern === undefined || fitsPattern(pattern, value));
}

function itemMisfit(schema: OutlineSchema, values: unknown[]): OutlineFault | null {
  const { items, minItems = 0, maxItems = Infinity } = schema;
  if (values.length < minItems) return fault(`has fewer items than ${minItems}`);
  if (values.length > maxItems) return fault(`has more items than ${maxItems}`);
  if (items === undefined) return null;
  for (let index = 0; index < values.length; index += 1) {
    const found = memberFault(index, items, values[index]);
    if (found !== null) return found;
  }
  return null;
}

function variantMisfit({ oneOf, discriminator }: OutlineSchema, value: Record<string, unknown>): OutlineFault | null {
  if (oneOf === undefined || discriminator === undefined) return null;
  const tag = discriminator.propertyName;
  const variant = oneOf.find(({ properties }) => Object.hasOwn(value, tag) && properties?.[tag]?.const === value[tag]);
  return variant === undefined ? fault(`has no known ${tag}`) : findMisfit(variant, value);
}

function memberMisfit(schema: OutlineSchema, value: Record<string, unknown>): OutlineFault | null {
  const { properties = {}, required = [] } = schema;
  for (const key of required) if (!Object.hasOwn(value, key)) return fault(`must have ${JSON.stringify(key)}`);
  for (const key of Object.keys(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : findOther(schema, key);
    if (known === false) return fault(`must not have ${JSON.stringify(key.slice(0, 60))}`);
    const found = known === undefined ? null : memberFault(key, known, value[key]);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the schema of a key that `properties` does not name. */
function findOther({ patternProperties, additionalProperties }: OutlineSchema, key: string) {
  for (const pattern in patternProperties) if (fitsPattern(pattern, key)) return patternProperties[pattern];
  return additionalProperties;
}

/** Compiled patterns, by source. */
const patterns = new Map<string, RegExp>();

function fitsPattern(source: string, text: string): boolean {
  // This pattern fits every text on one line, and a record may have ten thousand keys.
  if (source === '^(.*)$' && !text.includes('\n')) return true;
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(source, 'u');
    patterns.set(source, pattern);
  }
  return pattern.test(text);
}

function hasType({ type }: OutlineSchema, value: unknown): boolean {
  if (type === undefined || typeof type === 'string') return type === undefined || isOfType(type, value);
  return type.some((one) => isOfType(one, value));
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
    case 'number':
      return Number.isFinite(value);
    default:
      // The other JSON types have the same names in JavaScript.
      return typeof value === type;
  }
}
