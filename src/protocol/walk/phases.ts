import { DevCliError } from '../../base/errors.js';
import { beginDraft } from '../../blocks/draft-begin.js';
import { startProgram } from '../../machine/transition.js';
import { transitionWorkflow } from '../../machine/workflow.js';
import type { WorkflowEffect, WorkflowEvent } from '../../machine/workflow-program.js';
import { atPhase } from '../../recipe/captured.js';
import { keepsSources } from '../../recipe/declared.js';
import type { ResolvedRecipe, ResolvedWorkflow } from '../../recipe/resolved.js';
import type { PhaseRow, RunState, Workflow } from '../../run/state.js';
import { record, type Turn } from '../../run/turn.js';
import { markPhase, rowOf, workflowPosition } from '../../run/workflow.js';
import { baselineOf } from '../../work/git.js';
import { endRun, waitsIn } from './end.js';
import { failures, outcomeLine, personStopped, results } from './outcome.js';

/**
 * The phases of a workflow, inside a transaction (recipes.md §4): carries out what its machine says. One phase's end, what
 * the policy makes of it and the beginning of the next are one commit; the machine of the phase that begins is started by
 * protocol/walk/advance.ts.
 */

/** The fields of a snapshot that belong to the recipe at work, before it has begun. */
export function freshFields(recipe: ResolvedRecipe) {
  return {
    recipe: recipe.name,
    skill: recipe.skill,
    currentBlock: null,
    blockIndex: 0,
    pendingAction: null,
    steps: Object.fromEntries(recipe.blocks.map((block) => [block.id, { status: 'pending' as const, at: null }])),
    agents: {},
    inputHashes: {},
    result: null,
    commandResults: {},
    sourcesRefused: null,
    commands: {},
    engine: null,
    lastError: null,
    machine: startProgram(recipe.program, () => false).position,
  } satisfies Partial<RunState>;
}

/** The phases of a workflow, none of them begun. */
export function freshWorkflow({ name, phases }: ResolvedWorkflow): Workflow {
  return {
    name,
    currentPhase: null,
    phaseIndex: 0,
    phases: phases.map((phase) => ({ name: phase.name, recipe: phase.recipe.name, status: 'pending', at: null })),
  };
}

/** Begins the first phase whose condition holds. False: none does, and the run is completed. */
export function beginPhases(turn: Turn): boolean {
  return follow(turn, { type: 'START' });
}

/**
 * What the end of the recipe at work means for the run: of a workflow, the next phase may begin, or the same one anew.
 * @returns whether a phase has begun, whose machine is now to be started; otherwise the run has ended
 */
export function recipeEnded(turn: Turn, outcome: NonNullable<RunState['outcome']>): boolean {
  if (turn.state.workflow !== null) return follow(turn, eventOf(turn, outcome));
  endRun(turn, outcome);
  return false;
}

/** A step of the phase at work is to be redone: if the run halted there, it goes on. */
export function reopenPhase(turn: Turn): void {
  const { workflow } = turn.state;
  if (workflow !== null && workflowPosition(workflow).status === 'halted') follow(turn, { type: 'REOPEN' });
}

function eventOf(turn: Turn, outcome: NonNullable<RunState['outcome']>): WorkflowEvent {
  switch (outcome) {
    case 'completed':
      return { type: 'PHASE_COMPLETED' };
    case 'halted':
      // What a person stopped, and what must not be passed over, is no failure that a policy could make good.
      return {
        type: 'PHASE_HALTED',
        binding: personStopped(turn) || turn.state.lastError?.code === 'SOURCES_CHANGED',
      };
    case 'aborted':
      return { type: 'ABORT' };
  }
}

/** Lets the machine of the workflow take an event and carries out what follows. Gives whether a phase is at work after it. */
function follow(turn: Turn, event: WorkflowEvent): boolean {
  const { workflow, goal, preferences } = turn.state;
  const definition = turn.captured.workflow;
  if (workflow === null || definition === undefined) throw new DevCliError('INTERNAL', 'The run has no phases.');
  const { mode, vars } = definition;
  const { position, effects } = transitionWorkflow(definition, workflowPosition(workflow), event, {
    holds: (when) => turn.evaluate(when, { mode, vars, goal, preferences }),
    lacks: (phase) => workflow.phases[phase]?.lacks !== undefined,
  });
  for (const effect of effects) carryOut(turn, workflow, effect);
  return position.status === 'running';
}

