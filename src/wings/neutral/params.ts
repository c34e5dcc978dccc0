import { isRecord, type JsonObject } from '../../base/json.js';
import { toolRefusedError } from './files.js';

/** The part of a parameter's schema that this file checks. */
interface Schema {
  type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  /** 0 if the text may be empty or only whitespace. */
  minLength?: number;
  enum?: readonly string[];
  items?: Schema;
}

/** The schema of all parameters of a call. */
export interface ParamsSchema {
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
}

/**
 * Reads the parameters of a call (neutral.md, All tools, 9). A null counts as a missing parameter, and so does an empty
 * text or one of whitespace alone, unless `minLength` is 0.
 * @throws DevCliError `TOOL_REFUSED` for a missing parameter, or one of the wrong type or value
 */
export function readParams({ properties = {}, required = [] }: ParamsSchema, given: JsonObject): JsonObject {
  const entries = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    const raw = Object.hasOwn(given, name) ? (given[name] ?? undefined) : undefined;
    const value = isBlank(raw) && schema.minLength !== 0 ? undefined : raw;
    if (value !== undefined) return [[name, read(name, schema, value)]];
    if (required.includes(name)) throw toolRefusedError(`${name} is required`);
    return [];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** Builds a warning for each parameter that no version of the contract declares. */
export function warnUnknown({ properties = {} }: ParamsSchema, given: JsonObject): string[] {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(properties, name));
  return unknown.length === 0
    ? []
    : [`There is no parameter ${unknown.map((name) => JSON.stringify(name)).join(', ')}.`];
}

function read(name: string, schema: Schema, value: unknown): unknown {
  const found = convert(schema, value);
  if (found === undefined) throw toolRefusedError(`${name} must be ${describe(schema)}`);
  return found;
}

/** Converts a value to the type of its parameter; undefined if it does not fit. */
function convert(schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && (schema.enum?.includes(value) ?? true) ? value : undefined;
    case 'integer': {
      const number = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'array': {
      const items = Array.isArray(value)
        ? value.map((one) => (isBlank(one) ? undefined : convert(itemsOf(schema), one)))
        : [undefined];
      return items.includes(undefined) ? undefined : items;
    }
    case 'object':
      return isRecord(value) && Object.values(value).every((one) => typeof one === 'string') ? value : undefined;
  }
}

function describe(schema: Schema): string {
  switch (schema.type) {
    case 'string':
      return schema.enum === undefined ? 'a text' : listValues(schema.enum);
    case 'integer':
      return 'a whole number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list of ${itemsOf(schema).type === 'string' ? 'texts' : 'whole numbers'}`;
    case 'object':
      return 'an object of texts';
  }
}

function itemsOf({ items = { type: 'string' } }: Schema): Schema {
  return items;
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function listValues(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
