import { DevCliError } from '../base/errors.js';
import type { WorkflowPosition } from '../machine/workflow-program.js';
import type { PhaseRow, RunState, Workflow } from './state.js';

/** The recipe that a run was begun with: of several, the workflow's (recipes.md §4). */
export function getRunRecipe({ workflow, recipe }: Pick<RunState, 'workflow' | 'recipe'>): string {
  return workflow?.name ?? recipe;
}

/** The row of the phase that the fields of the snapshot belong to. */
export function getCurrentPhase(workflow: Workflow): PhaseRow {
  return getPhaseRow(workflow, workflow.phaseIndex);
}

/** The row of a phase by its place in the workflow, from 0. */
export function getPhaseRow({ phases }: Workflow, index: number): PhaseRow {
  const row = phases[index];
  if (row === undefined) throw new DevCliError('INTERNAL', `The workflow has no phase ${index}.`);
  return row;
}

/** Where the workflow stands, as its machine has it (machine/workflow.ts). One that was aborted stands as one that halted. */
export function getWorkflowPosition({ phases, phaseIndex, currentPhase }: Workflow): WorkflowPosition {
  const begun = phases.every(({ status }) => status !== 'pending');
  const outside = begun ? 'completed' : 'ready';
  const inside = phases[phaseIndex]?.status === 'running' ? 'running' : 'halted';
  return {
    status: currentPhase === null ? outside : inside,
    phase: phaseIndex,
    retries: phases.map(({ retries }) => retries ?? 0),
  };
}

/** Such as `2/3 build (release)`: place, name, recipe. */
export function renderPhase(workflow: Workflow): string {
  const { name, recipe } = getCurrentPhase(workflow);
  return `${workflow.phaseIndex + 1}/${workflow.phases.length} ${name} (${recipe})`;
}

/** Whether what lies in the run's directory may be the work of an earlier phase, or of the same one before a retry. */
export function isLaterPhase({ workflow }: Pick<RunState, 'workflow'>): boolean {
  return workflow !== null && (workflow.phaseIndex > 0 || getCurrentPhase(workflow).retries !== undefined);
}

/** The run ends, or is reopened, within the phase at work. */
export function setPhaseStatus(workflow: Workflow, status: 'running' | 'failed'): void {
  const row = getCurrentPhase(workflow);
  if (row.status === 'running' || row.status === 'failed') row.status = status;
}
