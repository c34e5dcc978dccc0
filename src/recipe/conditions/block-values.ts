import { isRecord, type JsonObject } from '../../base/json.js';
import planContent from '../../generated/plan-content-outline.js';
import size from '../../generated/size-outline.js';
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import { BOUND_CHOICES } from '../../machine/transitions.js';
import { getFileForm } from '../declared.js';
import type { ResolvedBlock } from '../resolved.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';

/** A block's values that conditions and placeholders may read (recipes.md, Values between blocks). */
export interface ReadableBlock {
  id: string;
  /** The ids that `choice` can have; null if the block offers no choice. */
  choices: readonly string[] | null;
  /** Whether the block runs a command that ends with an `exit` code. */
  exits: boolean;
  /** The JSON Schema of `data`: `{}` for any JSON, null if no data is handed in. */
  data: JsonObject | null;
  /** True if the block itself is faulty, so that its values are unknown. */
  isFaulty: boolean;
}

const SHIPPED: Readonly<Record<string, unknown>> = { 'plan-content': planContent, size };

/**
 * Lists the readable values of each block of a recipe, in order.
 * @param broken indexes of blocks that do not fit the schema; any value of such a block may be read without a fault
 */
export function listReadableBlocks(
  blocks: readonly ResolvedBlock[],
  broken: ReadonlySet<number> = new Set(),
): ReadableBlock[] {
  return blocks.map((block, index) =>
    broken.has(index)
      ? { id: block.id, choices: null, exits: true, data: {}, isFaulty: true }
      : {
          id: block.id,
          choices: listChoices(block),
          exits: BLOCK_KINDS[block.kind].by === 'cli',
          data: findDataSchema(block),
          isFaulty: false,
        },
  );
}

function listChoices(block: ResolvedBlock): readonly string[] | null {
  if ('choices' in block) return block.choices.length === 0 ? null : block.choices.map(({ id }) => id);
  return BLOCK_KINDS[block.kind].loops && 'asks' in block && block.asks === 'user' ? BOUND_CHOICES : null;
}

function findDataSchema(block: ResolvedBlock): JsonObject | null {
  if ('schemaText' in block && block.schemaText !== undefined) return toSchema(JSON.parse(block.schemaText));
  if ('schema' in block && block.schema !== undefined) return toSchema(SHIPPED[block.schema]);
  // Without a schema, only two blocks have data: one that writes a JSON file, and a loop with neither `sections` nor
  // `save`.
  if ('write' in block) return getFileForm(block) === 'json' ? {} : null;
  const { hands, loops } = BLOCK_KINDS[block.kind];
  if (hands === null || !loops) return null;
  const stores = ('sections' in block && block.sections.length > 0) || ('save' in block && block.save !== undefined);
  return stores ? null : {};
}

/** Returns a part of a JSON Schema; anything that is not an object becomes the schema that allows everything. */
export function toSchema(value: unknown): JsonObject {
  return isRecord(value) ? (value as JsonObject) : {};
}

/** The position from which a value is read. */
export interface ReadPosition {
  /** The index of the reading block; the number of blocks for a reader that comes after all of them. */
  index: number;
  /** Whether the block may read its own values: true in the condition that ends its loop. */
  own?: boolean;
}

/**
 * Finds what is wrong with reading a value: the block is unknown or comes too late, it has no such member, or its
 * schema does not allow the key.
 * @param path the names after `blocks`: a block, a member of it, and keys within its data
 * @returns a sentence, or null
 */
export function findValuePathFault(
  blocks: readonly ReadableBlock[],
  path: readonly string[],
  at: ReadPosition,
): string | null {
  const [id = '', member, ...keys] = path;
  const found = blocks.findIndex((block) => block.id === id);
  const block = blocks[found];
  const before = blocks.slice(0, at.own === true ? at.index + 1 : at.index).map((one) => one.id);
  if (block === undefined) return `There is no block ${quoteWord(id)}.${quoteSuggestion(id, before)}`;
  if (found > at.index) return `The block ${quoteWord(id)} comes later; only values of earlier blocks can be read.`;
  if (found === at.index && at.own !== true) return `The block ${quoteWord(id)} is this one; it has no values yet.`;
  const members = listMembers(block);
  if (member === undefined) return `Name a value of the block ${quoteWord(id)}: ${members.join(', ')}.`;
  if (!MEMBERS.includes(member)) return `A block has no ${quoteWord(member)}.${quoteSuggestion(member, members)}`;
  if (!members.includes(member))
    return `The block ${quoteWord(id)} never has \`${member}\`: ${WHY_NOT[member as keyof typeof WHY_NOT]}.`;
  if (keys.length > 0 && member !== 'data') return `\`${member}\` of ${quoteWord(id)} is a single value.`;
  return findKeyFault(block.data ?? {}, keys);
}

const MEMBERS = ['status', 'choice', 'exit', 'data', 'rounds'];

const WHY_NOT = { choice: 'it offers no choices', exit: 'it is not a cli block', data: 'it has no JSON data' };

function listMembers({ choices, exits, data, isFaulty }: ReadableBlock): string[] {
  const has = { status: true, choice: choices !== null || isFaulty, exit: exits, data: data !== null, rounds: true };
  return MEMBERS.filter((member) => has[member as keyof typeof has]);
}

function findKeyFault(schema: JsonObject, keys: readonly string[]): string | null {
  const [key, ...rest] = keys;
  if (key === undefined) return null;
  const members = listClosedMembers(schema);
  if (members === null) return null;
  const inner = Object.hasOwn(members, key) ? members[key] : undefined;
  if (inner !== undefined) return findKeyFault(toSchema(inner), rest);
  return `Its schema has no ${quoteWord(key)}.${quoteSuggestion(key, Object.keys(members))}`;
}

/**
 * Returns an object's members; null if its schema allows members that it does not list, or combines several schemas.
 */
export function listClosedMembers(schema: JsonObject): JsonObject | null {
  const { properties, additionalProperties, patternProperties } = schema;
  const combined = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'not'].some((key) => key in schema);
  if (!isRecord(properties) || combined || patternProperties !== undefined) return null;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  return properties as JsonObject;
}
