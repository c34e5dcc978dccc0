import { DevCliError } from '../../../base/errors.js';
import { resolveSettings } from '../../../recipe/settings/preferences.js';
import { PREFERENCES_FILE, readProjectSettings, SETTINGS_KEYS } from '../../../recipe/settings/project-settings.js';
import type { Context } from '../../../run/context.js';
import { buildErrorFinding, type Finding } from './finding.js';

/** Checks that .dev/preferences.yaml can be used (view.md, CI). @throws whatever is no fault of it */
export function checkPreferences({ root, reader }: Pick<Context, 'root' | 'reader'>): Finding[] {
  try {
    const text = reader.read(`${root}/${PREFERENCES_FILE}`);
    resolveSettings({ vars: {}, preferences: {} }, text, {});
    readProjectSettings(text, SETTINGS_KEYS);
    return [];
  } catch (error) {
    return findPreferenceFaults(error);
  }
}

/** Makes a finding for each place that a refusal of the preferences names. @throws any other error */
export function findPreferenceFaults(error: unknown): Finding[] {
  if (!(error instanceof DevCliError) || error.code !== 'PREFERENCES_INVALID') throw error;
  return error.details.map((detail) =>
    buildErrorFinding(
      'preferences',
      PREFERENCES_FILE,
      new DevCliError(error.code, error.message, { details: [detail] }),
    ),
  );
}
