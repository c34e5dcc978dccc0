import { DevCliError } from '../../base/errors.js';
import { isRecord, type Json, type JsonObject } from '../../base/json.js';
import { findSuggestion, renderSuggestion } from '../../base/suggest.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { ResolvedPhase, ResolvedWorkflow } from '../captured.js';
import type { Library } from '../load/library.js';
import { listRecipeFiles, readOrEmpty } from '../load/recipe-files.js';
import type { PreferenceSpec, ResolvedRecipe } from '../resolved.js';
import { createProblemLog } from '../source/report.js';
import { parseYaml } from '../source/yaml.js';
import { BUILTIN_PREFERENCES, describePreferenceValues, isPreferenceValue } from './builtin-preferences.js';
import { buildPreferencesError, isBlankYaml, PREFERENCES_FILE, SETTINGS_KEYS } from './project-settings.js';

/** The vars and preferences with which a run starts. A preference that was not set and has no default is absent. */
interface RunSettings {
  vars: JsonObject;
  preferences: Record<string, string | number | boolean>;
}

/**
 * Resolves the vars and preferences of a new run. The project's file overrides the recipe's defaults, and `init --set
 * k=v` overrides the file (it sets the declared var k, or else the preference k).
 * @param text the content of .dev/preferences.yaml; null if there is none
 * @param set the values of `--set` as typed, by key
 * @throws DevCliError `PREFERENCES_INVALID` with every problem at its position; `UNKNOWN_PREFERENCE`
 */
export function resolveSettings(
  recipe: Pick<ResolvedRecipe, 'vars' | 'preferences'>,
  text: string | null,
  set: Readonly<Record<string, string>>,
): RunSettings {
  const known = { ...BUILTIN_PREFERENCES, ...recipe.preferences };
  const fromFile = text === null ? {} : parsePreferences(text, known);
  const settings: RunSettings = { vars: { ...recipe.vars }, preferences: {} };
  for (const [name, spec] of Object.entries(recipe.preferences)) {
    const value = fromFile[name] ?? spec.default;
    if (value !== undefined) settings.preferences[name] = value;
  }
  for (const [key, typed] of Object.entries(set)) {
    const spec = Object.hasOwn(known, key) ? known[key] : undefined;
    if (Object.hasOwn(recipe.vars, key)) settings.vars[key] = parseVar(key, typed, recipe.vars[key] ?? null);
    else if (spec !== undefined) settings.preferences[key] = parsePreference(key, typed, spec);
    else throw buildUnknownError(key, [...Object.keys(recipe.vars), ...Object.keys(known)]);
  }
  return settings;
}

/**
 * Parses .dev/preferences.yaml, a mapping of names to values. Ignores names not in `known`: they are for other recipes.
 * @throws DevCliError `PREFERENCES_INVALID`
 */
function parsePreferences(
  text: string,
  known: Readonly<Record<string, PreferenceSpec>>,
): Record<string, string | number | boolean> {
  if (isBlankYaml(text)) return {};
  const source = parseYaml(text, PREFERENCES_FILE);
  const report = createProblemLog(source);
  const values: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(source.value ?? {})) {
    const spec = Object.hasOwn(known, name) ? known[name] : undefined;
    if (spec === undefined) continue;
    if (isPreferenceValue(spec, value)) values[name] = value;
    else report.error([name], `\`${name}\` must be ${describePreferenceValues(spec)}.`);
  }
  if (report.problems.length === 0) return values;
  throw buildPreferencesError(report.problems);
}

function parsePreference(key: string, typed: string, spec: PreferenceSpec): string | number | boolean {
  const candidates: (string | number | boolean)[] = [typed];
  if (typed === 'true' || typed === 'false') candidates.push(typed === 'true');
  if (/^-?\d+$/.test(typed)) candidates.push(Number(typed));
  const value = candidates.find((candidate) => isPreferenceValue(spec, candidate));
  if (value === undefined) throw buildTypeError(key, typed, describePreferenceValues(spec));
  return value;
}

