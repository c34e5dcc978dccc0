import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { beginDraft } from '../../blocks/run-draft.js';
import { renewBaseline } from '../../engine/act/commits/phase-baseline.js';
import { startProgram } from '../../machine/transition.js';
import { transitionWorkflow } from '../../machine/workflow.js';
import type { WorkflowEffect, WorkflowEvent } from '../../machine/workflow-program.js';
import type { ResolvedWorkflow } from '../../recipe/captured.js';
import { evaluateCondition } from '../../recipe/conditions/conditions.js';
import { keepsSources } from '../../recipe/declared.js';
import { selectPhase } from '../../recipe/load/captured.js';
import type { ResolvedRecipe } from '../../recipe/resolved.js';
import { leaveRecipe } from '../../run/left-recipe.js';
import { forgetOutcomeWarnings } from '../../run/outcome-warnings.js';
import type { RecipeDraft, RecipeState } from '../../run/recipe-state.js';
import type { RunState, WorkflowDraft } from '../../run/state.js';
import { recordEntry, recordWarning, type Transaction } from '../../run/transaction.js';
import { getPhaseRow, getWorkflowPosition, setPhaseRow, setPhaseStatus } from '../../run/workflow.js';
import { endRun, renderWaitingCommit } from './end.js';
import { buildResults, listFailedWork, renderOutcome, wasStoppedByPerson } from './outcome.js';

// The phases of a workflow, inside a transaction (recipes.md §4). The end of a phase, the policy's decision, and the
// beginning of the next phase are in one commit; walk/advance.ts starts the next phase's machine.

/** Creates the state of a recipe before it begins. */
export function createRecipeState(
  recipe: ResolvedRecipe,
  { mode, vars, size }: Pick<RecipeState, 'mode' | 'vars' | 'size'>,
): RecipeDraft {
  return {
    skill: recipe.skill,
    mode,
    vars,
    ...(size === undefined || Object.keys(size).length === 0 ? {} : { size }),
    machine: startProgram(recipe.program, () => false).position,
    steps: Object.fromEntries(recipe.blocks.map((block) => [block.id, { status: 'pending' as const, at: null }])),
    agents: {},
    gates: {},
    acknowledged: {},
    inputHashes: {},
    reviewRounds: 0,
    reviews: [],
    result: null,
    commands: {},
    commandResults: {},
    sourcesRefused: null,
    engine: null,
    lastError: null,
  };
}

/** Creates the state of a workflow before any phase has begun. */
export function createWorkflow({ name, phases }: ResolvedWorkflow): WorkflowDraft {
  return {
    name,
    currentPhase: null,
    phaseIndex: 0,
    phases: phases.map((phase) => ({ name: phase.name, recipe: phase.recipe.name, status: 'pending', at: null })),
    earlier: [],
  };
}

/** Begins the first phase whose condition holds. If no condition holds, completes the run and returns false. */
export function beginPhases(tx: Transaction): boolean {
  return stepWorkflow(tx, { type: 'START' });
}

/**
 * Ends the current recipe. In a workflow, the next phase, or the same one again, may begin; otherwise the run ends.
 * @returns whether a phase has begun; the caller must then start its machine
 */
export function endRecipe(tx: Transaction, outcome: NonNullable<RunState['outcome']>): boolean {
  if (tx.state.workflow !== null) return stepWorkflow(tx, buildPhaseEvent(tx, outcome));
  endRun(tx, outcome);
  return false;
}

/** Lets a halted workflow continue, because a step of its current phase will be redone. */
export function reopenPhase(tx: Transaction): void {
  const { workflow } = tx.state;
  if (workflow !== null && getWorkflowPosition(workflow).status === 'halted') stepWorkflow(tx, { type: 'REOPEN' });
}

function buildPhaseEvent(tx: Transaction, outcome: NonNullable<RunState['outcome']>): WorkflowEvent {
  switch (outcome) {
    case 'completed':
      return { type: 'PHASE_COMPLETED' };
    case 'halted':
      // Binding: the halt of a phase that a person stopped, or whose sources were changed, stands whatever the
      // phase's failure policy says.
      return {
        type: 'PHASE_HALTED',
        binding: wasStoppedByPerson(tx) || tx.state.lastError?.code === 'SOURCES_CHANGED',
      };
    case 'aborted':
      return { type: 'ABORT' };
  }
}

/**
 * Passes an event to the workflow's machine and carries out its effects.
 * @returns whether a phase is running afterwards
 */
function stepWorkflow(tx: Transaction, event: WorkflowEvent): boolean {
  const { workflow, goal, preferences } = tx.state;
  const definition = tx.captured.workflow;
  if (workflow === null || definition === undefined) throw new DevCliError('INTERNAL', 'The run has no phases.');
  const { mode, vars } = definition;
  const { position, effects } = transitionWorkflow(definition, getWorkflowPosition(workflow), event, {
    holds: (when) => evaluateCondition(when, { mode, vars, goal, preferences }),
    lacks: (phase) => workflow.phases[phase]?.lacks !== undefined,
  });
  const lacking = workflow.phases.flatMap(({ lacks }, phase) => (lacks === undefined ? [] : phase));
  tx.tell?.({ kind: 'workflow', event, effects, lacking });
  for (const effect of effects) carryOut(tx, workflow, effect);
  return position.status === 'running';
}

