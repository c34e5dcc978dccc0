import { DevCliError } from '../../../base/errors.js';
import {
  BUILTIN_PREFERENCES,
  describePreferenceValues,
  isPreferenceValue,
} from '../../../recipe/settings/builtin-preferences.js';
import { PREFERENCES_FILE, readProjectSettings, SETTINGS_KEYS } from '../../../recipe/settings/project-settings.js';
import { parseYaml } from '../../../recipe/source/yaml.js';
import type { Context } from '../../../run/context.js';
import { buildErrorFinding, type CiFinding } from './finding.js';

/** Returns the faults of .dev/preferences.yaml as findings (view.md, CI). @throws any error that is not such a fault */
export function checkPreferences({ root, reader }: Pick<Context, 'root' | 'reader'>): CiFinding[] {
  try {
    const text = reader.read(`${root}/${PREFERENCES_FILE}`);
    readProjectSettings(text, SETTINGS_KEYS, (_, report) => {
      for (const [name, value] of Object.entries(parseYaml(text ?? '', PREFERENCES_FILE).value ?? {})) {
        const spec = Object.hasOwn(BUILTIN_PREFERENCES, name) ? BUILTIN_PREFERENCES[name] : undefined;
        if (spec !== undefined && !isPreferenceValue(spec, value))
          report.error([name], `\`${name}\` must be ${describePreferenceValues(spec)}.`);
      }
    });
    return [];
  } catch (error) {
    return findPreferenceFaults(error);
  }
}

/** Converts a `PREFERENCES_INVALID` error to findings, one for each place that it names. @throws any other error */
export function findPreferenceFaults(error: unknown): CiFinding[] {
  if (!(error instanceof DevCliError) || error.code !== 'PREFERENCES_INVALID') throw error;
  const { code, message } = error;
  return error.details.map((detail) =>
    buildErrorFinding('preferences', PREFERENCES_FILE, new DevCliError(code, message, { details: [detail] })),
  );
}
