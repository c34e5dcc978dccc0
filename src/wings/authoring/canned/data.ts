import type { JsonSchema } from 'json-schema-faker';
import type { Json } from '../../../base/json.js';

// Loaded only if a recipe has data with its own schema.
const faker = () => import('json-schema-faker');

/** The canned text. */
const TEXT = 'canned';

/**
 * Builds a value that conforms to a JSON Schema, the same for the same seed. Uses the schema's defaults and examples.
 * @param schema the schema as text; JSON other than an object gives null
 * @throws the library's error for a schema that nothing satisfies
 */
export async function buildValue(schema: string, seed: number): Promise<Json> {
  const { generate } = await faker();
  const value = await generate(JSON.parse(schema) as JsonSchema, {
    seed,
    useDefaultValue: true,
    useExamplesValue: true,
    refDepthMax: 3,
    maxDefaultItems: 2,
    outputTransform: (made, of) => (typeof made === 'string' && isPlainText(of) ? fitText(of) : made),
  });
  return value as Json;
}

type Part = Exclude<JsonSchema, boolean>;

function isPlainText(schema: JsonSchema): schema is Part {
  if (typeof schema === 'boolean') return false;
  const keys: (keyof Part)[] = ['enum', 'const', 'format', 'default', 'examples', 'template'];
  return (schema.pattern === undefined || schema.pattern === '\\S') && keys.every((key) => schema[key] === undefined);
}

function fitText({ minLength = 1, maxLength = 1_000 }: Part): string {
  return TEXT.padEnd(minLength, '.').slice(0, Math.max(minLength, maxLength));
}
