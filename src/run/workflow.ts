import { DevCliError } from '../base/errors.js';
import type { RunState, Workflow } from './state.js';

type Row = Workflow['phases'][number];

/** The recipe that a run was begun with: of several, the workflow's (recipes.md §4). */
export function recipeOfRun({ workflow, recipe }: Pick<RunState, 'workflow' | 'recipe'>): string {
  return workflow?.name ?? recipe;
}

/** The row of the phase that the fields of the snapshot belong to. */
export function phaseRow({ phases, phaseIndex }: Workflow): Row {
  const row = phases[phaseIndex];
  if (row === undefined) throw new DevCliError('INTERNAL', `The workflow has no phase ${phaseIndex}.`);
  return row;
}

/** `2/3 implement (execute-standard)`. */
export function phaseTitle(workflow: Workflow): string {
  const { name, recipe } = phaseRow(workflow);
  return `${workflow.phaseIndex + 1}/${workflow.phases.length} ${name} (${recipe})`;
}

/** Whether what lies in the run's directory may be the work of an earlier phase, or of the same one before a retry. */
export function isFollowUp({ workflow }: Pick<RunState, 'workflow'>): boolean {
  return workflow !== null && (workflow.phaseIndex > 0 || phaseRow(workflow).retries !== undefined);
}

/** The run ends, or is reopened, within the phase at work. */
export function markPhase(workflow: Workflow, status: 'running' | 'failed'): void {
  const row = phaseRow(workflow);
  if (row.status === 'running' || row.status === 'failed') row.status = status;
}
