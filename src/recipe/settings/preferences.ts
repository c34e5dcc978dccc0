import { DevCliError } from '../../base/errors.js';
import type { Json, JsonObject } from '../../base/json.js';
import { findSuggestion } from '../../base/suggest.js';
import type { PreferenceSpec, ResolvedRecipe } from '../resolved.js';
import { createProblemLog } from '../source/report.js';
import { parseYaml } from '../source/yaml.js';
import { BUILTIN_PREFERENCES, describePreferenceValues, isPreferenceValue } from './builtin-preferences.js';
import { buildPreferencesError, isBlankYaml, PREFERENCES_FILE } from './project-settings.js';

/** The vars and preferences a run starts with. A preference that has no default and was not set is absent. */
export interface RunSettings {
  vars: JsonObject;
  preferences: Record<string, string | number | boolean>;
}

/**
 * Resolves the vars and preferences of a new run: the recipe's defaults, overridden by the project's file, and that by
 * `init --set k=v` (a declared var k, else a preference k).
 * @param text the content of .dev/preferences.yaml; null where there is none
 * @param set the values of `--set` as typed, by key
 * @throws DevCliError `PREFERENCES_INVALID` with every problem at its place; `UNKNOWN_PREFERENCE`
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
 * Reads .dev/preferences.yaml: a mapping of names to values. Names that are not in `known` belong to other recipes.
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

/** Reads a var as typed; it has to be of the type of its default. */
function parseVar(key: string, typed: string, initial: Json): Json {
  if (initial === null || typeof initial === 'string') return typed;
  let value: Json = null;
  try {
    value = JSON.parse(typed) as Json;
  } catch {
    // What does not parse is refused like a value of another type.
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
