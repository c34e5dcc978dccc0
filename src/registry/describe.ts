import type { TSchema } from '@sinclair/typebox';
import type { JsonObject } from '../base/json.js';
import { listExits } from './endings.js';
import { toArgument, toFlag } from './input.js';
import type {
  CommandOption,
  CommandSpec,
  CommandTool,
  CompletionKind,
  DescribedCommand,
  DescribedTool,
  SpecGroup,
  ValueForm,
} from './spec.js';

/** Converts a specification into the form that the parser, help, completion and docs use. */
export function describeCommand(spec: CommandSpec): DescribedCommand {
  const { input, positionals = [], readOnly: _, errors: _errors, exitOfNo: _exit, ...rest } = spec;
  const values = Object.entries(input.properties).map(([key, schema]) => {
    const { description = '', placeholder, enum: choices, absent, needs, hidden } = schema;
    const isPositional = positionals.includes(key);
    const isVariadic = isPositional && schema['type'] === 'array';
    const offers = getOffer(isVariadic ? (schema['items'] as TSchema) : schema);
    return {
      key,
      form: isVariadic ? getForm(schema['items'] as TSchema) : getForm(schema),
      ...(!isPositional && { flag: toFlag(key) }),
      ...(placeholder !== undefined && { placeholder }),
      description,
      ...(isVariadic && { variadic: true }),
      ...(choices !== undefined && { choices }),
      ...(offers !== null && { offers }),
      ...(input.required?.includes(key) && { required: true }),
      ...(absent !== undefined && { absent }),
      ...(needs !== undefined && { needs }),
      ...(hidden !== undefined && { hidden }),
    };
  });
  return {
    ...rest,
    exits: listExits(spec),
    positionals: positionals.flatMap((key) => values.filter((value) => value.key === key)),
    options: values.filter((value): value is typeof value & CommandOption => value.flag !== undefined),
  };
}

/**
 * Builds the JSON Schema of a command's input for tool calls: `text` and `data` are strings, as on a command line. The
 * command itself checks combinations of values, because clients of tools do not support alternatives at the top level
 * of a schema.
 */
export function buildInputSchema({ input }: CommandSpec) {
  const { type, required, properties } = input;
  const plain = Object.entries(properties).map(([key, schema]) => [key, withoutMarks(schema)]);
  return { type, required, properties: Object.fromEntries(plain) as JsonObject, additionalProperties: false };
}

/** Removes the members of a value's schema that only the command line uses. */
function withoutMarks(schema: TSchema): object {
  const { placeholder: _, needs: _needs, absent: _absent, hidden: _hidden, format: _format, ...standard } = schema;
  return schema['type'] === 'array' ? { ...standard, items: withoutMarks(schema['items'] as TSchema) } : standard;
}

/**
 * Builds the description of a tool that carries out a command. Its arguments are the command's values, or those in
 * `keys`, in snake_case.
 * @throws Error if the tool names a value that the command does not have, or omits one that must be given
 */
export function buildTool(tool: CommandTool, specs: readonly CommandSpec[]): DescribedTool {
  const { name, group, command, fixed = {} } = tool;
  const spec = specs.find((known) => known.name === command);
  if (spec === undefined) throw new Error(`${name}: ${command} is no command.`);
  const { properties, required = [] } = buildInputSchema(spec);
  const keys = tool.keys ?? Object.keys(properties).filter((key) => !Object.hasOwn(fixed, key));
  const needed = [...new Set([...required, ...(tool.required ?? [])])].filter((key) => !Object.hasOwn(fixed, key));
  const lost = [...keys, ...Object.keys(fixed)].find((key) => !Object.hasOwn(properties, key));
  if (lost !== undefined) throw new Error(`${name}: ${command} has no ${lost}.`);
  const unmet = needed.find((key) => !keys.includes(key));
  if (unmet !== undefined) throw new Error(`${name}: ${unmet} is needed and cannot be given.`);
  const document = {
    name,
    description: tool.description ?? spec.summary,
    inputSchema: {
      type: 'object' as const,
      properties: Object.fromEntries(keys.map((key) => [toArgument(key), properties[key]])),
      ...(needed.length > 0 && { required: needed.map(toArgument) }),
      additionalProperties: false,
    },
    // MCP assumes that a tool writes, is destructive, and is not safe to repeat. Only what differs from that is stated.
    annotations: spec.readOnly
      ? { readOnlyHint: true }
      : { ...(!tool.destructive && { destructiveHint: false }), ...(tool.idempotent && { idempotentHint: true }) },
  };
  return { group, command, fixed, document };
}

function getForm(schema: TSchema): ValueForm['form'] {
  switch (schema['type']) {
    case 'boolean':
      return 'flag';
    case 'integer':
      return 'integer';
    case 'array':
      return (schema['items'] as TSchema)['format'] === 'text' ? 'texts' : 'list';
    case 'object':
      return 'pair';
    default:
      return schema['format'] === 'text' || schema['format'] === 'data' ? schema['format'] : 'string';
  }
}

/** The formats that say only how a value is read; every other format is a kind of words that shells complete. */
const READING_FORMATS = ['text', 'data', 'seconds'] as const;
export type ReadingFormat = (typeof READING_FORMATS)[number];

/** Returns the kind of words that a shell offers as completion for a value; null if there is none. */
function getOffer({ format }: TSchema): CompletionKind | null {
  return format === undefined || READING_FORMATS.some((one) => one === format) ? null : format;
}

/**
 * Lists the commands of the core and of other groups, in the order in which help lists them.
 * @throws Error if a group's `after` names a command that the core does not have
 */
export function listSpecs(core: SpecGroup, groups: readonly SpecGroup[]): CommandSpec[] {
  const lost = groups.find(({ after }) => after !== undefined && !core.specs.some(({ name }) => name === after));
  if (lost !== undefined) throw new Error(`${lost.after} is no command.`);
  const behind = (command?: string) => groups.flatMap(({ specs, after }) => (after === command ? specs : []));
  return [...core.specs.flatMap((spec) => [spec, ...behind(spec.name)]), ...behind()];
}
