import { isRecord } from '../../base/json.js';
import { findSuggestion } from '../../base/suggest.js';
import { type CheckedSchema, findFaults, type SchemaFault } from '../../documents/schema-faults.js';
import outline from '../../generated/recipe-outline.js';
import { HANDLER_KEY } from '../../registry/handlers.js';
import type { ProblemLog } from './report.js';
import { BRACES_IN_QUOTES, parsePointer, quoteSuggestion, quoteWord, toPointer } from './yaml.js';

// A plain `require`, as in conditions/language.ts, so that only invalid recipes load this validator, the largest one.
const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/recipe.js').default };

/** The positions where a document does not fit the schema, each as a list of keys from the root down. */
export interface SchemaFaults {
  /** Values that are unusable. */
  broken: string[][];
  /** Unknown keys. */
  unknown: string[][];
}

/** Checks a document against the schema of the recipe language and reports its faults. */
export function checkSchema(value: unknown, report: ProblemLog): SchemaFaults {
  return checkValue(SCHEMA, value, report);
}

/** Checks a document against any schema and reports its faults. */
export function checkValue(schema: CheckedSchema, value: unknown, report: ProblemLog): SchemaFaults {
  const misfits: SchemaFaults = { broken: [], unknown: [] };
  const faults = findFaults(schema, value);
  const misspelt = new Set(
    faults.flatMap((fault) => (fault.kind === 'unknown-key' ? (findMeantPlace(fault) ?? []) : [])),
  );
  const worded = new Set(faults.flatMap(({ kind, pointer }) => (kind === 'word' ? pointer : [])));
  for (const fault of faults) {
    const place = parsePointer(fault.pointer);
    // The value is also reported as none of the allowed words, which tells the author enough.
    if (fault.kind === 'type' && worded.has(fault.pointer)) continue;
    if (fault.kind === 'unknown-key') {
      reportUnknownKey(fault, place, report);
      misfits.unknown.push([...place, fault.key]);
      continue;
    }
    // If `type` or `actor` has an unknown word, no schema applies to the object that contains it, so all of that object
    // is unusable.
    misfits.broken.push(fault.kind === 'word' && fault.isTag ? place.slice(0, -1) : place);
    // The key is not missing but misspelt, and the report of the misspelt key already suggests the right one.
    if (fault.kind === 'missing' && misspelt.has(toPointer(...place, fault.key))) continue;
    const tag = fault.kind === 'missing' ? findMisspeltKey(fault) : undefined;
    if (fault.kind === 'missing' && tag !== undefined) {
      report.error([...place, tag], `Unknown key ${quoteWord(tag)}; did you mean ${quoteWord(fault.key)}?`, {
        at: 'key',
      });
      continue;
    }
    report.error(place, describeFault(fault, place), {
      at: fault.kind === 'missing' ? 'key' : 'value',
      fix: findHint(fault),
    });
  }
  return misfits;
}

/**
 * Finds the key that is probably a misspelt `type` or `actor`. As long as the type is unknown, the schema cannot say
 * which keys are allowed, so nothing else would report this one.
 */
function findMisspeltKey({ key: missing, given }: SchemaFault & { kind: 'missing' }): string | undefined {
  if ((missing !== 'type' && missing !== 'actor') || !isRecord(given)) return undefined;
  return Object.keys(given).find((key) => key !== 'id' && findSuggestion(key, [missing]) === missing);
}

/** Returns the position of the key that an unknown key was probably meant to be; undefined if no name is similar. */
function findMeantPlace({ pointer, key, schema }: SchemaFault & { kind: 'unknown-key' }): string | undefined {
  const meant = findSuggestion(key, listKnownKeys(schema));
  return meant === undefined ? undefined : `${pointer}${toPointer(meant)}`;
}

function listKnownKeys({ properties }: Record<string, unknown>): string[] {
  return isRecord(properties) ? Object.keys(properties) : [];
}

