// shared: common

import type { ErrorDetail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { findSuggestion } from '../base/suggest.js';
import { toBoundedLine } from './foreign.js';
import type { SchemaFault } from './schema-faults.js';

/** Describes the faults of a value according to its schema: one line for each fault, with its JSON pointer. */
export function describeFaults(faults: readonly SchemaFault[]): ErrorDetail[] {
  return faults.map((fault) => ({ pointer: fault.pointer, ...describeFault(fault) }));
}

function describeFault(fault: SchemaFault): Omit<ErrorDetail, 'pointer'> {
  const { given } = fault;
  switch (fault.kind) {
    case 'missing':
      return { problem: `"${fault.key}" is missing` };
    case 'unknown-key':
      return { problem: `unknown key ${renderValue(fault.key)}${renderNearest(fault.key, listUnusedKeys(fault))}` };
    case 'word': {
      const near = typeof given === 'string' ? renderNearest(given, fault.allowed) : '';
      return { problem: `is ${describeValue(given)}${near}`, expected: `one of ${fault.allowed.join(', ')}` };
    }
    case 'type':
      return {
        problem: `is ${describeValue(given)}, not ${fault.wanted.map((type) => TYPES[type] ?? type).join(' or ')}`,
      };
    case 'empty':
      return { problem: 'is empty' };
    case 'form':
      return {
        problem: `is ${renderValue(given)}; ${FORMS[fault.pattern] ?? `it does not match ${fault.pattern}`}`,
      };
    case 'limit':
      return { problem: describeLimit(fault, given) };
    case 'other':
      return { problem: fault.message };
  }
}

/** The pattern for ids of todos and acceptances of a plan. */
export const PLAN_ID = '^[A-Za-z0-9][A-Za-z0-9_-]*$';
/** The pattern for names of inputs and outputs. */
export const VALUE_NAME = '^[A-Za-z_][A-Za-z0-9_-]*$';

/** Descriptions of patterns in words. */
const FORMS: Readonly<Record<string, string>> = {
  [PLAN_ID]: 'an id has letters, digits, "-" and "_" and begins with a letter or digit',
  [VALUE_NAME]: 'a name has letters, digits, "-" and "_" and begins with a letter or "_"',
};

const TYPES: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  null: 'null',
};

function describeLimit({ what, least, limit }: SchemaFault & { kind: 'limit' }, given: unknown): string {
  if (what === 'value') return `is ${renderValue(given)}, which is not ${least ? '>=' : '<='} ${limit}`;
  const { length } = given as string | unknown[];
  if (least && length === 0) return 'is an empty list; at least one entry is needed';
  return `has ${length} ${what}; at ${least ? 'least' : 'most'} ${limit}`;
}

function listUnusedKeys({ schema, given }: SchemaFault): string[] {
  const known = isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
  return known.filter((name) => !(isRecord(given) && Object.hasOwn(given, name)));
}

function renderNearest(word: string, known: string[]): string {
  const near = findSuggestion(word.slice(0, 60), known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : renderValue(value);
}

/** Renders a value of a document for a message, in at most 80 characters. */
export function renderValue(value: unknown): string {
  return toBoundedLine(JSON.stringify(typeof value === 'string' ? value.slice(0, 200) : value) ?? 'nothing', 80);
}
