import { isAbsolute } from 'node:path';
import type { ErrorDetail } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import { isMisspelling } from '../../base/suggest.js';
import { type CheckedSchema, findFaults, type SchemaFault } from '../../documents/schema-faults.js';
import { describeFaults } from '../../documents/schema-findings.js';
import { locateOffset } from '../../recipe/source/problem.js';
import { parsePointer, type YamlSource } from '../../recipe/source/yaml.js';

/** What is wrong with a file of the loop, each with its place and how to mend it. */
export interface Findings {
  problems: ErrorDetail[];
  warnings: string[];
  report(pointer: string, problem: string): void;
  warn(pointer: string, problem: string): void;
  /**
   * Checks a value by a schema; keys that it does not know are warned of; a known one misspelt is a fault.
   * @param at JSON pointer of the value, or of what in it lies at `below`
   * @returns the value without members that say nothing
   */
  check(schema: CheckedSchema, value: unknown, at: string, below?: string): unknown;
}

const NAMES = 'A name has letters, digits, ".", "_" and "-", and begins with a letter or digit.';

/** Begins with what is wrong with the YAML itself. */
export function createFindings(source: YamlSource): Findings {
  const { file, text, document } = source;
  const problems = source.problems.map(({ message, fix, line, column }) => ({
    problem: fix === undefined ? message : `${message} ${fix}`,
    at: `${file}:${line}:${column}`,
  })) as ErrorDetail[];
  // Memory reads the same files, and takes no alias.
  for (const { name, at } of document === undefined ? [] : listAliases(document)) {
    const { line, column } = locateOffset(text, { start: at, end: at + 1 });
    problems.push({ problem: `*${name} stands for something else. Write it out.`, at: `${file}:${line}:${column}` });
  }
  const warnings: string[] = [];
  const placeOf = (pointer: string, part: 'key' | 'value') => {
    const { line, column } = locateOffset(text, source.locate(pointer, part));
    return `${file}:${line}:${column}`;
  };
  const report = (pointer: string, problem: string, part: 'key' | 'value' = 'value'): void => {
    problems.push({ pointer, problem, at: placeOf(pointer, part) });
  };
  const warn = (pointer: string, problem: string): void => {
    warnings.push(`${placeOf(pointer, 'key')}: ${problem}`);
  };
  const tellUnknown = (
    { schema, key }: SchemaFault & { kind: 'unknown-key' },
    around: string,
    problem: string,
  ): void => {
    const place = `${around}/${key}`;
    const near = /did you mean "([^"]*)"/.exec(problem)?.[1];
    if ('patternProperties' in schema) report(place, `${JSON.stringify(key)} cannot be a name. ${NAMES}`, 'key');
    // One that is meant for a known one would bind nothing, all night.
    else if (near !== undefined && isMisspelling(key, near)) report(place, problem, 'key');
    else warn(place, `${problem}, which nothing reads`);
  };
  return {
    problems,
    warnings,
    report,
    warn,
    check(schema, given, at, below = '') {
      const value = dropNulls(given);
      const faults = findFaults(schema, value);
      for (const [n, { problem, expected }] of describeFaults(faults).entries()) {
        const fault = faults[n] as SchemaFault;
        const pointer = `${at}${fault.pointer.slice(below.length)}`;
        if (fault.kind === 'unknown-key') tellUnknown(fault, pointer, problem);
        else {
          const said = [problem, expected].filter(Boolean).join('; ');
          const hint = findHint(fault);
          const name = fault.kind === 'missing' ? '' : nameField(pointer);
          report(pointer, `${name}${said}.${hint === null ? '' : ` ${hint}`}`);
        }
      }
      return value;
    },
  };
}

function listAliases(document: NonNullable<YamlSource['document']>): { name: string; at: number }[] {
  const { visit } = require('yaml') as typeof import('yaml');
  const found: { name: string; at: number }[] = [];
  visit(document, { Alias: (_key, { source, range }) => void found.push({ name: source, at: range?.[0] ?? 0 }) });
  return found;
}

/** Names the field, or the item of a list. */
function nameField(pointer: string): string {
  const [last = '', before = ''] = parsePointer(pointer).reverse();
  if (last === '') return 'the file ';
  return /^\d+$/.test(last) ? `item ${Number(last) + 1} of ${before} ` : `${last} `;
}

function findHint(fault: SchemaFault): string | null {
  const { properties } = fault.schema;
  const schema = fault.kind === 'missing' && isRecord(properties) ? properties[fault.key] : fault.schema;
  const text = isRecord(schema) ? schema['description'] : null;
  return typeof text === 'string' ? text : null;
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isRecord(value)) return value;
  const said = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(said.map(([key, member]) => [key, dropNulls(member)]));
}

/** Says why a text is no path in the project; null where it is one. */
export function findPathFault(path: string): string | null {
  const leads = isAbsolute(path) || path.split('/').includes('..');
  return leads ? `is ${JSON.stringify(path)}, which leads out of the project. Give a path from the root.` : null;
}

/** A path or glob without a leading `./`. */
export const stripDot = (path: string): string => path.replace(/^(?:\.\/+)+/, '');
