import type { ResolvedPhase, ResolvedWorkflow } from '../resolved.js';
import { type RunSettings, resolveSettings } from './preferences.js';

/** The settings of a workflow that come from outside it. */
interface SettingsInput {
  /** The mode given by flags. */
  flags: Readonly<Record<string, string>>;
  /** The content of .dev/preferences.yaml; null where there is none. */
  text: string | null;
  /** The values of `--set` as typed, by key. */
  set: Readonly<Record<string, string>>;
}

/**
 * Settles the mode and vars of a workflow and its phases, and the preferences of its run (recipes.md §1; recipes.md
 * §4). The mode of a phase is standard and interactive unless flags, the workflow or the phase's recipe say otherwise;
 * the last of these wins. A var has the recipe's default, overridden by the workflow's var of that name, then by
 * `--set`.
 * @throws DevCliError `PREFERENCES_INVALID`, `UNKNOWN_PREFERENCE`
 */
export function resolveWorkflowSettings(
  workflow: ResolvedWorkflow,
  { flags, text, set }: SettingsInput,
): { workflow: ResolvedWorkflow; preferences: RunSettings['preferences'] } {
  const mode = { depth: 'standard', interaction: 'interactive', ...flags, ...workflow.mode };
  const declared = Object.assign({}, ...workflow.phases.map(({ recipe }) => recipe.vars), workflow.vars);
  // For all phases at once first: a key that none of them declares is an error.
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

/** Picks the members of an object whose keys another object has, too. */
function pick<T>(from: Readonly<Record<string, T>>, keys: object): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => Object.hasOwn(keys, key)));
}