function reportUnknownKey(
  { key, schema }: SchemaFault & { kind: 'unknown-key' },
  place: string[],
  report: ProblemLog,
): void {
  const known = listKnownKeys(schema);
  const patterns = isRecord(schema['patternProperties']) ? Object.keys(schema['patternProperties']) : [];
  if (patterns.length > 0) {
    report.error([...place, key], `${quoteWord(key)} is not a valid name here.`, {
      at: 'key',
      fix: patterns.includes(HANDLER_KEY)
        ? 'Write it in small letters, with "_" between words: `security_scan`.'
        : 'Use a small letter, then letters, digits, "_" and "-".',
    });
    return;
  }
  const near = findSuggestion(key, known);
  report.error(
    [...place, key],
    `Unknown key ${quoteWord(key)}${near === undefined ? '' : `; did you mean ${quoteWord(near)}?`}`,
    {
      at: 'key',
      fix: near === undefined ? `Allowed here: ${known.join(', ')}.` : undefined,
    },
  );
}

function describeFault(fault: SchemaFault, place: string[]): string {
  const name = nameField(place);
  const { given } = fault;
  switch (fault.kind) {
    case 'missing':
      return `${quoteWord(fault.key)} is missing.`;
    case 'unknown-key':
      return `Unknown key ${quoteWord(fault.key)}.`;
    case 'word':
      return describeAllowed(name, given, fault.allowed);
    case 'type':
      return `${name} must be ${fault.wanted.map((type) => KINDS[type] ?? type).join(' or ')}, not ${nameKind(given)}.`;
    case 'empty':
      return `${name} is empty.`;
    case 'form':
      return `${name} cannot be ${quoteWord(String(given))}.`;
    case 'limit':
      if (fault.what === 'entries' && fault.limit === 1) return `${name} is an empty list.`;
      return `${name} must ${fault.what === 'value' ? 'be' : 'have'} ${describeBound(fault)}.`;
    case 'other':
      return `${name} ${fault.message}.`;
  }
}

function describeBound({ what, least, limit }: SchemaFault & { kind: 'limit' }): string {
  return `at ${least ? 'least' : 'most'} ${limit}${what === 'value' ? '' : ` ${what}`}`;
}

/** Names the field, or the list item, at a position. */
function nameField(place: readonly string[]): string {
  const last = place.at(-1) ?? 'the recipe';
  return /^\d+$/.test(last) ? `Item ${Number(last) + 1} of ${quoteWord(place.at(-2) ?? '')}` : quoteWord(last);
}

function findHint(fault: SchemaFault): string | undefined {
  if (fault.kind === 'form') {
    return fault.pattern === '^[A-Za-z_][A-Za-z0-9_-]*$'
      ? 'Use a letter or "_", then letters, digits, "_" and "-".'
      : 'Use letters, digits, "_" and "-", beginning with a letter or digit.';
  }
  if (fault.kind === 'type' && fault.wanted.includes('string') && isBraced(fault.given)) return BRACES_IN_QUOTES;
  const described = fault.kind === 'missing' ? undefined : fault.schema['description'];
  return typeof described === 'string' ? described : undefined;
}

/** Whether a value is what YAML makes of an unquoted text in braces, such as `{goal}`. */
function isBraced(given: unknown): boolean {
  return isRecord(given) && Object.values(given).every((value) => value === null);
}

function describeAllowed(name: string, given: unknown, words: readonly string[]): string {
  const meant = typeof given === 'string' ? quoteSuggestion(given, words) : '';
  const list = words.length === 1 ? quoteWord(words[0] ?? '') : `one of ${words.join(', ')}`;
  return `${name} must be ${list}, not ${typeof given === 'string' ? quoteWord(given) : nameKind(given)}.${meant}`;
}

const KINDS: Record<string, string> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
};

function nameKind(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return KINDS[typeof value] ?? typeof value;
}
