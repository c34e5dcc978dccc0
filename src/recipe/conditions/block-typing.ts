import { isRecord, type JsonObject } from '../../base/json.js';
import { listClosedMembers, type ReadableBlock, toSchema } from './block-values.js';

/** Types of block values in conditions, as far as a recipe and its schemas define them (recipes.md, Conditions). */

/** The possible values of `status`, which are those of a step in the state. */
const STATUS_WORDS: readonly string[] = ['pending', 'running', 'done', 'skipped', 'failed', 'stale'];

/**
 * Lists the words that are the only possible values at `path`; null if other values are possible.
 * @param path as for `findValuePathFault`
 */
export function listPossibleWords(blocks: readonly ReadableBlock[], path: readonly string[]): readonly string[] | null {
  const [id, member, ...keys] = path;
  const block = blocks.find((one) => one.id === id);
  if (block === undefined) return null;
  if (member === 'status' && keys.length === 0) return STATUS_WORDS;
  if (member === 'choice' && keys.length === 0) return block.choices;
  if (member !== 'data') return null;
  let schema: JsonObject | null = block.data;
  for (const key of keys) {
    const inner: unknown = schema === null ? undefined : listClosedMembers(schema)?.[key];
    schema = isRecord(inner) ? (inner as JsonObject) : null;
  }
  const words: unknown = schema?.['enum'];
  return Array.isArray(words) && words.every((word) => typeof word === 'string') ? (words as string[]) : null;
}

/** A type of the condition language: its name or, for an object, the types of its members. */
export type ValueType = string | { [member: string]: ValueType };

/** Returns the type of each block's values, for checking conditions. */
export function typeBlocks(blocks: readonly ReadableBlock[]): Record<string, ValueType> {
  return Object.fromEntries(
    blocks.map((block) => [
      block.id,
      {
        status: 'string',
        rounds: 'int',
        ...(block.choices === null && !block.isFaulty ? {} : { choice: 'string' }),
        ...(block.exits ? { exit: 'int' } : {}),
        ...(block.data === null ? {} : { data: typeSchema(block.data, 0) }),
      },
    ]),
  );
}

/** Values nested more deeply get no type: nobody writes conditions about them. */
const DEEPEST = 6;

/**
 * Returns the type that a JSON Schema gives to a value; `dyn` (any type) if the schema does not settle it: a `number`,
 * for example, may be an int or a double.
 */
function typeSchema(schema: JsonObject, depth: number): ValueType {
  const types = [schema['type']].flat().filter((type) => type !== 'null');
  const combined = ['$ref', 'allOf', 'anyOf', 'oneOf'].some((key) => key in schema);
  if (types.length !== 1 || combined || depth > DEEPEST) return 'dyn';
  switch (types[0]) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'array': {
      const item = typeSchema(toSchema(schema['items']), depth + 1);
      return typeof item === 'string' ? `list<${item}>` : 'list';
    }
    case 'object': {
      const members = Object.entries(listClosedMembers(schema) ?? {});
      if (members.length === 0 || members.some(([name]) => !/^[A-Za-z_]\w*$/.test(name) || name in {})) return 'dyn';
      return Object.fromEntries(members.map(([name, inner]) => [name, typeSchema(toSchema(inner), depth + 1)]));
    }
    default:
      return 'dyn';
  }
}
