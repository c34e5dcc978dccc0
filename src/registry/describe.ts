import type { TSchema } from '@sinclair/typebox';
import type { CommandOption, CommandSpec, DescribedCommand, ValueForm } from './spec.js';
import { toFlag } from './value.js';

/** A command as the command line, help, completion and docs show it. */
export function describeCommand({ input, positionals = [], readOnly: _, ...said }: CommandSpec): DescribedCommand {
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
    ...said,
    positionals: positionals.flatMap((key) => values.filter((value) => value.key === key)),
    options: values.filter((value): value is typeof value & CommandOption => value.flag !== undefined),
  };
}

/**
 * The JSON Schema of a command's input, for whoever calls it as a tool: `text` and `data` are strings there, as on a command
 * line. Which values go together it leaves to the command: callers of tools know no alternatives at the top of a schema.
 */
export function buildInputSchema({ input }: CommandSpec): object {
  const plain = Object.entries(input.properties).map(([key, schema]) => {
    const { placeholder: _, needs: _needs, absent: _absent, hidden: _hidden, ...said } = schema;
    return [key, said];
  });
  const { type, required } = input;
  return { type, required, properties: Object.fromEntries(plain) as object, additionalProperties: false };
}

/** A command as a tool of the Model Context Protocol. */
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
      return 'list';
    case 'object':
      return 'pair';
    default:
      return schema['format'] ?? 'string';
  }
}
