import type { CheckedSchema } from '../../documents/schema-faults.js';
import scriptOutline from '../../generated/recipe-script-outline.js';
import testOutline from '../../generated/recipe-test-outline.js';
import type { RecipeProblem } from '../../recipe/source/problem.js';
import { createProblemLog, type ProblemLog } from '../../recipe/source/report.js';
import { checkValue } from '../../recipe/source/validate.js';
import { parseYaml, type YamlSource } from '../../recipe/source/yaml.js';
import type { Script, TestFile } from './script-schema.js';

// Plain `require` calls, for the same reason as in recipe/source/validate.ts: the validators are large and seldom
// needed.
const SCRIPT: CheckedSchema = {
  outline: scriptOutline,
  validator: () => require('../../generated/recipe-script.js').default,
};
const TEST: CheckedSchema = {
  outline: testOutline,
  validator: () => require('../../generated/recipe-test.js').default,
};

/** The result of reading a script or a test file. */
export interface ReadScript<T> {
  source: YamlSource;
  /** Problems found so far; callers may add more, at places in the file. */
  log: ProblemLog;
  /** Null if and only if there are problems. */
  value: T | null;
}

/** Reads a script. Never throws, whatever the text. @param file the path as shown */
export function readScript(text: string, file: string): ReadScript<Script> {
  return read<Script>(text, file, SCRIPT);
}

/** Reads a test file. Never throws, whatever the text. @param file the path as shown */
export function readTestFile(text: string, file: string): ReadScript<TestFile> {
  return read<TestFile>(text, file, TEST);
}

function read<T>(text: string, file: string, schema: CheckedSchema): ReadScript<T> {
  const source = parseYaml(text, file);
  const log = createProblemLog(source);
  if (source.value !== undefined) checkValue(schema, source.value, log);
  return { source, log, value: log.problems.length === 0 && source.value !== undefined ? (source.value as T) : null };
}

/** Builds a problem without a place in the file. */
export function createFileProblem(file: string, message: string): RecipeProblem {
  return { severity: 'error', message, file, line: 1, column: 1, length: 1 };
}
