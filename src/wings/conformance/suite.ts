import { join } from 'node:path';
import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import type { FileReader } from '../../base/files.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { validateBySchema } from '../../recipe/user-schema.js';
import { asksNothing, type Case, readCase } from './fixture.js';

/** Reads the shipped suites and a project's own suites (neutral.md, Fixtures). */

/** Directories of shipped suites in the package. */
const SHIPPED: Readonly<Record<string, string>> = {
  published: 'conformance/published-0.4.0',
  own: 'conformance/own',
};

/** Folders with schemas instead of cases. */
const WITHOUT_CASES = ['schema', 'state-schemas'];

/** A requirement of the contract. */
export interface Requirement {
  id: string;
  text: string;
  strict?: boolean;
}

/** The package, read through `reader`; `package` is its absolute directory. */
export interface ShippedPackage {
  reader: FileReader;
  package: string;
}

/** Reads the published schemas of state files, by the name of the file. @throws DevCliError `IO` */
export function readStateSchemas({ reader, package: directory }: ShippedPackage): Map<string, string> {
  const names = ['plan', 'tasks', 'history', 'runtime', 'agent-tracker'];
  const folder = join(directory, 'conformance/published-0.4.0/state-schemas');
  return new Map(names.map((name) => [name, reader.read(join(folder, `${name}.schema.json`)) ?? '{}']));
}

/** @throws DevCliError `IO` */
export function readSuiteRequirements({ reader, package: directory }: ShippedPackage): Requirement[] {
  return JSON.parse(reader.read(join(directory, 'conformance/requirements.json')) ?? '[]') as Requirement[];
}

/**
 * Reads the cases of a suite.
 * @param named `published`, `own` or an absolute directory
 * @throws DevCliError `SCHEMA_INVALID` with everything that is wrong with its fixtures; `USAGE` for a suite without
 * cases; `IO`
 */
export function readSuite(named: string, shipped: ShippedPackage, harness: string): Case[] {
  const { reader } = shipped;
  const below = SHIPPED[named];
  const directory = below === undefined ? named : join(shipped.package, below);
  const formats = readFormats(shipped);
  const read = listFiles(reader, directory).flatMap((file) => {
    const at = { suite: named, folder: file.split('/')[0] ?? '', file };
    return readFixtures(reader.read(join(directory, file)), at, formats, harness);
  });
  const cases = read.flatMap((one) => ('case' in one ? [one.case] : []));
  const twice = cases.filter(({ id }, n) => cases.findIndex((one) => one.id === id) < n);
  const details = [
    ...read.flatMap((one) => ('case' in one ? [] : [one])),
    ...twice.map(({ id, file }) => ({ target: file, problem: `the id ${id} is also that of another case` })),
  ];
  if (details.length > 0) {
    throw new DevCliError('SCHEMA_INVALID', `The suite ${named} has fixtures that are none.`, {
      details,
      fix: '`dev-cli conformance validate` says the same of a directory; fix them, then repeat the call.',
    });
  }
  if (cases.length > 0) return cases;
  throw new DevCliError('USAGE', `There are no cases in ${named}.`, { fix: 'Name a directory of fixtures.' });
}

/** Parses the fixtures of a file; returns a case or a fault for each. */
function readFixtures(
  text: string | null,
  at: Pick<Case, 'suite' | 'folder' | 'file'>,
  formats: Record<1 | 2, string>,
  harness: string,
): ({ case: Case } | ErrorDetail)[] {
  const value = parseOrNull(text);
  if (value === null) return [{ target: at.file, problem: 'it is not JSON' }];
  const written: unknown[] = Array.isArray(value) ? value : [value];
  return written.flatMap((one, n): ({ case: Case } | ErrorDetail)[] => {
    const place = Array.isArray(value) ? `/${n}` : '';
    const blame = (problem: string, below = ''): ErrorDetail => ({
      target: at.file,
      pointer: `${place}${below}` || '/',
      problem,
    });
    const faults = judge(one, formats);
    if (faults.length > 0) {
      return faults.map(({ problem, pointer = '/' }) => blame(problem, pointer === '/' ? '' : pointer));
    }
    try {
      const found = readCase(one, at, harness);
      return [asksNothing(found) ? blame(`${found.id} asserts nothing`) : { case: found }];
    } catch (error) {
      return [blame(error instanceof Error ? error.message : String(error))];
    }
  });
}

function listFiles(reader: FileReader, directory: string): string[] {
  const folders = reader.list(directory).filter((name) => !WITHOUT_CASES.includes(name) && !name.includes('.'));
  const inside = folders.flatMap((folder) => reader.list(join(directory, folder)).map((name) => `${folder}/${name}`));
  const all = [...reader.list(directory), ...inside];
  return all.filter((name) => name.endsWith('.json')).sort();
}

/**
 * Reads the schemas of both formats, keyed by `format`. In the published format, state files may contain any JSON,
 * because its own fixtures would violate the schema otherwise.
 */
function readFormats({ reader, package: directory }: ShippedPackage): Record<1 | 2, string> {
  const read = (path: string): string => reader.read(join(directory, 'conformance', path)) ?? '{}';
  const first = JSON.parse(read('published-0.4.0/schema/fixture.schema.json')) as {
    properties: { precondition: { properties: { state_files: { additionalProperties: unknown } } } };
  };
  first.properties.precondition.properties.state_files.additionalProperties = true;
  return { 1: JSON.stringify(first), 2: read('fixture-2.schema.json') };
}

function judge(written: unknown, formats: Record<1 | 2, string>): ErrorDetail[] {
  const isSecond = isRecord(written) && written['format'] === 2;
  return validateBySchema(formats[isSecond ? 2 : 1], written);
}
