import { omitUndefined } from '../../base/defined.js';
import type { ErrorPolicy } from '../../machine/workflow-program.js';
import type { ResolvedPhase, ResolvedWorkflow } from '../captured.js';
import type { CompiledPhase } from '../load/compiled.js';
import type { PreferenceSpec } from '../resolved.js';
import type { MetaSource } from '../source/schema.js';
import { resolveEnds, resolveHeader, resolveMode } from './header.js';

/**
 * Fills in every default of a meta recipe (recipes.md §4). Phases whose recipe could not be resolved are left out, and
 * reported by lint.
 */
export function resolveWorkflow(source: MetaSource, compiled: readonly CompiledPhase[]): ResolvedWorkflow {
  const phases = compiled.flatMap(resolvePhase);
  const conditions = phases.flatMap(({ when }) => when ?? []);
  const { name, language, description, vars, preferences, needs } = resolveHeader(source, [], conditions);
  return {
    name,
    type: 'meta',
    language,
    description,
    mode: resolveMode(source, []),
    vars,
    preferences: mergePreferences(phases, preferences),
    ...omitUndefined({ needs }),
    ...resolveEnds(source),
    errorPolicy: resolvePolicy(source),
    phases,
  };
}

function resolvePhase({ stated, compiled }: CompiledPhase): ResolvedPhase[] {
  if (stated === null || compiled === null || compiled.draft === null || compiled.draft.type === 'meta') return [];
  const { name, when } = stated;
  return [{ name, source: compiled.file, recipe: compiled.draft.recipe, ...omitUndefined({ when }) }];
}

/** Merges the preferences of all phases. The workflow's own declaration wins, then that of the earliest phase. */
function mergePreferences(
  phases: readonly ResolvedPhase[],
  own: Record<string, PreferenceSpec>,
): Record<string, PreferenceSpec> {
  const union = { ...own };
  for (const { recipe } of phases) {
    for (const [name, spec] of Object.entries(recipe.preferences)) union[name] ??= spec;
  }
  return union;
}

function resolvePolicy({ errorPolicy }: MetaSource): ErrorPolicy {
  const onFail = errorPolicy?.onFail ?? 'halt';
  if (onFail === 'halt') return { kind: 'halt' };
  return onFail === 'skip_phase' ? { kind: 'skip' } : { kind: 'retry', max: onFail.retry_phase.max };
}
