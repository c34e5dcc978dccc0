import type { CapturedRecipe, ResolvedRecipe, ResolvedWorkflow } from './resolved.js';

/**
 * What a recipe that is not shipped says that would let commands of a plan start without a person having seen them. It counts
 * once a person of this clone trusts it (protocol.md, Trust).
 */

/** A recipe, or a workflow, and its file as the captured sources name it. */
interface Part {
  file: string;
  of: ResolvedRecipe | ResolvedWorkflow;
}

/** Says what widens in a captured recipe, each with its file; empty for what ships. */
export function listWidening(captured: CapturedRecipe): string[] {
  const { recipe, workflow, sources } = captured;
  const phases = (workflow?.phases ?? []).map((phase): Part => ({ file: phase.source, of: phase.recipe }));
  return [{ file: sources[0]?.path ?? '', of: workflow ?? recipe }, ...phases].flatMap((part) => [
    ...(goesUnasked(captured, part) ? [`mode.interaction: autopilot (${part.file})`] : []),
    ...(allowsAll(captured, part) ? [`approve_commands: auto (${part.file})`] : []),
  ]);
}

/** The recipe with the narrower values in place of all that widens: flags, and a person, may still say otherwise. */
export function narrow(captured: CapturedRecipe): CapturedRecipe {
  const { recipe, workflow, sources } = captured;
  const file = sources[0]?.path ?? '';
  if (workflow === undefined)
    return { ...captured, recipe: { ...recipe, ...narrowSettings(captured, { file, of: recipe }) } };
  const phases = workflow.phases.map((phase) => ({
    ...phase,
    recipe: { ...phase.recipe, ...narrowSettings(captured, { file: phase.source, of: phase.recipe }) },
  }));
  return { ...captured, workflow: { ...workflow, ...narrowSettings(captured, { file, of: workflow }), phases } };
}

function narrowSettings(captured: CapturedRecipe, part: Part): Pick<ResolvedRecipe, 'mode' | 'preferences'> {
  const { mode, preferences } = part.of;
  const { interaction: _, ...open } = mode;
  const spec = preferences['approve_commands'];
  return {
    mode: goesUnasked(captured, part) ? open : mode,
    // Those of a workflow are also those of its phases, whosever they are; no recipe that ships says `auto`.
    preferences:
      spec?.default === 'auto' ? { ...preferences, approve_commands: { ...spec, default: 'ask' } } : preferences,
  };
}

/** Whether a recipe of the project carries out a plan in autopilot. */
function goesUnasked(captured: CapturedRecipe, { file, of }: Part): boolean {
  return !isShipped(captured, file) && of.mode['interaction'] === 'autopilot' && carriesOut(of);
}

function allowsAll(captured: CapturedRecipe, { file, of }: Part): boolean {
  return !isShipped(captured, file) && of.preferences['approve_commands']?.default === 'auto';
}

function isShipped({ sources }: CapturedRecipe, file: string): boolean {
  return sources.find(({ path }) => path === file)?.shipped === true;
}

/** Whether a plan may be carried out in the mode that this states. */
function carriesOut(of: Part['of']): boolean {
  return of.type === 'meta' ? of.phases.some(({ recipe }) => carriesOut(recipe)) : of.type === 'engine';
}
