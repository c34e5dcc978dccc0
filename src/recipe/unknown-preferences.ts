import { isRecord } from '../base/json.js';
import { renderSuggestion } from '../base/suggest.js';
import { toBoundedLine } from '../documents/foreign.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { type Library, listRecipeFiles } from './library.js';
import { PREFERENCES_FILE } from './preferences.js';
import { createProblemLog } from './report.js';
import { parseYaml } from './yaml-source.js';

/** Keys named at most. */
const NAMED = 10;

/**
 * The keys of .dev/preferences.yaml that no recipe reads, each as a line that says where it stands and what was probably
 * meant. A key that another recipe declares belongs to that one.
 * @param text the file, in which nothing else is wrong
 * @param known what the recipe of the run declares
 */
export function listUnknownPreferences(library: Library, text: string, known: object): string[] {
  const source = parseYaml(text, PREFERENCES_FILE);
  const unread = (names: readonly string[], declared: ReadonlySet<string>) =>
    names.filter((name) => !declared.has(name));
  const own = new Set([...Object.keys(BUILTIN_PREFERENCES), ...Object.keys(known)]);
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

/** The preferences that any recipe of the library declares, as far as its file can be read. */
function listDeclared(library: Library): string[] {
  return listRecipeFiles(library).flatMap(({ path, file }) => {
    const { value } = parseYaml(library.reader.read(path) ?? '', file);
    const preferences = value?.['preferences'];
    return isRecord(preferences) ? Object.keys(preferences) : [];
  });
}
