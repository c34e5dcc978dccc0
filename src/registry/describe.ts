import type { TSchema } from '@sinclair/typebox';
import { toFlag } from './input.js';
import type { CommandOption, CommandSpec, DescribedCommand, SpecGroup, ValueForm } from './spec.js';

/** Describes a command as parser, help, completion and docs need it. */
export function describeCommand({ input, positionals = [], readOnly: _, ...rest }: CommandSpec): DescribedCommand {
  const values = Object.entries(input.properties).map(([key, schema]) => {
    const { description = '', placeholder, enum: choices, absent, needs, hidden } = schema;
    const isPositional = positionals.includes(key);
    const isVariadic = isPositional && schema['type'] === 'array';
    return {
      key,
      form: isVariadic ? getForm(schema['items'] as TSchema) : getForm(schema),
      ...(!isPositional && { flag: toFlag(key) }),
      ...(placeholder !== undefined && { placeholder }),
      description,
      ...(isVariadic && { variadic: true }),
      ...(choices !== undefined && { choices }),
      ...(input.required?.includes(key) && { required: true }),
      ...(absent !== undefined && { absent }),
      ...(needs !== undefined && { needs }),
      ...(hidden !== undefined && { hidden }),
    };
  });
  return {
    ...rest,
    positionals: positionals.flatMap((key) => values.filter((value) => value.key === key)),
    options: values.filter((value): value is typeof value & CommandOption => value.flag !== undefined),
  };
}

/**
 * Builds the JSON Schema of a command's input, for callers of tools: `text` and `data` are strings, as on a command
 * line. Rules about which values go together are left to the command, because such callers do not support alternatives
 * at the top of a schema.
 */
export function buildInputSchema({ input }: CommandSpec): object {
  const plain = Object.entries(input.properties).map(([key, schema]) => {
    const { placeholder: _, needs: _needs, absent: _absent, hidden: _hidden, ...standard } = schema;
    return [key, standard];
  });
  const { type, required } = input;
  return { type, required, properties: Object.fromEntries(plain) as object, additionalProperties: false };
}

/** Builds the tool of the Model Context Protocol for a command. */
export function buildTool(spec: CommandSpec): {
  name: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: boolean };
} {
  return {
    name: spec.name.replace(/[ -]/g, '_'),
    description: [spec.summary, spec.description].filter((text) => text !== undefined).join('\n\n'),
    inputSchema: buildInputSchema(spec),
    annotations: { readOnlyHint: spec.readOnly === true },
  };
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
      return schema['format'] ?? 'string';
  }
}

/**
 * Lists the commands of the core and of further groups in the order of help.
 * @throws Error for a group behind a command that the core does not have
 */
export function listSpecs(core: SpecGroup, groups: readonly SpecGroup[]): CommandSpec[] {
  const lost = groups.find(({ after }) => after !== undefined && !core.specs.some(({ name }) => name === after));
  if (lost !== undefined) throw new Error(`${lost.after} is no command.`);
  const behind = (command?: string) => groups.flatMap(({ specs, after }) => (after === command ? specs : []));
  return [...core.specs.flatMap((spec) => [spec, ...behind(spec.name)]), ...behind()];
}
