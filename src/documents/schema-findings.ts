import type { Detail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { suggestion } from '../base/suggest.js';
import { foreignLine } from './foreign.js';
import { PLAN_ID } from './plan-id.js';

/** What a validator compiled ahead says of one fault; only what is used here of what ajv gives. */
interface SchemaError {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
  data?: unknown;
  parentSchema?: Record<string, unknown>;
}

/** A validator compiled ahead, with all errors and their values (src/generated). */
export type Validator = ((value: unknown) => boolean) & { errors?: SchemaError[] | null };

/** What does not fit a schema, each in one line with its JSON pointer; empty when all fits. */
export function findingsOf(validate: Validator, value: unknown): Detail[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  // Of a value that may also be null or have another form, what is wrong inside it is enough.
  const vague = (error: SchemaError) =>
    (error.keyword === 'anyOf' || (error.keyword === 'type' && error.params['type'] === 'null')) &&
    errors.some((other) => other !== error && other.instancePath.startsWith(error.instancePath));
  return errors.filter((error) => !vague(error)).flatMap(finding);
}

function finding(error: SchemaError): Detail[] {
  const { params } = error;
  const at = { pointer: error.instancePath };
  switch (error.keyword) {
    case 'required':
      return [{ ...at, problem: `"${params['missingProperty']}" is missing` }];
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const known = isRecord(error.parentSchema?.['properties']) ? Object.keys(error.parentSchema['properties']) : [];
      const free = known.filter((name) => !(isRecord(error.data) && Object.hasOwn(error.data, name)));
      return [{ ...at, problem: `unknown key ${shown(key)}${didYouMean(key, free)}` }];
    }
    case 'enum':
      return [{ ...at, ...notOneOf(error.data, params['allowedValues'] as string[]) }];
    case 'discriminator': {
      const tag = String(params['tag']);
      const kind = isRecord(error.data) ? error.data[tag] : undefined;
      // `required` says so already.
      if (kind === undefined) return [];
      return [{ pointer: `${error.instancePath}/${tag}`, ...notOneOf(kind, variants(error, tag)) }];
    }
    case 'type': {
      const wanted = [params['type']].flat().map((type) => TYPES[String(type)] ?? String(type));
      return [{ ...at, problem: `is ${described(error.data)}, not ${wanted.join(' or ')}` }];
    }
    case 'pattern':
      return [{ ...at, problem: patternProblem(String(params['pattern']), error.data) }];
    case 'minItems':
      return [{ ...at, problem: 'is an empty list; at least one entry is needed' }];
    case 'maxItems':
      return [{ ...at, problem: `has ${(error.data as unknown[]).length} entries; at most ${params['limit']}` }];
    case 'maxLength':
      return [{ ...at, problem: `has ${String(error.data).length} characters; at most ${params['limit']}` }];
    case 'minimum':
    case 'maximum':
      return [{ ...at, problem: `is ${shown(error.data)}, which is not ${params['comparison']} ${params['limit']}` }];
    default:
      return [{ ...at, problem: error.message ?? `does not fit (${error.keyword})` }];
  }
}

const TYPES: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  null: 'null',
};

/** The values of `tag` that the variants of a schema are told apart by. */
function variants(error: SchemaError, tag: string): string[] {
  const among = (error.parentSchema?.['oneOf'] ?? []) as { properties: Record<string, { const: string }> }[];
  return among.flatMap(({ properties }) => properties[tag]?.const ?? []);
}

function notOneOf(value: unknown, allowed: string[]): Detail {
  const near = typeof value === 'string' ? didYouMean(value, allowed) : '';
  return { problem: `is ${described(value)}${near}`, expected: `one of ${allowed.join(', ')}` };
}

function patternProblem(pattern: string, value: unknown): string {
  if (pattern === '\\S') return 'is empty';
  if (pattern === PLAN_ID)
    return `is ${shown(value)}; an id has letters, digits, "-" and "_" and begins with a letter or digit`;
  return `is ${shown(value)}; a name has letters, digits, "-" and "_" and begins with a letter or "_"`;
}

function didYouMean(word: string, known: string[]): string {
  const near = suggestion(word.slice(0, 60), known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

function described(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : shown(value);
}

/** A value of a document as it may stand in a message. */
export function shown(value: unknown): string {
  return foreignLine(JSON.stringify(typeof value === 'string' ? value.slice(0, 200) : value) ?? 'nothing', 80);
}
