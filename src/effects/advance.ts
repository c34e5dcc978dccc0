import { type Effect, type MachineEvent, type Step, startProgram, transition } from '../machine/transition.js';
import { endRun } from './end.js';
import { execute, runOnComplete } from './execute.js';
import { issue } from './issue.js';
import { blockOf, record, type Turn } from './turn.js';
import { conditionScope } from './values.js';

/** Lets the machine take an event and carries out what follows, until something is pending or the run has ended. */
export function advance(turn: Turn, event: MachineEvent): void {
  walk(turn, next(turn, event));
}

/** Starts the run's machine: init's own block is settled, the first block that remains is carried out. */
export function begin(turn: Turn): void {
  const { program } = turn.captured.recipe;
  walk(
    turn,
    startProgram(program, (source) => decide(turn, source)),
  );
}

function next(turn: Turn, event: MachineEvent): Step {
  const { program } = turn.captured.recipe;
  return transition(program, turn.state.machine, event, (source) => decide(turn, source));
}

function decide(turn: Turn, source: string): boolean {
  return turn.evaluate(source, conditionScope(turn, turn.state.currentBlock));
}

function walk(turn: Turn, first: Step): void {
  let step: Step | null = first;
  while (step !== null) {
    turn.state.machine = step.position;
    let event: MachineEvent | null = null;
    for (const effect of step.effects) event = carryOut(turn, effect) ?? event;
    step = event === null ? null : next(turn, event);
  }
}

/** Carries out one effect; a CLI block that has run gives the event that goes on. */
function carryOut(turn: Turn, effect: Effect): MachineEvent | null {
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
    case 'end':
      endRun(turn, effect.outcome);
      return null;
  }
}

/** No agent's condition holds: the block is done, and so is what it does once its agents are (recipes.md §2, `when`). */
function nothingIssued(turn: Turn, id: string): MachineEvent {
  const block = blockOf(turn, id);
  if (block.kind === 'subagent' || block.kind === 'subagent-loop') runOnComplete(turn, block);
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
  if (block.kind === 'subagent' || block.kind === 'subagent-loop') {
    for (const agent of block.agents) {
      const known = state.agents[agent.id];
      if (known !== undefined && known.status !== 'pending') known.status = 'stale';
    }
  }
  const gate = state.gates[id];
  if (gate !== undefined) gate.stale = true;
  delete state.inputHashes[id];
}
