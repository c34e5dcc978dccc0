import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorDetail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { listFaults } from '../documents/schema-faults.js';
import { describeFaults } from '../documents/schema-findings.js';

/** JSON Schemas of a recipe's own; nothing else uses ajv at run time (house.md, Speed). */

const ajv = loadLazily<{ Ajv2020: typeof Ajv2020 }>('ajv/dist/2020.js');

/** Says why a text is no usable JSON Schema (2020-12), or null. References to other files are not followed. */
export function findSchemaProblem(text: string): string | null {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    return 'it is not valid JSON';
  }
  if (!isRecord(schema)) return 'it is not an object';
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Lists what in `value` does not fit a schema, each fault with its JSON pointer.
 * @param text the schema, in which `findSchemaProblem` has found nothing wrong
 */
export function validateBySchema(text: string, value: unknown): ErrorDetail[] {
  const validate = compileSchema(JSON.parse(text) as Record<string, unknown>);
  return describeFaults(listFaults(validate, value)).map((found) =>
    found.pointer === '' ? { ...found, pointer: '/' } : found,
  );
}

function compileSchema(schema: Record<string, unknown>) {
  return new (ajv().Ajv2020)({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    validateFormats: false,
  }).compile(schema);
}