function carryOut(tx: Transaction, workflow: WorkflowDraft, effect: WorkflowEffect): void {
  switch (effect.type) {
    case 'skip':
      skipPhase(tx, workflow, effect.phase);
      break;
    case 'close':
      closePhase(tx, workflow, effect);
      break;
    case 'repeat':
      giveUpAttempt(tx, workflow, effect);
      break;
    case 'open':
      openPhase(tx, workflow, effect.phase);
      break;
    case 'reopen':
      setPhaseStatus(workflow, 'running');
      break;
    case 'end':
      if (effect.outcome === 'completed') {
        workflow.currentPhase = null;
        tx.state.machine = { ...tx.state.machine, value: 'completed' };
      }
      endRun(tx, effect.outcome);
  }
}

function skipPhase(tx: Transaction, workflow: WorkflowDraft, phase: number): void {
  const row = getPhaseRow(workflow, phase);
  setPhaseRow(workflow, { ...row, status: 'skipped', at: tx.at });
  recordEntry(tx, 'phase-ended', {
    phase: row.name,
    recipe: row.recipe,
    status: 'skipped',
    ...omitUndefined({ summary: row.lacks }),
  });
}

/**
 * Records the failed attempt of a phase that is restarted, and withdraws the attempt's acknowledgements and outputs.
 */
function giveUpAttempt(
  tx: Transaction,
  workflow: WorkflowDraft,
  { phase, max }: Extract<WorkflowEffect, { type: 'repeat' }>,
): void {
  const row = getPhaseRow(workflow, phase);
  const why = renderOutcome(tx, 'halted');
  const retry = (row.retries ?? 0) + 1;
  tx.warnings.push(`phase ${row.name} ${why}; the phase is restarted (${retry} of at most ${max})`);
  recordEntry(tx, 'phase-ended', { phase: row.name, recipe: row.recipe, status: 'failed', summary: why });
  forgetAcknowledgements(tx, tx.captured.recipe.blocks);
  for (const [block, { warned }] of Object.entries(tx.state.steps)) {
    if (warned !== undefined) forgetOutcomeWarnings(tx, block);
  }
  tx.state.agents = markStale(tx.state.agents);
  setPhaseRow(workflow, { ...row, retries: retry });
}

function openPhase(tx: Transaction, workflow: WorkflowDraft, index: number): void {
  const { state } = tx;
  const touched = workflow.currentPhase !== null && index !== workflow.phaseIndex && !keepsSources(tx.captured.recipe);
  // An earlier phase may have changed sources, as it was allowed to. These changes must not count against the phase
  // that begins, so its baseline is renewed. A retried phase keeps its baseline, because it still has to commit what it
  // changed.
  if (touched && state.baseline !== null) renewBaseline(tx, index);
  tx.captured = selectPhase(tx.captured, index);
  const { recipe } = tx.captured;
  // Before the first phase, only the action that asks for the goal can have been acknowledged. That acknowledgement is
  // kept.
  const acknowledged = workflow.currentPhase === null ? state.acknowledged : {};
  if (workflow.currentPhase !== null)
    workflow.earlier.push(leaveRecipe(state, getPhaseRow(workflow, workflow.phaseIndex)));
  delete state.data;
  delete state.imported;
  // The size of the work carries over from phase to phase.
  Object.assign(state, createRecipeState(recipe, { ...recipe, ...omitUndefined({ size: state.size }) }), {
    acknowledged,
  });
  state.pendingAction = null;
  workflow.phaseIndex = index;
  const row = getPhaseRow(workflow, index);
  workflow.currentPhase = row.name;
  setPhaseRow(workflow, { ...row, status: 'running', at: tx.at });
  recordEntry(tx, 'phase-started', {
    phase: row.name,
    recipe: row.recipe,
    ...omitUndefined({ retry: row.retries }),
  });
  if (recipe.usesDraft) beginDraft(tx);
}

/** Ends a phase and stores its results in its row. */
function closePhase(
  tx: Transaction,
  workflow: WorkflowDraft,
  { phase, status }: Extract<WorkflowEffect, { type: 'close' }>,
): void {
  const row = getPhaseRow(workflow, phase);
  const summary = renderOutcome(tx, status === 'done' ? 'completed' : 'halted');
  if (status === 'failed') recordWarning(tx, `phase ${row.name} ${summary}; the run continued without it`);
  for (const todo of tx.state.engine?.deferred ?? []) recordWarning(tx, renderWaitingCommit(row, todo));
  setPhaseRow(workflow, {
    ...row,
    status,
    at: tx.at,
    summary,
    results: buildResults(tx),
    failed: listFailedWork(tx),
  });
  recordEntry(tx, 'phase-ended', { phase: row.name, recipe: row.recipe, status, summary });
}

/** Forgets the acknowledgements of blocks that will be redone; their action ids then count as unknown. */
export function forgetAcknowledgements(
  { state: { acknowledged } }: Transaction,
  blocks: readonly { id: string }[],
): void {
  const ids = new Set(blocks.map(({ id }) => id));
  for (const [actionId, { block }] of Object.entries(acknowledged)) {
    if (ids.has(block)) delete acknowledged[actionId];
  }
}

/**
 * Marks the agents of a restarted phase as stale: their outputs still belong to the run, but no longer count.
 */
function markStale(agents: RecipeState['agents']): RecipeDraft['agents'] {
  return Object.fromEntries(Object.entries(agents).map(([id, agent]) => [id, { ...agent, status: 'stale' as const }]));
}