function carryOut(turn: Turn, workflow: Workflow, effect: WorkflowEffect): void {
  switch (effect.type) {
    case 'skip':
      skipPhase(turn, rowOf(workflow, effect.phase));
      break;
    case 'close':
      closePhase(turn, rowOf(workflow, effect.phase), effect.status);
      break;
    case 'repeat':
      giveUpAttempt(turn, rowOf(workflow, effect.phase), effect.max);
      break;
    case 'open':
      openPhase(turn, workflow, effect.phase);
      break;
    case 'reopen':
      markPhase(workflow, 'running');
      break;
    case 'end':
      if (effect.outcome === 'completed') {
        workflow.currentPhase = null;
        turn.state.machine.value = 'completed';
      }
      endRun(turn, effect.outcome);
  }
}

function skipPhase(turn: Turn, row: PhaseRow): void {
  row.status = 'skipped';
  row.at = turn.at;
  record(turn, 'phase-ended', {
    phase: row.name,
    recipe: row.recipe,
    status: 'skipped',
    ...(row.lacks === undefined ? {} : { summary: row.lacks }),
  });
}

/** What a phase did before it begins anew counts no longer. */
function giveUpAttempt(turn: Turn, row: PhaseRow, max: number): void {
  const why = outcomeLine(turn, 'halted');
  const retry = (row.retries ?? 0) + 1;
  turn.warnings.push(`phase ${row.name} ${why}; it begins anew, for time ${retry} of at most ${max}`);
  record(turn, 'phase-ended', { phase: row.name, recipe: row.recipe, status: 'failed', summary: why });
  forget(turn, turn.captured.recipe);
  row.agents = superseded(turn.state.agents);
  row.retries = retry;
}

function openPhase(turn: Turn, workflow: Workflow, index: number): void {
  const { state } = turn;
  const touched =
    workflow.currentPhase !== null && index !== workflow.phaseIndex && !keepsSources(turn.captured.recipe);
  // What an earlier phase was there to change is not to be held against this one. A retry still has to commit it.
  if (touched && state.baseline !== null) {
    const tree = turn.tree();
    state.baseline = tree === null ? null : baselineOf(tree);
  }
  turn.captured = atPhase(turn.captured, index);
  const { recipe } = turn.captured;
  // A decision of an earlier phase is none on this one's gate of the same name.
  for (const { id } of recipe.blocks) delete state.gates[id];
  // Todos that an execution added to the plan are known to the next one by its state.
  const engine = recipe.engine === undefined ? null : state.engine;
  Object.assign(state, freshFields(recipe), { engine, mode: recipe.mode, vars: recipe.vars });
  workflow.phaseIndex = index;
  const row = rowOf(workflow, index);
  workflow.currentPhase = row.name;
  row.status = 'running';
  row.at = turn.at;
  record(turn, 'phase-started', {
    phase: row.name,
    recipe: row.recipe,
    ...(row.retries === undefined ? {} : { retry: row.retries }),
  });
  if (recipe.usesDraft) beginDraft(turn);
}

/** The fields of the phase at work move to its row. */
function closePhase(turn: Turn, row: PhaseRow, status: 'done' | 'failed'): void {
  const { state } = turn;
  const summary = outcomeLine(turn, status === 'done' ? 'completed' : 'halted');
  if (status === 'failed') keepWarning(turn, `phase ${row.name} ${summary}; the run went on without it`);
  for (const todo of state.engine?.deferred ?? []) keepWarning(turn, waitsIn(row, todo));
  Object.assign(row, {
    status,
    at: turn.at,
    summary,
    steps: state.steps,
    agents: state.agents,
    results: results(turn),
    failed: failures(turn),
  });
  // Their block's name may come again in a later phase.
  for (const [actionId, place] of Object.entries(state.acknowledged)) {
    if (!place.includes(':')) state.acknowledged[actionId] = `${row.name}:${place}`;
  }
  record(turn, 'phase-ended', { phase: row.name, recipe: row.recipe, status, summary });
}

/** What was acknowledged before a phase begins anew no longer stands: the old ids answer as unknown ones. */
function forget({ state }: Turn, { blocks }: ResolvedRecipe): void {
  const ids = new Set(blocks.map(({ id }) => id));
  for (const [actionId, place] of Object.entries(state.acknowledged)) {
    if (ids.has(place.split('/', 1)[0] ?? place)) delete state.acknowledged[actionId];
  }
}

/** Agents whose phase begins anew: what they wrote lies there and is of this run, but counts no longer. */
function superseded(agents: RunState['agents']): RunState['agents'] {
  return Object.fromEntries(Object.entries(agents).map(([id, agent]) => [id, { ...agent, status: 'stale' as const }]));
}

function keepWarning(turn: Turn, line: string): void {
  turn.state.warnings.push(line);
  turn.warnings.push(line);
}