/** Parses the value typed for a var; it must have the type of the var's default. */
function parseVar(key: string, typed: string, initial: Json): Json {
  if (initial === null || typeof initial === 'string') return typed;
  let value: Json = null;
  try {
    value = JSON.parse(typed) as Json;
  } catch {
    // Text that does not parse is refused below, like a value of another type.
  }
  const fits = typeof value === typeof initial && Array.isArray(value) === Array.isArray(initial);
  if (fits && value !== null) return value;
  throw buildTypeError(key, typed, `of the same type as its default, ${JSON.stringify(initial).slice(0, 80)}`);
}

function buildTypeError(key: string, typed: string, wanted: string): DevCliError {
  return new DevCliError(
    'UNKNOWN_PREFERENCE',
    `--set ${key}: the value must be ${wanted}, not ${JSON.stringify(typed.slice(0, 80))}.`,
  );
}

function buildUnknownError(key: string, names: readonly string[]): DevCliError {
  const near = findSuggestion(key.slice(0, 80), names);
  return new DevCliError(
    'UNKNOWN_PREFERENCE',
    `--set ${JSON.stringify(key.slice(0, 80))}: the recipe declares no such var or preference.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    { fix: names.length === 0 ? 'Leave it out.' : `It can be one of ${names.join(', ')}.` },
  );
}

/** The largest number of keys reported. */
const NAMED = 10;

/**
 * Lists the keys of .dev/preferences.yaml that no recipe declares, each as a line with its position and a suggestion.
 * @param text the content of the file, which is otherwise valid
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
    report.warning([name], `no recipe has a preference ${shown}; it has no effect.${meant}`, { at: 'key' });
  }
  return report.problems.map(({ message, file, line, column }) => `${file}:${line}:${column}: ${message}`);
}

/** Lists the preferences that any recipe of the library declares. A file that cannot be read declares none. */
function listDeclared(library: Library): string[] {
  return listRecipeFiles(library).flatMap(({ path, file }) => {
    const { value } = parseYaml(readOrEmpty(library, path), file);
    const preferences = value?.['preferences'];
    return isRecord(preferences) ? Object.keys(preferences) : [];
  });
}

/** The settings of a workflow that come from outside its recipe. */
interface SettingsInput {
  /** The mode set by flags. */
  flags: Readonly<Record<string, string>>;
  /** The content of .dev/preferences.yaml; null if there is none. */
  text: string | null;
  /** The values of `--set` as typed, by key. */
  set: Readonly<Record<string, string>>;
}

/**
 * Resolves the mode and vars of a workflow and its phases, and the preferences of its run (recipes.md §1; recipes.md
 * §4). A phase's mode is standard and interactive unless, in rising precedence, flags, the workflow or the phase's
 * recipe say otherwise. The recipe's default for a var is overridden by the workflow's var, and both by `--set`.
 * @throws DevCliError `PREFERENCES_INVALID`, `UNKNOWN_PREFERENCE`
 */
export function resolveWorkflowSettings(
  workflow: ResolvedWorkflow,
  { flags, text, set }: SettingsInput,
): { workflow: ResolvedWorkflow; preferences: RunSettings['preferences'] } {
  const mode = { depth: 'standard', interaction: 'interactive', ...flags, ...workflow.mode };
  const declared = Object.assign({}, ...workflow.phases.map(({ recipe }) => recipe.vars), workflow.vars);
  // Once for all phases together, to find keys of `--set` that none of them declares.
  const { vars, preferences } = resolveSettings({ ...workflow, vars: declared }, text, set);
  const settled = (phase: ResolvedPhase): ResolvedPhase => {
    const { recipe } = phase;
    const own = { ...recipe.vars, ...pick(workflow.vars, recipe.vars) };
    const values = resolveSettings({ vars: own, preferences: {} }, null, pick(set, own)).vars;
    return { ...phase, recipe: { ...recipe, mode: { ...mode, ...recipe.mode }, vars: values } };
  };
  const phases = workflow.phases.map(settled);
  return { workflow: { ...workflow, mode, vars: pick(vars, workflow.vars), phases }, preferences };
}

/** Picks the members of an object whose keys also exist in `keys`. */
function pick<T>(from: Readonly<Record<string, T>>, keys: object): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => Object.hasOwn(keys, key)));
}
