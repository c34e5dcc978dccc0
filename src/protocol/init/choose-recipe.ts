import { DevCliError } from '../../base/errors.js';
import { listStartableRecipes, type StartableRecipe } from '../../recipe/load/beginners.js';
import type { Library } from '../../recipe/load/library.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { RunState } from '../../run/state.js';

// Decides which recipe an `init` means (protocol.md, init).

type InitFlags = Omit<InputOf<'init'>, 'name'>;

/**
 * Returns the named recipe. If none was named, the first case that applies decides: the work of `grown` is to be
 * planned again; `--execute` asks for a recipe that executes; the unfinished run continues with its own recipe, since
 * no flag gives a mode; or planning begins, in the mode of the flags or, where they say nothing, of the unfinished run.
 * @param grown the run whose work is to be planned again because of `--size`, if any
 */
export function resolveRecipeName(
  library: Library,
  input: InitFlags,
  unfinished: RunState | null,
  grown: RunState | null,
): string {
  const named = input.recipe ?? input.workflow;
  if (named !== undefined) return named;
  const flags = readModeFlags(input);
  // A new goal for a run that has ended means different work, not the same work planned again.
  if (grown !== null && (input.goal === undefined || unfinished !== null))
    return resolveGrownRecipe(library, flags, grown);
  if (input.execute === true) return resolveExecutionRecipe(library, flags, unfinished);
  if (unfinished !== null && Object.keys(flags).length === 0) return unfinished.recipe;
  const beginners = listStartableRecipes(library, 'planning');
  const current = unfinished === null ? undefined : unfinished;
  const before = beginners.some(({ skill }) => skill === current?.skill) ? current?.mode : {};
  return requireRecipeForMode(beginners, {
    depth: flags.depth ?? before?.['depth'] ?? 'standard',
    interaction: flags.interaction ?? before?.['interaction'] ?? 'interactive',
  });
}

/**
 * Returns the recipe that plans the same work again: the run's own, unless that recipe only executes or the flags give
 * a mode.
 */
function resolveGrownRecipe(library: Library, flags: ReturnType<typeof readModeFlags>, grown: RunState): string {
  const { engine, mode } = grown;
  if (grown.workflow !== null) return grown.recipe;
  if (engine === null && Object.keys(flags).length === 0) return grown.recipe;
  return requireRecipeForMode(listStartableRecipes(library, 'planning'), {
    depth: flags.depth ?? 'standard',
    interaction: flags.interaction ?? mode['interaction'] ?? 'interactive',
  });
}

/**
 * Returns the recipe for `--execute`: that of an unfinished execution, unless a flag gives a depth; otherwise a recipe
 * that executes with that depth.
 */
function resolveExecutionRecipe(library: Library, flags: Record<string, string>, unfinished: RunState | null): string {
  if (unfinished !== null && unfinished.engine !== null && flags['depth'] === undefined) return unfinished.recipe;
  return requireRecipeForMode(listStartableRecipes(library, 'execution'), { depth: 'standard', ...flags });
}

/**
 * Returns the first recipe whose mode contradicts none of the wanted values.
 * @throws DevCliError `UNKNOWN_RECIPE`
 */
function requireRecipeForMode(beginners: readonly StartableRecipe[], wanted: Readonly<Record<string, string>>): string {
  const fits = ({ mode }: StartableRecipe) =>
    Object.entries(wanted).every(([key, value]) => (mode[key] ?? value) === value);
  const found = beginners.find(fits);
  if (found !== undefined) return found.name;
  const mode = Object.values(wanted).join(', ');
  throw new DevCliError('UNKNOWN_RECIPE', `There is no default recipe for the mode ${mode}.`, {
    fix: ['Name one with --recipe: ', { command: 'recipe list', input: {} }],
  });
}

/** Returns the parts of the mode that the flags give. */
export function readModeFlags(input: InitFlags): { depth?: string; interaction?: string } {
  return {
    ...(input.quick === true ? { depth: 'quick' } : {}),
    ...(input.standard === true ? { depth: 'standard' } : {}),
    ...(input.autopilot === true ? { interaction: 'autopilot' } : {}),
    ...(input.interactive === true ? { interaction: 'interactive' } : {}),
  };
}
