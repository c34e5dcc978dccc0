import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { requireRecipe } from '../recipe/load.js';
import { PREFERENCES_FILE, resolveSettings } from '../recipe/preferences.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import type { RunState } from '../run/state.js';
import type { Context } from './context.js';
import { requireTrust } from './trust.js';

/** What `init` is given. */
export interface InitInput {
  recipe?: string;
  workflow?: string;
  quick?: boolean;
  standard?: boolean;
  autopilot?: boolean;
  interactive?: boolean;
  execute?: boolean;
  goal?: string;
  set?: Record<string, string>;
  force?: boolean;
  new?: boolean;
}

/** What a run is to be made of, settled before anything is touched. */
export type Prepared =
  /** A live or halted run of this recipe is there; resuming it needs no recipe file. */
  | { kind: 'resume'; recipe: string }
  | {
      kind: 'new';
      recipe: string;
      captured: CapturedRecipe;
      mode: Record<string, string>;
      goal: string | null;
      vars: JsonObject;
      preferences: RunState['preferences'];
    };

/**
 * Settles recipe, mode, goal and preferences of an `init` (protocol.md §5; recipes.md §1).
 * @param present the run of that name, if there is one
 * @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID`, `RECIPE_UNTRUSTED`, `MODE_CONTRADICTION`, `GOAL_MISSING`,
 * `PREFERENCES_INVALID`, `UNKNOWN_PREFERENCE`
 */
export function prepareRecipe(context: Context, input: InitInput, present: RunState | null): Prepared {
  const unfinished = present !== null && (present.status === 'live' || present.status === 'halted') ? present : null;
  if (input.execute === true || input.workflow !== undefined)
    throw notYet(input.execute === true ? '--execute' : '--workflow');
  const recipe = recipeName(input, unfinished);
  if (unfinished !== null && unfinished.recipe !== recipe && input.force !== true) throw runExists(unfinished);
  if (unfinished !== null && unfinished.recipe === recipe && input.force !== true) {
    checkMode(input, unfinished.mode, recipe);
    return { kind: 'resume', recipe };
  }
  const captured = requireRecipe(context.library, recipe);
  requireTrust(context, captured);
  const mode = modeOf(input, captured);
  const goal = input.goal?.trim() ?? '';
  if (captured.recipe.usesGoal && goal === '') {
    throw new DevCliError('GOAL_MISSING', `The recipe "${recipe}" works on a goal, and none was given.`, {
      fix: "Give the user's request word for word: --goal TEXT, or --goal - with it on standard input.",
    });
  }
  const text = context.reader.read(`${context.root}/${PREFERENCES_FILE}`);
  const { vars, preferences } = resolveSettings(captured.recipe, text, input.set ?? {});
  return { kind: 'new', recipe, captured, mode, goal: goal === '' ? null : goal, vars, preferences };
}

/** The error for a name whose run is not finished and has another recipe. A halted one counts: it can be reopened. */
export function runExists(unfinished: RunState): DevCliError {
  const { name, recipe, status } = unfinished;
  return new DevCliError('RUN_EXISTS', `"${name}" is ${status} with the recipe ${recipe}.`, {
    run: name,
    fix: [
      'To give it up and start anew, init again with --force. To go on with it: ',
      { command: 'next', input: { name } },
    ],
  });
}

function notYet(flag: string): DevCliError {
  return new DevCliError('USAGE', `${flag} is reserved: executing plans and workflows are not part of this version.`, {
    fix: 'Leave it out to plan a change.',
  });
}

/** The recipe that is meant: named, or specify in the mode of the flags, else of the run that is there. */
function recipeName(input: InitInput, unfinished: RunState | null): string {
  if (input.recipe !== undefined) return input.recipe;
  const flags = flagMode(input);
  if (unfinished !== null && Object.keys(flags).length === 0) return unfinished.recipe;
  const before = unfinished?.skill === 'specify' ? unfinished.mode : {};
  const depth = flags.depth ?? before['depth'] ?? 'standard';
  const interaction = flags.interaction ?? before['interaction'] ?? 'interactive';
  return `specify-${depth}-${interaction}`;
}

function flagMode(input: InitInput): { depth?: string; interaction?: string } {
  return {
    ...(input.quick === true ? { depth: 'quick' } : {}),
    ...(input.standard === true ? { depth: 'standard' } : {}),
    ...(input.autopilot === true ? { interaction: 'autopilot' } : {}),
    ...(input.interactive === true ? { interaction: 'interactive' } : {}),
  };
}

/** What the recipe states, filled up by the flags, then by standard and interactive. */
function modeOf(input: InitInput, captured: CapturedRecipe): Record<string, string> {
  checkMode(input, captured.recipe.mode, captured.recipe.name);
  return { depth: 'standard', interaction: 'interactive', ...flagMode(input), ...captured.recipe.mode };
}

/** @throws DevCliError `MODE_CONTRADICTION` for a flag against a stated value */
function checkMode(input: InitInput, stated: Record<string, string>, recipe: string): void {
  for (const [key, value] of Object.entries(flagMode(input))) {
    const states = stated[key];
    if (states === undefined || states === value) continue;
    throw new DevCliError('MODE_CONTRADICTION', `--${value} contradicts the recipe "${recipe}", which is ${states}.`, {
      fix: ['Leave the flag out, or choose another recipe: ', { command: 'recipe list', input: {} }],
    });
  }
}
