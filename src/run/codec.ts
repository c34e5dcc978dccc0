import { DevCliError } from '../base/errors.js';
import { isRecord, type JsonObject } from '../base/json.js';
import outline from '../generated/state.js';
import type { Codec } from '../store/store.js';
import { getCurrent } from './current.js';
import { openDraft } from './draft.js';
import { migrate } from './migrate.js';
import type { RunDraft, RunState } from './state.js';
import { SCHEMA_VERSION } from './version.js';

/** Reads state.json. */
export const runCodec: Codec<RunState> = {
  parse(text) {
    const stored = parsed(text);
    const version = stored['schemaVersion'];
    if (typeof version === 'number' && version > SCHEMA_VERSION) {
      throw new DevCliError(
        'STATE_NEWER',
        `state.json has schema version ${version}; this dev-cli knows ${SCHEMA_VERSION}.`,
        {
          fix: 'Update dev-cli to the version that wrote this run.',
        },
      );
    }
    const value = version === SCHEMA_VERSION ? stored : migrate(stored);
    const found = misfit(outline, value);
    if (found !== null) {
      throw new DevCliError(
        'STATE_CORRUPT',
        `state.json does not fit its schema at ${found.at || '/'}: ${found.problem}.`,
      );
    }
    // The outline fits; the rest was written by type-checked code of ours.
    return value as unknown as RunState;
  },
  migrates: true,
  identity: { name: 'name', id: 'runId' },
};

/** Copies a state for a transaction to change. Rows are shared: they are replaced, never changed. */
export function copyState(state: RunState): RunDraft {
  const current = getCurrent(state);
  return {
    ...openDraft(state),
    recipes: [
      ...state.recipes.slice(0, -1),
      { ...openDraft(current), engine: current.engine === null ? null : openDraft(current.engine) },
    ],
    workflow: state.workflow === null ? null : openDraft(state.workflow),
  };
}

function parsed(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DevCliError('STATE_CORRUPT', 'state.json is not valid JSON.', { cause });
  }
  if (!isRecord(value)) throw new DevCliError('STATE_CORRUPT', 'state.json does not hold an object.');
  return value as JsonObject;
}

/** The part of JSON Schema that snapshots and entries are checked with; a test proves that their schemas use no other keyword. */
export interface OutlineSchema {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly OutlineSchema[];
  required?: readonly string[];
  properties?: Readonly<Record<string, OutlineSchema>>;
  items?: OutlineSchema;
  minItems?: number;
  /** False: no key but those of `properties`. */
  additionalProperties?: false;
  /** One pattern that every key fits, as a record of values of one kind has it. */
  patternProperties?: { readonly '^(.*)$': OutlineSchema };
}

/** A place where a value does not fit its schema. */
export interface OutlineFault {
  /** JSON pointer, without escapes; empty for the whole value. */
  at: string;
  problem: string;
}

/**
 * Finds the first place where a value does not fit, or null. A validator compiled ahead would be one large function for every
 * call to parse; interpreting the schema is several times faster for a single snapshot.
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
  if (Array.isArray(value)) return itemMisfit(schema, value, at);
  return isRecord(value) ? memberMisfit(schema, value, at) : null;
}

function itemMisfit({ items, minItems = 0 }: OutlineSchema, values: unknown[], at: string): OutlineFault | null {
  if (values.length < minItems) return { at, problem: `must have at least ${minItems} items` };
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
