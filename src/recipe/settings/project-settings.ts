import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { CheckedSchema } from '../../documents/schema-faults.js';
import outline from '../../generated/project-settings-outline.js';
import { type RecipeProblem, sortProblems } from '../source/problem.js';
import { createProblemLog, type ProblemLog } from '../source/report.js';
import { checkValue } from '../source/validate.js';
import { parseYaml } from '../source/yaml.js';
import type { ProjectSettings } from './project-settings-schema.js';

/** The file of a project's preferences, relative to the root. */
export const PREFERENCES_FILE = '.dev/preferences.yaml';

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/project-settings.js').default };

/** The keys of .dev/preferences.yaml that are not run preferences. */
export const SETTINGS_KEYS = Object.keys(outline.properties ?? {}) as readonly (keyof ProjectSettings)[];

/**
 * Reads the given keys of .dev/preferences.yaml, none of them a run preference. Faults in other keys are ignored, so
 * that they do not stop a caller that does not need those keys. A file that is not valid YAML is always refused.
 * @param text the content of the file; null if there is none
 * @param check reports faults that the schema cannot express, at positions in the whole file
 * @throws DevCliError `PREFERENCES_INVALID` with every problem at its position
 */
export function readProjectSettings<K extends keyof ProjectSettings>(
  text: string | null,
  keys: readonly K[],
  check: (settings: Pick<ProjectSettings, K>, report: ProblemLog) => void = () => {},
): Pick<ProjectSettings, K> {
  if (text === null || isBlankYaml(text)) return {} as Pick<ProjectSettings, K>;
  const source = parseYaml(text, PREFERENCES_FILE);
  const report = createProblemLog(source);
  const stated = Object.entries(source.value ?? {}).filter(([key]) => keys.some((one) => one === key));
  const settings = Object.fromEntries(stated);
  const { broken, unknown } = checkValue(SCHEMA, settings, report);
  if (broken.length + unknown.length === 0) check(settings as Pick<ProjectSettings, K>, report);
  if (report.problems.some(({ severity }) => severity === 'error')) throw buildPreferencesError(report.problems);
  return settings as Pick<ProjectSettings, K>;
}

/** Whether a YAML file contains only blank lines and comments. */
export function isBlankYaml(text: string): boolean {
  return text.replace(/^\s*#.*$/gm, '').trim() === '';
}

/** Builds the error for an invalid .dev/preferences.yaml, with every problem at its position. */
export function buildPreferencesError(problems: readonly RecipeProblem[]): DevCliError {
  return new DevCliError('PREFERENCES_INVALID', `${PREFERENCES_FILE} cannot be used.`, {
    details: sortProblems(problems).map(({ message, file, line, column, pointer, fix }) => ({
      problem: fix === undefined ? message : `${message} ${fix}`,
      at: `${file}:${line}:${column}`,
      ...omitUndefined({ pointer }),
    })),
    fix: `Correct ${PREFERENCES_FILE} at the places named in details.`,
  });
}
