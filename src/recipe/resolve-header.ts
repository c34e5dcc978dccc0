import { defined } from '../base/defined.js';
import type { JsonObject } from '../base/json.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { listPreferences } from './condition-text.js';
import type { PreferenceSpec, ResolvedRecipe } from './resolved.js';
import type { SequentialSource } from './schema.js';
import type { EngineSource } from './schema-engine.js';
import { listPlaceholders } from './template.js';

type HeaderSource = Pick<
  SequentialSource | EngineSource,
  | 'name'
  | 'description'
  | 'skill'
  | 'mode'
  | 'vars'
  | 'preferences'
  | 'needs'
  | 'guard'
  | 'artifacts'
  | 'closing'
  | 'begins'
  | 'cleanup'
>;

/** Stated, else from the flags of the init command, else from the words of the name; what stays open is not in it. */
export function resolveMode(source: HeaderSource, flags: readonly string[]): Record<string, string> {
  const words = source.name.split(/[-_]/);
  const pick = (...values: string[]) =>
    values.find((value) => flags.includes(value)) ?? values.find((value) => words.includes(value));
  const depth = source.mode?.depth ?? pick('standard', 'quick');
  const interaction = source.mode?.interaction ?? pick('interactive', 'autopilot');
  return {
    ...source.mode,
    ...defined({ depth, interaction }),
  };
}

/** Stated, else the first word of the name. */
export function resolveSkill({ skill, name }: HeaderSource): string {
  return skill ?? name.split(/[-_]/)[0] ?? name;
}

/** What is said of the end of a run and of its beginning, as far as it is stated (declared.ts has the defaults). */
export function resolveEnds({
  artifacts,
  closing,
  begins,
}: HeaderSource): Pick<ResolvedRecipe, 'artifacts' | 'closing' | 'begins'> {
  return {
    ...defined({ artifacts }),
    ...(closing === undefined ? {} : { closing: closing.trim() }),
    ...defined({ begins }),
  };
}

/** The globs that `cleanup` removes. */
export function resolveCleanup(source: HeaderSource): string[] {
  return source.cleanup ?? ['DRAFT.md'];
}

/**
 * What every recipe has above its steps, with its defaults (recipes.md §1).
 * @param templates every text that may hold placeholders, and `conditions` every condition: a built-in preference is the
 * recipe's when one of them reads it, and `reads` those that dev-cli itself reads for it
 */
export function resolveHeader(
  source: HeaderSource,
  templates: readonly string[],
  conditions: readonly string[],
  reads: readonly string[] = [],
): Pick<
  ResolvedRecipe,
  | 'name'
  | 'language'
  | 'description'
  | 'skill'
  | 'vars'
  | 'preferences'
  | 'needs'
  | 'guardWrites'
  | 'guardSources'
  | 'artifacts'
  | 'closing'
  | 'begins'
  | 'cleanup'
> {
  return {
    name: source.name,
    language: 1,
    description: source.description?.trim() ?? '',
    skill: resolveSkill(source),
    vars: (source.vars ?? {}) as JsonObject,
    preferences: resolvePreferences(source, [
      ...reads,
      ...templates.flatMap((text) => listPlaceholders(text).map(({ key }) => key.replace(/^preferences\./, ''))),
      ...conditions.flatMap(listPreferences),
    ]),
    ...(source.needs === undefined ? {} : { needs: [...new Set(source.needs)] }),
    guardWrites: source.guard === undefined ? null : (source.guard.writes ?? []),
    ...defined({ guardSources: source.guard?.sources }),
    ...resolveEnds(source),
    cleanup: resolveCleanup(source),
  };
}

function resolvePreferences(source: HeaderSource, used: readonly string[]): Record<string, PreferenceSpec> {
  const preferences: Record<string, PreferenceSpec> = {};
  for (const [name, spec] of Object.entries(BUILTIN_PREFERENCES)) if (used.includes(name)) preferences[name] = spec;
  for (const [name, stated] of Object.entries(source.preferences ?? {})) {
    const { default: initial, ...rest } = stated;
    const builtin = BUILTIN_PREFERENCES[name];
    preferences[name] = {
      ...defined({ values: builtin?.values }),
      ...rest,
      ...((initial ?? builtin?.default) === undefined ? {} : { default: initial ?? builtin?.default }),
    } as PreferenceSpec;
  }
  return preferences;
}
