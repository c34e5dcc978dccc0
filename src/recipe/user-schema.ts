// door: refusal, shared: common

import type { Ajv2020, Options } from 'ajv/dist/2020.js';
import type { ErrorDetail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { createLazily, loadLazily } from '../base/lazy.js';
import { listSchemaFaults } from '../documents/schema-faults.js';
import { describeFaults } from '../documents/schema-findings.js';

/**
 * Checks JSON Schemas that authors write for their recipes, and data against them. Only this module uses ajv at run
 * time, because loading it is slow (house.md, Speed).
 */

const ajv = loadLazily<{ Ajv2020: typeof Ajv2020 }>('ajv/dist/2020.js');

/**
 * An ajv that only checks whether a schema is valid. It is kept for reuse, because setting up that check takes ten
 * times as long as compiling a schema.
 */
const dialect = createLazily(() => createAjv());

/** Returns why a text is not a usable JSON Schema (2020-12), or null. References to other files are not followed. */
export function findSchemaProblem(text: string): string | null {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    return 'it is not valid JSON';
  }
  if (!isRecord(schema)) return 'it is not an object';
  try {
    const misfits = isOfDialect(schema) ? describeMisfits(schema) : null;
    if (misfits !== null) return misfits;
    compileSchema(schema, { validateSchema: !isOfDialect(schema) });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Describes where a schema breaks the rules of JSON Schema, with one fault per position; null if it breaks none. */
function describeMisfits(schema: Record<string, unknown>): string | null {
  const judge = dialect();
  if (judge.validateSchema(schema) === true) return null;
  const byPlace = new Map((judge.errors ?? []).toReversed().map((error) => [error.instancePath, error]));
  const said = [...byPlace.values()].toReversed().map(({ instancePath, message, params }) => {
    const allowed: unknown = params['allowedValues'];
    return `${instancePath || '/'} ${message}${Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''}`;
  });
  return said.join('; ');
}

/** Compiled validators by schema text, since a test suite validates hundreds of fixtures against a few schemas. */
const compiled = new Map<string, ReturnType<typeof compileSchema>>();
const KEPT = 16;

/**
 * Lists the faults of `value` under a schema, each with its JSON pointer.
 * @param text the schema, for which `findSchemaProblem` returned null
 */
export function validateBySchema(text: string, value: unknown): ErrorDetail[] {
  const validate = compiled.get(text) ?? compileSchema(JSON.parse(text) as Record<string, unknown>);
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(text, validate);
  return describeFaults(listSchemaFaults(validate, value)).map((found) =>
    found.pointer === '' ? { ...found, pointer: '/' } : found,
  );
}

/** Whether a schema counts as JSON Schema 2020-12. */
function isOfDialect({ $schema }: Record<string, unknown>): boolean {
  return $schema === undefined || $schema === 'https://json-schema.org/draft/2020-12/schema';
}

/**
 * Compiles a schema into a validator.
 * @param options by default, the schema itself is not checked again, since `findSchemaProblem` has already done so
 */
function compileSchema(schema: Record<string, unknown>, options: Options = { validateSchema: false }) {
  return createAjv(options).compile(schema);
}

const INSTANT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Checks the format `date-time`, the only `format` that data must fit (recipes.md, Data); others are ignored. */
function isInstant(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text));
}

function createAjv(options: Options = {}): Ajv2020 {
  return new (ajv().Ajv2020)({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    formats: { 'date-time': isInstant },
    ...options,
  });
}
