import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { DocumentReader } from '../../base/files.js';
import { isLarger, type Size, type SizeFacts } from '../../documents/size-rules.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { listConditions, listRootNames } from '../../recipe/conditions/text.js';
import { findClassifier, makesPlan } from '../../recipe/own-commands.js';
import type { ResolvedRecipe } from '../../recipe/resolved.js';
import { listPlaceholders } from '../../recipe/template.js';
import { listTemplates } from '../../recipe/texts.js';
import type { InputOf } from '../../registry/catalogue.js';
import { createDocumentOverlay } from '../../run/documents/pending.js';
import { readPlan } from '../../run/plan/content.js';
import type { RunState } from '../../run/state.js';

// The flags of `init` about the size of the work, and the unfinished runs that `--size` aborts (recipes.md, Size).

/** The flags of `init` that concern the size. */
type InitFlags = Pick<InputOf<'init'>, 'size' | 'quick' | 'standard' | 'force'>;

/**
 * Reads the size from the flags: `--size` and `--standard` state the size, `--quick` its upper bound.
 * @throws DevCliError `SIZE_REFUSED` when flags contradict each other
 */
export function readSizeFlags({ size, quick, standard }: InitFlags): SizeFacts {
  if (quick === true && size === 'large') throw buildContradiction('quick', 'middle at most', size);
  if (standard === true && size !== undefined && size !== 'large') throw buildContradiction('standard', 'large', size);
  const said = size ?? (standard === true ? 'large' : undefined);
  return omitUndefined({ said, most: quick === true ? ('middle' as const) : undefined });
}

function buildContradiction(flag: string, means: string, size: Size): DevCliError {
  return new DevCliError('SIZE_REFUSED', `--${flag} means the size ${means}, but --size says ${size}.`, {
    fix: 'Leave one of the two out.',
  });
}

/**
 * Returns the size facts that the flags gave; none if the size makes no difference to the recipe.
 * @throws DevCliError `SIZE_REFUSED` when `--size` was given although it makes no difference
 */
export function selectSizeFacts(said: SizeFacts, { size }: InitFlags, { recipe, workflow }: CapturedRecipe): SizeFacts {
  const recipes = workflow?.phases.map((phase) => phase.recipe) ?? [recipe];
  if (recipes.some(knowsSize)) return said;
  if (size === undefined) return {};
  const name = workflow?.name ?? recipe.name;
  throw new DevCliError('SIZE_REFUSED', `The recipe "${name}" does not depend on the size: --size has no effect.`, {
    fix: 'Leave --size out, or name a recipe that plans.',
  });
}

/**
 * Whether `--size` aborts an unfinished run to plan its work again: the run executes a plan, and is halted or has a
 * failed todo.
 * @param files the documents of the run
 * @throws DevCliError `RUN_EXISTS` for a live execution without a failed todo; `SIZE_REFUSED` for a smaller size than
 * the plan's
 */
export function givesWayToReplanning(unfinished: RunState, files: DocumentReader, { size, force }: InitFlags): boolean {
  const { engine } = unfinished;
  if (size === undefined || force === true || engine === null) return false;
  const { name } = unfinished;
  const failed = Object.values(engine.todos).some(({ status }) => status === 'failed');
  if (unfinished.status === 'live' && !failed) {
    throw new DevCliError('RUN_EXISTS', `"${name}" is carrying out its plan, and none of its todos has failed.`, {
      run: name,
      fix: [
        'Ask the user: init with --force aborts it and plans again. To continue it: ',
        { command: 'next', input: { name } },
      ],
    });
  }
  const planned = readPlan(createDocumentOverlay(files))?.size;
  if (planned !== undefined && isLarger(planned, size)) throw buildSmallerError(name, size, planned);
  return true;
}

/** Builds the error for a size smaller than that of the present work. */
export function buildSmallerError(name: string, size: Size, present: Size): DevCliError {
  return new DevCliError('SIZE_REFUSED', `The work of "${name}" is already ${present}; it cannot become ${size}.`, {
    run: name,
    fix: ['Continue at that size: ', { command: 'next', input: { name } }],
  });
}

/** Whether the size of the work makes a difference to a run of the recipe (recipes.md, Size). */
function knowsSize(recipe: ResolvedRecipe): boolean {
  if (recipe.type !== 'sequential') return false;
  return (
    makesPlan(recipe) ||
    findClassifier(recipe) !== null ||
    listConditions(recipe).some(readsSize) ||
    listTemplates(recipe).some((text) => listPlaceholders(text).some(({ key }) => key === 'size'))
  );
}

/** Whether a condition reads the value `size`; calls of the function `size()` do not count. */
function readsSize(source: string): boolean {
  return listRootNames(source.replace(/\bsize\s*\(/g, '(')).has('size');
}
