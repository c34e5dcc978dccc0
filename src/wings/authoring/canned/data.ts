import type { JsonSchema } from 'json-schema-faker';
import type { Json } from '../../../base/json.js';

// Loaded where a recipe has data with a schema of its own.
const faker = () => import('json-schema-faker');

/** A text that nobody has written. */
const TEXT = 'canned';

/**
 * A value that fits a JSON Schema, the same for the same seed. Defaults and examples of the schema are taken.
 * @param schema as text; anything but an object of JSON gives an empty value
 * @throws what the library throws for a schema that nothing fits
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
