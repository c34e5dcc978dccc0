import { isAbsolute } from 'node:path';
import type { ErrorDetail } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import { isMisspelling } from '../../base/suggest.js';
import { type CheckedSchema, findFaults, type SchemaFault } from '../../documents/schema-faults.js';
import { describeFaults } from '../../documents/schema-findings.js';
import { locateOffset } from '../../recipe/source/problem.js';
import { parsePointer, type YamlSource } from '../../recipe/source/yaml.js';

/** Collects the faults of one of the loop's files, each with its place and a fix. */
export interface FindingCollector {
  problems: ErrorDetail[];
  warnings: string[];
  report(pointer: string, problem: string): void;
  warn(pointer: string, problem: string): void;
  /**
   * Validates a value by a schema. Unknown keys are warnings, misspelt known keys are problems.
   * @param at JSON pointer of the value in the file
   * @param below set if the file contains only a part of the value, at `at`: the JSON pointer of that part in the value
   * @returns the value without null members
   */
  check(schema: CheckedSchema, value: unknown, at: string, below?: string): unknown;
}

const NAMES = 'A name has letters, digits, ".", "_" and "-", and begins with a letter or digit.';

/** Creates a collector that already contains the faults of the YAML itself. */
export function createFindingCollector(source: YamlSource): FindingCollector {
  const { file, text, document } = source;
  const problems = source.problems.map(({ message, fix, line, column }) => ({
    problem: fix === undefined ? message : `${message} ${fix}`,
    at: `${file}:${line}:${column}`,
  })) as ErrorDetail[];
  // Rejects aliases, because memory reads the same files and accepts none.
  for (const { name, at } of document === undefined ? [] : listAliases(document)) {
    const { line, column } = locateOffset(text, { start: at, end: at + 1 });
    problems.push({
      problem: `*${name} is a YAML alias, which is not allowed here. Write the value out.`,
      at: `${file}:${line}:${column}`,
    });
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
    if ('patternProperties' in schema) report(place, `${JSON.stringify(key)} is not a valid name. ${NAMES}`, 'key');
    // A problem, not a warning: the misspelt key may be a restriction, which would be missing all night, unnoticed.
    else if (near !== undefined && isMisspelling(key, near)) report(place, problem, 'key');
    else warn(place, `${problem}, which is ignored`);
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

/** Names the field, or the list's item, that a pointer leads to. */
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

/** Returns why a text is not a path inside the project; null if it is one. */
export function findProjectPathFault(path: string): string | null {
  const leads = isAbsolute(path) || path.split('/').includes('..');
  return leads ? `is ${JSON.stringify(path)}, which leads out of the project. Give a path from the root.` : null;
}

/** Removes a leading `./` from a path or glob. */
export const stripLeadingDot = (path: string): string => path.replace(/^(?:\.\/+)+/, '');
