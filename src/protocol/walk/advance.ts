import { blockTypeOf } from '../../blocks/block-types.js';
import { execute } from '../../blocks/cli.js';
import { issue } from '../../blocks/issue.js';
import { conditionScope } from '../../blocks/values.js';
import { engineOutcome, enterEngine } from '../../engine/act/drive.js';
import type { EngineEvent } from '../../engine/core/events.js';
import type { Effect, MachineEvent } from '../../machine/events.js';
import { type Step, startProgram, transition } from '../../machine/transition.js';
import { blockOf, record, type Turn } from '../../run/turn.js';
import { beginPhases, recipeEnded } from './phases.js';

/**
 * Lets the machine take an event and carries out what follows, until something is pending or the run has ended.
 * @param inside what an engine block that is entered again is to take, when it is not all of it that is redone
 */
export function advance(turn: Turn, event: MachineEvent, inside?: EngineEvent): void {
  walk(turn, next(turn, event), inside);
}

/** Lets the engine of the pending engine block take what happened; when its plan has come to an end, the run goes on. */
export function advanceEngine(turn: Turn, events: Iterable<EngineEvent>): void {
  const block = turn.state.currentBlock ?? '';
  const ended = engineOutcome(turn, block, events);
  if (ended !== null) advance(turn, ended);
}

/** Starts the run: of a workflow, its first phase. */
export function begin(turn: Turn): void {
  if (turn.state.workflow === null || beginPhases(turn)) walk(turn, started(turn));
}

/** The machine of the recipe at work: init's own block is settled, the first block that remains is carried out. */
function started(turn: Turn): Step {
  return startProgram(turn.captured.recipe.program, (source) => decide(turn, source));
}

function next(turn: Turn, event: MachineEvent): Step {
  const { program } = turn.captured.recipe;
  return transition(program, turn.state.machine, event, (source) => decide(turn, source));
}

function decide(turn: Turn, source: string): boolean {
  return turn.evaluate(source, conditionScope(turn, turn.state.currentBlock));
}

function walk(turn: Turn, first: Step, inside?: EngineEvent): void {
  let step: Step | null = first;
  while (step !== null) {
    turn.state.machine = step.position;
    let led: Led = null;
    for (const effect of step.effects) led = carryOut(turn, effect, inside) ?? led;
    if (led === 'next phase') step = started(turn);
    else step = led === null ? null : next(turn, led);
  }
}

/** What an effect has led to: an event that the machine is to take, a phase whose machine is to be started, or nothing. */
type Led = MachineEvent | 'next phase' | null;

/** Carries out one effect; a CLI block that has run, and an engine that has nothing to wait for, give the event that goes on. */
function carryOut(turn: Turn, effect: Effect, inside: EngineEvent | undefined): Led {
  switch (effect.type) {
    case 'settle':
      settle(turn, effect.block, effect.status);
      return null;
    case 'stale':
      for (const block of effect.blocks) retract(turn, block);
      return null;
    case 'issue':
      turn.state.currentBlock = effect.block;
      return issue(turn, effect) ? null : nothingIssued(turn, effect.block);
    case 'execute':
      turn.state.currentBlock = effect.block;
      return execute(turn, effect);
    case 'engine':
      turn.state.currentBlock = effect.block;
      return enterEngine(turn, effect.block, effect.cause, inside);
    case 'end':
      return recipeEnded(turn, effect.outcome) ? 'next phase' : null;
  }
}

/** No agent's condition holds: the block is done, and so is what it does once its agents are (recipes.md §2). */
function nothingIssued(turn: Turn, id: string): MachineEvent {
  const block = blockOf(turn, id);
  if (block.kind !== 'cli' && block.kind !== 'engine') blockTypeOf(block).pass?.(turn, block);
  return { type: 'DONE' };
}

function settle(turn: Turn, block: string, status: 'done' | 'skipped' | 'failed'): void {
  const { state } = turn;
  state.steps[block] = {
    ...state.steps[block],
    status,
    at: turn.at,
    ...(status === 'done' && turn.by.kind !== 'cli' ? { by: turn.by.kind } : {}),
  };
  const retries = state.machine.counters[block]?.retries ?? 0;
  if (retries > 0) state.steps[block].retries = retries;
  if (status === 'skipped') record(turn, 'skipped', { block });
  // Why it failed before is history once it has succeeded.
  if (status === 'done' && state.lastError?.block === block) state.lastError = null;
  if (status === 'failed' && state.lastError?.block !== block) {
    state.lastError = { code: 'STEP_FAILED', message: `"${block}" failed.`, block, at: turn.at };
  }
}

/** The result of a block no longer counts: its step, its agents and its gate are to be redone. Documents stay. */
function retract(turn: Turn, id: string): void {
  const { state } = turn;
  const step = state.steps[id];
  if (step !== undefined && step.status !== 'pending') state.steps[id] = { ...step, status: 'stale', at: turn.at };
  const block = blockOf(turn, id);
  if (block.kind !== 'cli' && block.kind !== 'engine') blockTypeOf(block).retract?.(turn, block);
  const gate = state.gates[id];
  if (gate !== undefined) gate.stale = true;
  delete state.inputHashes[id];
}
