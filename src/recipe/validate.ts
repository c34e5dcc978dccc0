import type { ErrorObject } from 'ajv';
import { isRecord } from '../base/json.js';
import { suggestion } from '../base/suggest.js';
import { HANDLER_KEY } from '../registry/handlers.js';
import type { Report } from './report.js';
import { keysOf, quoted } from './yaml-source.js';

// A plain `require`, as in conditions.ts: reading a captured recipe, which every call does, reaches this module and never
// needs the validator, the largest there is.
const validator = (): typeof import('../generated/recipe.js').default => require('../generated/recipe.js').default;

/** Where a document does not fit: keys from the top down. */
export interface Misfits {
  /** Values that are of no use. */
  broken: string[][];
  /** Keys that the language does not have. */
  unknown: string[][];
}

/** Checks a document against the schema of the language and reports what does not fit, in words. */
export function checkSchema(value: unknown, report: Report): Misfits {
  const broken: string[][] = [];
  const unknown: string[][] = [];
  const validate = validator();
  if (validate(value)) return { broken, unknown };
  for (const error of meaningful(validate.errors ?? [])) {
    const place = keysOf(error.instancePath);
    if (error.keyword === 'additionalProperties') {
      reportUnknownKey(error, place, report);
      unknown.push([...place, String(error.params['additionalProperty'])]);
      continue;
    }
    broken.push(place);
    const misspelt = error.keyword === 'required' ? misspeltKey(error) : undefined;
    if (misspelt !== undefined) {
      const meant = quoted(String(error.params['missingProperty']));
      report.error([...place, misspelt], `Unknown key ${quoted(misspelt)}; did you mean ${meant}?`, { at: 'key' });
      continue;
    }
    // A variant that does not exist is the fault of the word that names it, not of the whole block.
    report.error(error.keyword === 'discriminator' ? [...place, tagOf(error)] : place, sentence(error, place), {
      at: error.keyword === 'required' ? 'key' : 'value',
      fix: hint(error),
    });
  }
  return { broken, unknown };
}

/** The key that a missing tag was probably written as: without it no variant tells which keys are known. */
function misspeltKey(error: ErrorObject): string | undefined {
  const missing: unknown = error.params['missingProperty'];
  if ((missing !== 'type' && missing !== 'actor') || !isRecord(error.data)) return undefined;
  return Object.keys(error.data).find((key) => key !== 'id' && suggestion(key, [missing]) === missing);
}

function reportUnknownKey(error: ErrorObject, place: string[], report: Report): void {
  const key = String(error.params['additionalProperty']);
  const schema = isRecord(error.parentSchema) ? error.parentSchema : {};
  const known = isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
  const patterns = isRecord(schema['patternProperties']) ? Object.keys(schema['patternProperties']) : [];
  if (patterns.length > 0) {
    report.error([...place, key], `${quoted(key)} cannot be a name here.`, {
      at: 'key',
      fix: patterns.includes(HANDLER_KEY)
        ? 'Write it in small letters, with "_" between words: `security_scan`.'
        : 'Use a small letter, then letters, digits, "_" and "-".',
    });
    return;
  }
  const near = suggestion(key, known);
  report.error(
    [...place, key],
    `Unknown key ${quoted(key)}${near === undefined ? '' : `; did you mean ${quoted(near)}?`}`,
    {
      at: 'key',
      fix: near === undefined ? `Known here: ${known.join(', ')}.` : undefined,
    },
  );
}

