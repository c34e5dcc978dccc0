import { omitUndefined } from '../../base/defined.js';
import type { JsonObject } from '../../base/json.js';
import { listPreferences } from '../conditions/text.js';
import type { PreferenceSpec, ResolvedRecipe } from '../resolved.js';
import { BUILTIN_PREFERENCES } from '../settings/builtin-preferences.js';
import type { SequentialSource } from '../source/schema.js';
import type { EngineSource } from '../source/schema-engine.js';
import { listPlaceholders } from '../template.js';

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

/**
 * Resolves the mode: each part as the recipe states it, else from `flags`, else from the words of the recipe's name. A
 * part that none of them sets is absent.
 * @param flags the flags of the recipe's own `dev-cli init` command, without `--`
 */
export function resolveMode(source: HeaderSource, flags: readonly string[]): Record<string, string> {
  const words = source.name.split(/[-_]/);
  const pick = (...values: string[]) =>
    values.find((value) => flags.includes(value)) ?? values.find((value) => words.includes(value));
  const depth = source.mode?.depth ?? pick('standard', 'quick');
  const interaction = source.mode?.interaction ?? pick('interactive', 'autopilot');
  return {
    ...source.mode,
    ...omitUndefined({ depth, interaction }),
  };
}

/** Returns the skill that the recipe states, or else the first word of its name. */
export function resolveSkill({ skill, name }: HeaderSource): string {
  return skill ?? name.split(/[-_]/)[0] ?? name;
}

/** Returns `artifacts`, `closing` and `begins` if they are stated; declared.ts has their defaults. */
export function resolveEnds({
  artifacts,
  closing,
  begins,
}: HeaderSource): Pick<ResolvedRecipe, 'artifacts' | 'closing' | 'begins'> {
  return {
    ...omitUndefined({ artifacts }),
    ...(closing === undefined ? {} : { closing: closing.trim() }),
    ...omitUndefined({ begins }),
  };
}

/** Returns the globs that `cleanup` removes. */
export function resolveCleanup(source: HeaderSource): string[] {
  return source.cleanup ?? ['DRAFT.md'];
}

/**
 * Resolves the fields that all recipes have, with their defaults (recipes.md §1). A built-in preference is added to the
 * recipe's own if a text or a condition reads it.
 * @param templates every text that may hold placeholders
 * @param conditions every condition
 * @param reads built-in preferences that dev-cli itself reads for this type of recipe
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
  | 'statesArtifacts'
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
    ...omitUndefined({ guardSources: source.guard?.sources }),
    ...resolveEnds(source),
    ...(source.artifacts === undefined ? {} : { statesArtifacts: true }),
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
      ...omitUndefined({ values: builtin?.values }),
      ...rest,
      ...((initial ?? builtin?.default) === undefined ? {} : { default: initial ?? builtin?.default }),
    } as PreferenceSpec;
  }
  return preferences;
}
