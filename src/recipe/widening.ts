import type { CapturedRecipe, ResolvedWorkflow } from './captured.js';
import type { ResolvedRecipe } from './resolved.js';

/**
 * Settings that let a plan's commands start before a person has seen them. In a recipe that is not shipped, they take
 * effect only once a person has trusted the recipe in this clone (protocol.md, Trust).
 */

/** A recipe or a workflow, and its file as named in the captured sources. */
interface Part {
  file: string;
  of: ResolvedRecipe | ResolvedWorkflow;
}

/** Lists the settings of a captured recipe that widen what may run, each with its file; empty for shipped recipes. */
export function listWidening(captured: CapturedRecipe): string[] {
  const { recipe, workflow, sources } = captured;
  const phases = (workflow?.phases ?? []).map((phase): Part => ({ file: phase.source, of: phase.recipe }));
  return [{ file: sources[0]?.path ?? '', of: workflow ?? recipe }, ...phases].flatMap((part) => [
    ...(goesUnasked(captured, part) ? [`mode.interaction: autopilot (${part.file})`] : []),
    ...(allowsAll(captured, part) ? [`approve_commands: auto (${part.file})`] : []),
  ]);
}

/**
 * Narrows the settings that `listWidening` lists: no autopilot, and commands are asked about. Flags, or a person, may
 * still choose the wider values.
 */
export function narrowRecipe(captured: CapturedRecipe): CapturedRecipe {
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
    // Applies to shipped recipes too, such as a workflow's phases, but changes none of them: none has the default
    // `auto`.
    preferences:
      spec?.default === 'auto' ? { ...preferences, approve_commands: { ...spec, default: 'ask' } } : preferences,
  };
}

/** Whether a recipe that is not shipped would carry out a plan in autopilot. */
function goesUnasked(captured: CapturedRecipe, { file, of }: Part): boolean {
  return !isShipped(captured, file) && of.mode['interaction'] === 'autopilot' && carriesOut(of);
}

function allowsAll(captured: CapturedRecipe, { file, of }: Part): boolean {
  return !isShipped(captured, file) && of.preferences['approve_commands']?.default === 'auto';
}

function isShipped({ sources }: CapturedRecipe, file: string): boolean {
  return sources.find(({ path }) => path === file)?.shipped === true;
}

/** Whether the recipe, or a phase of the workflow, carries out plans. */
function carriesOut(of: Part['of']): boolean {
  return of.type === 'meta' ? of.phases.some(({ recipe }) => carriesOut(recipe)) : of.type === 'engine';
}
