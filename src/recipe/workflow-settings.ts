import { type RunSettings, resolveSettings } from './preferences.js';
import type { ResolvedPhase, ResolvedWorkflow } from './resolved.js';

/** What `init` is given for a workflow. */
interface SettingsInput {
  /** The mode by its flags. */
  flags: Readonly<Record<string, string>>;
  /** .dev/preferences.yaml, null where there is none. */
  text: string | null;
  /** Values of `--set` as typed, by key. */
  set: Readonly<Record<string, string>>;
}

/**
 * A workflow with the mode and the vars of each phase settled, and the preferences of the run. The mode is standard and
 * interactive, overlaid by the flags, by what the workflow states, by what the phase's recipe states. A var is the recipe's,
 * overlaid by the workflow's of that name, by `--set` (recipes.md §1; recipes.md §4).
 * @throws DevCliError `PREFERENCES_INVALID`, `UNKNOWN_PREFERENCE`
 */
export function resolveWorkflowSettings(
  workflow: ResolvedWorkflow,
  { flags, text, set }: SettingsInput,
): { workflow: ResolvedWorkflow; preferences: RunSettings['preferences'] } {
  const mode = { depth: 'standard', interaction: 'interactive', ...flags, ...workflow.mode };
  const declared = Object.assign({}, ...workflow.phases.map(({ recipe }) => recipe.vars), workflow.vars);
  // All at once first: what no phase declares is an error.
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

/** Those members of an object that another one has too. */
function pick<T>(from: Readonly<Record<string, T>>, keys: object): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => Object.hasOwn(keys, key)));
}
