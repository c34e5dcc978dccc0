import type { RunState, Workflow } from './state.js';

/** The recipe that a run was begun with: of several, the workflow's (recipes.md §4). */
export function recipeOfRun({ workflow, recipe }: Pick<RunState, 'workflow' | 'recipe'>): string {
  return workflow?.name ?? recipe;
}

/** The row of the phase that the fields of the snapshot belong to. */
export function phaseAtWork({ phases, phaseIndex }: Workflow): Workflow['phases'][number] | undefined {
  return phases[phaseIndex];
}

/** `2/3 implement (execute-standard)`. */
export function phaseTitle({ phases, phaseIndex }: Workflow): string {
  const phase = phases[phaseIndex];
  return `${phaseIndex + 1}/${phases.length} ${phase?.name ?? ''} (${phase?.recipe ?? ''})`;
}
