import { DevCliError } from '../base/errors.js';
import type { WorkflowPosition } from '../machine/workflow-program.js';
import type { PhaseRow, RunState, Workflow, WorkflowDraft } from './state.js';

/**
 * Returns the current phase, to which the other fields of the snapshot belong.
 * @throws DevCliError `INTERNAL` when the index names no phase
 */
export function getCurrentPhase(workflow: Workflow): PhaseRow {
  return getPhaseRow(workflow, workflow.phaseIndex);
}

/**
 * Returns the phase at `index`, from 0.
 * @throws DevCliError `INTERNAL` when there is none
 */
export function getPhaseRow({ phases }: Workflow, index: number): PhaseRow {
  const row = phases[index];
  if (row === undefined) throw new DevCliError('INTERNAL', `The workflow has no phase ${index}.`);
  return row;
}

/**
 * Returns the workflow's position as its machine expects it (machine/workflow.ts); an aborted workflow counts as
 * halted.
 */
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

/** Renders the current phase as number, name and recipe: `2/3 build (release)`. */
export function renderPhase(workflow: Workflow): string {
  const { name, recipe } = getCurrentPhase(workflow);
  return `${workflow.phaseIndex + 1}/${workflow.phases.length} ${name} (${recipe})`;
}

/**
 * Returns whether documents in the run's directory may be from an earlier phase or an earlier attempt at this phase.
 */
export function isLaterPhase({ workflow }: Pick<RunState, 'workflow'>): boolean {
  return workflow !== null && (workflow.phaseIndex > 0 || getCurrentPhase(workflow).retries !== undefined);
}

/**
 * Sets the status of the current phase when the run fails or is reopened within it. A phase that is done or skipped
 * keeps its status.
 */
export function setPhaseStatus(workflow: WorkflowDraft, status: 'running' | 'failed'): void {
  const row = getCurrentPhase(workflow);
  if (row.status === 'running' || row.status === 'failed') setPhaseRow(workflow, { ...row, status });
}

/** Replaces the row of the phase with the same name. */
export function setPhaseRow({ phases }: WorkflowDraft, row: PhaseRow): void {
  phases[phases.findIndex(({ name }) => name === row.name)] = row;
}
