import { DevCliError } from '../../base/errors.js';
import { beginDraft } from '../../blocks/draft-begin.js';
import { startProgram } from '../../machine/transition.js';
import { atPhase } from '../../recipe/captured.js';
import type { ErrorPolicy, ResolvedRecipe, ResolvedWorkflow } from '../../recipe/resolved.js';
import type { RunState, Workflow } from '../../run/state.js';
import { record, type Turn } from '../../run/turn.js';
import { phaseRow } from '../../run/workflow.js';
import { baselineOf } from '../../work/git.js';
import { endRun, waitsIn } from './end.js';
import { failures, outcomeLine, personStopped, results } from './outcome.js';

/**
 * The phases of a workflow, inside a transaction (recipes.md §4). One phase's end, what the policy makes of it and the
 * beginning of the next are one commit; the machine of the phase that begins is started by protocol/walk/advance.ts.
 */

/** Skills whose phases may not touch sources: the second net looks there (harness.md, Guard). */
export const PLANNING_SKILLS: readonly string[] = ['specify', 'open'];

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
  return beginFrom(turn, 0);
}

/**
 * What the end of the recipe at work means for the run: of a workflow, the next phase may begin, or the same one anew.
 * @returns whether a phase has begun, whose machine is now to be started; otherwise the run has ended
 */
export function recipeEnded(turn: Turn, outcome: NonNullable<RunState['outcome']>): boolean {
  const { workflow } = turn.state;
  if (workflow === null || outcome === 'aborted') {
    endRun(turn, outcome);
    return false;
  }
  if (outcome === 'completed') {
    closePhase(turn, workflow, 'done');
    return beginFrom(turn, workflow.phaseIndex + 1);
  }
  return phaseHalted(turn, workflow);
}

/** What a person stopped, and what must not be passed over, halts the run whatever the policy says. */
function phaseHalted(turn: Turn, workflow: Workflow): boolean {
  const row = phaseRow(workflow);
  const why = outcomeLine(turn, 'halted');
  const mustHalt = personStopped(turn) || turn.state.lastError?.code === 'SOURCES_CHANGED';
  const policy: ErrorPolicy = mustHalt ? { kind: 'halt' } : definitionOf(turn).errorPolicy;
  switch (policy.kind) {
    case 'halt':
      break;
    case 'skip':
      keepWarning(turn, `phase ${row.name} ${why}; the run went on without it`);
      closePhase(turn, workflow, 'failed');
      return beginFrom(turn, workflow.phaseIndex + 1);
    case 'retry': {
      const retry = (row.retries ?? 0) + 1;
      if (retry > policy.max) break;
      turn.warnings.push(`phase ${row.name} ${why}; it begins anew, for time ${retry} of at most ${policy.max}`);
      record(turn, 'phase-ended', { phase: row.name, recipe: row.recipe, status: 'failed', summary: why });
      forget(turn, turn.captured.recipe);
      row.agents = superseded(turn.state.agents);
      row.retries = retry;
      openPhase(turn, workflow, workflow.phaseIndex);
      return true;
    }
  }
  endRun(turn, 'halted');
  return false;
}

/**
 * The first phase from this one on whose condition holds, and whose recipe has what it needs, begins; where none does, the run is
 * completed.
 */
function beginFrom(turn: Turn, first: number): boolean {
  const { workflow, goal, preferences } = turn.state;
  if (workflow === null) throw new DevCliError('INTERNAL', 'The run has no phases.');
  const { phases, mode, vars } = definitionOf(turn);
  for (const [index, { name, recipe, when }] of phases.entries()) {
    if (index < first) continue;
    const lacks = workflow.phases[index]?.lacks;
    if (lacks === undefined && (when === undefined || turn.evaluate(when, { mode, vars, goal, preferences }))) {
      openPhase(turn, workflow, index);
      return true;
    }
    Object.assign(workflow.phases[index] ?? {}, { status: 'skipped', at: turn.at });
    record(turn, 'phase-ended', {
      phase: name,
      recipe: recipe.name,
      status: 'skipped',
      ...(lacks === undefined ? {} : { summary: lacks }),
    });
  }
  workflow.currentPhase = null;
  turn.state.machine.value = 'completed';
  endRun(turn, 'completed');
  return false;
}

function openPhase(turn: Turn, workflow: Workflow, index: number): void {
  const { state } = turn;
  const touched =
    workflow.currentPhase !== null && index !== workflow.phaseIndex && !PLANNING_SKILLS.includes(state.skill);
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
  const row = phaseRow(workflow);
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
function closePhase(turn: Turn, workflow: Workflow, status: 'done' | 'failed'): void {
  const { state } = turn;
  const row = phaseRow(workflow);
  const summary = outcomeLine(turn, status === 'done' ? 'completed' : 'halted');
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

function definitionOf(turn: Turn): ResolvedWorkflow {
  const { workflow } = turn.captured;
  if (workflow === undefined) throw new DevCliError('INTERNAL', 'The captured recipe is no workflow.');
  return workflow;
}
