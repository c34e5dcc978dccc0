// door: refusal, shared: common

import type { Ajv2020, Options } from 'ajv/dist/2020.js';
import type { ErrorDetail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { createLazily, loadLazily } from '../base/lazy.js';
import { listFaults } from '../documents/schema-faults.js';
import { describeFaults } from '../documents/schema-findings.js';

/** JSON Schemas of a recipe's own; nothing else uses ajv at run time (house.md, Speed). */

const ajv = loadLazily<{ Ajv2020: typeof Ajv2020 }>('ajv/dist/2020.js');

/** Judges schemas alone and is given none to keep: making the validator of schemas takes ten times as long as that of a schema. */
const dialect = createLazily(() => createAjv());

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
    const misfits = isOfDialect(schema) ? describeMisfits(schema) : null;
    if (misfits !== null) return misfits;
    compileSchema(schema, { validateSchema: !isOfDialect(schema) });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Says what in a schema is not of its dialect, of each place the first; null when all of it is. */
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

/** Validators by the text of their schema: a suite of fixtures is judged by a handful, hundreds of times. */
const compiled = new Map<string, ReturnType<typeof compileSchema>>();
const KEPT = 16;

/**
 * Lists what in `value` does not fit a schema, each fault with its JSON pointer.
 * @param text the schema, in which `findSchemaProblem` has found nothing wrong
 */
export function validateBySchema(text: string, value: unknown): ErrorDetail[] {
  const validate = compiled.get(text) ?? compileSchema(JSON.parse(text) as Record<string, unknown>);
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(text, validate);
  return describeFaults(listFaults(validate, value)).map((found) =>
    found.pointer === '' ? { ...found, pointer: '/' } : found,
  );
}

/** Whether it is to be judged as JSON Schema 2020-12. */
function isOfDialect({ $schema }: Record<string, unknown>): boolean {
  return $schema === undefined || $schema === 'https://json-schema.org/draft/2020-12/schema';
}

/** @param options left out: the schema was judged before */
function compileSchema(schema: Record<string, unknown>, options: Options = { validateSchema: false }) {
  return createAjv(options).compile(schema);
}

const INSTANT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** The one format that is judged (recipes.md, Data); others are passed over. */
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
