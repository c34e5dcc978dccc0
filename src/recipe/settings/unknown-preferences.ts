import { isRecord } from '../../base/json.js';
import { renderSuggestion } from '../../base/suggest.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { Library } from '../load/library.js';
import { listRecipeFiles, readOrEmpty } from '../load/recipe-files.js';
import { createProblemLog } from '../source/report.js';
import { parseYaml } from '../source/yaml.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { PREFERENCES_FILE, SETTINGS_KEYS } from './project-settings.js';

/** Keys reported at most. */
const NAMED = 10;

/**
 * Lists the keys of .dev/preferences.yaml that no recipe declares, each as a line with its place and a suggestion.
 * @param text the content of the file, which has been found valid otherwise
 * @param known the preferences that the run's recipe declares, by name
 */
export function listUnknownPreferences(library: Library, text: string, known: object): string[] {
  const source = parseYaml(text, PREFERENCES_FILE);
  const unread = (names: readonly string[], declared: ReadonlySet<string>) =>
    names.filter((name) => !declared.has(name));
  const own = new Set([...Object.keys(BUILTIN_PREFERENCES), ...Object.keys(known), ...SETTINGS_KEYS]);
  const suspect = unread(Object.keys(source.value ?? {}), own);
  if (suspect.length === 0) return [];
  const declared = new Set([...own, ...listDeclared(library)]);
  const report = createProblemLog(source);
  for (const name of unread(suspect, declared).slice(0, NAMED)) {
    const shown = JSON.stringify(toBoundedLine(name, 60));
    const meant = renderSuggestion(name.slice(0, 60), [...declared]);
    report.warning([name], `no recipe has a preference ${shown}; it changes nothing.${meant}`, { at: 'key' });
  }
  return report.problems.map(({ message, file, line, column }) => `${file}:${line}:${column}: ${message}`);
}

/** Lists the preferences that any recipe of the library declares; a file that cannot be read declares none. */
function listDeclared(library: Library): string[] {
  return listRecipeFiles(library).flatMap(({ path, file }) => {
    const { value } = parseYaml(readOrEmpty(library, path), file);
    const preferences = value?.['preferences'];
    return isRecord(preferences) ? Object.keys(preferences) : [];
  });
}