/** Leaves out what only follows from another error: the alternatives of a union that were not meant. */
function meaningful(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>();
  for (const union of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const inside = errors.filter((error) => isInside(error, union));
    const deeper = inside.filter((error) => error.instancePath !== union.instancePath || !isWrongKind(error));
    const closedList = inside.filter(({ keyword }) => typeof union.data === 'string' && keyword === 'enum');
    const meant = deeper.length > 0 ? deeper : closedList.length > 0 ? closedList : [union];
    for (const error of [...inside, union]) if (!meant.includes(error)) dropped.add(error);
  }
  return errors.filter((error) => !dropped.has(error) && !followsFromMissingTag(error));
}
function isInside(error: ErrorObject, union: ErrorObject): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/`) && error.instancePath.startsWith(union.instancePath);
}
function isWrongKind({ keyword }: ErrorObject): boolean {
  return keyword === 'type' || keyword === 'enum' || keyword === 'const';
}
function followsFromMissingTag(error: ErrorObject): boolean {
  return error.keyword === 'discriminator' && error.params['error'] === 'tag' && error.params['tagValue'] === undefined;
}

function sentence(error: ErrorObject, place: string[]): string {
  const name = nameOf(place);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return `${quoted(String(params['missingProperty']))} is missing.`;
    case 'discriminator':
      return unknownType(error);
    case 'type':
      return `${name} must be ${kinds(params['type'])}, not ${kindOf(error.data)}.`;
    case 'enum':
      return oneOf(name, error.data, params['allowedValues']);
    case 'const':
      return oneOf(name, error.data, [params['allowedValue']]);
    case 'pattern':
      if (params['pattern'] === '\\S') return `${name} is empty.`;
      return `${name} cannot be ${quoted(String(error.data))}.`;
    case 'minItems':
      return `${name} is an empty list.`;
    case 'minimum':
    case 'maximum':
      return `${name} must be ${params['comparison'] === '>=' ? 'at least' : 'at most'} ${params['limit']}.`;
    case 'anyOf':
      return `${name} has a value of no use here.`;
    default:
      return `${name} ${error.message ?? 'does not fit'}.`;
  }
}

/** The field, or the item of a list, that a complaint is about. */
function nameOf(place: readonly string[]): string {
  const last = place.at(-1) ?? 'the recipe';
  return /^\d+$/.test(last) ? `Item ${Number(last) + 1} of ${quoted(place.at(-2) ?? '')}` : quoted(last);
}

function hint(error: ErrorObject): string | undefined {
  if (error.keyword === 'pattern' && error.params['pattern'] !== '\\S') {
    return error.params['pattern'] === '^[A-Za-z_][A-Za-z0-9_-]*$'
      ? 'Use a letter or "_", then letters, digits, "_" and "-".'
      : 'Use letters, digits, "_" and "-", beginning with a letter or digit.';
  }
  const described = isRecord(error.parentSchema) ? error.parentSchema['description'] : undefined;
  return typeof described === 'string' && error.keyword !== 'required' ? described : undefined;
}

/** The key that tells the variants apart: `type` of a block, `actor` of a handler. */
function tagOf(error: ErrorObject): string {
  return String(error.params['tag']);
}

function unknownType(error: ErrorObject): string {
  const data: unknown = error.data;
  const tag = tagOf(error);
  const given = isRecord(data) ? String(data[tag]) : '';
  const schema = error.parentSchema as { oneOf?: { properties?: Record<string, { const?: string }> }[] } | undefined;
  const known = (schema?.oneOf ?? []).flatMap(({ properties }) => properties?.[tag]?.const ?? []);
  return oneOf(quoted(tag), given, known);
}

function oneOf(name: string, given: unknown, allowed: unknown): string {
  const words = Array.isArray(allowed) ? allowed.map(String) : [];
  const near = typeof given === 'string' ? suggestion(given, words) : undefined;
  const meant = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
  const list = words.length === 1 ? quoted(words[0] ?? '') : `one of ${words.join(', ')}`;
  return `${name} must be ${list}, not ${typeof given === 'string' ? quoted(given) : kindOf(given)}.${meant}`;
}

const KINDS: Record<string, string> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
};
function kinds(types: unknown): string {
  return [types]
    .flat()
    .map((type) => KINDS[String(type)] ?? String(type))
    .join(' or ');
}
function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return KINDS[typeof value] ?? typeof value;
}
