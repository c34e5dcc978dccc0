import { issueAction, passBlock, retractBlock } from '../../blocks/block-types.js';
import { executeCliBlock } from '../../blocks/cli.js';
import { recordCommandFailure } from '../../blocks/red.js';
import { dropSizeClaim } from '../../blocks/size-claim.js';
import type { Entering } from '../../blocks/values/condition.js';
import { isConditionMet } from '../../blocks/values/when.js';
import { applyEngineEvents, enterEngine } from '../../engine/act/execute-effects.js';
import type { EngineEvent } from '../../engine/core/events.js';
import type { Effect, MachineEvent } from '../../machine/events.js';
import { startProgram, type TransitionResult, transition } from '../../machine/transition.js';
import { hasFailures } from '../../run/facts.js';
import { forgetOutcomeWarnings } from '../../run/outcome-warnings.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import { keepEffect } from './keep.js';
import { beginPhases, endRecipe } from './phases.js';

/**
 * Passes an event to the recipe's state machine and carries out its effects, until something is pending or the run has
 * ended.
 * @param inside if the event makes the run redo part of a plan: the event that says which part, for the plan's engine
 */
export function advance(tx: Transaction, event: MachineEvent, inside?: EngineEvent): void {
  walk(tx, next(tx, event), inside);
}

/** Passes events to the engine of the current engine block; once its plan has ended, continues the run. */
export function advanceEngine(tx: Transaction, events: Iterable<EngineEvent>): void {
  const block = tx.state.currentBlock ?? '';
  const ended = applyEngineEvents(tx, block, events);
  if (ended !== null) advance(tx, ended);
}

/** Starts the run; in a workflow, its first phase. */
export function startRecipe(tx: Transaction): void {
  if (tx.state.workflow === null || beginPhases(tx)) walk(tx, started(tx));
}

/**
 * Starts the machine of the current recipe. Its first effects mark the block that represents `init` as done, and carry
 * out the first block after it.
 */
function started(tx: Transaction): TransitionResult {
  const { name, program } = tx.captured.recipe;
  const step = startProgram(program, (source, of) => decide(tx, source, { block: of, failed: false }));
  tx.tell?.({ kind: 'recipe', recipe: name, from: null, event: { type: 'START' }, effects: step.effects });
  return step;
}

function next(tx: Transaction, event: MachineEvent): TransitionResult {
  const { name, program } = tx.captured.recipe;
  const from = tx.state.machine;
  const failed = event.type === 'FAIL' || event.type === 'ROUND';
  const step = transition(program, from, event, (source, of) => decide(tx, source, { block: of, failed }));
  tx.tell?.({ kind: 'recipe', recipe: name, from, event, effects: step.effects });
  return step;
}

function decide(tx: Transaction, source: string, entering: Entering): boolean {
  return isConditionMet(tx, source, tx.state.currentBlock, { entering });
}

/**
 * Carries out a transition and those that follow, until an action is pending, a hold intervenes, or the run has ended.
 */
export function walk(tx: Transaction, first: TransitionResult, inside?: EngineEvent): void {
  let step: TransitionResult | null = first;
  while (step !== null) {
    tx.state.machine = step.position;
    let led: Led = null;
    for (const effect of step.effects) led = carryOut(tx, effect, inside) ?? led;
    if (led === 'next phase') step = started(tx);
    else step = led === null ? null : next(tx, led);
  }
}

/** The consequence of an effect: an event for the machine, a phase whose machine must be started, or nothing. */
type Led = MachineEvent | 'next phase' | null;

/**
 * Carries out one effect. If the run then has nothing to wait for, for example because a CLI block has run to its end,
 * returns the next event.
 */
function carryOut(tx: Transaction, effect: Effect, inside: EngineEvent | undefined): Led {
  if (tx.state.held !== undefined && keepEffect(tx, effect, inside !== undefined)) return null;
  switch (effect.type) {
    case 'settle':
      settle(tx, effect.block, effect.status);
      return null;
    case 'stale':
      for (const block of effect.blocks) retract(tx, block);
      return null;
    case 'issue':
      tx.state.currentBlock = effect.block;
      if (issueAction(tx, effect)) return null;
      // No agent's condition holds, so there is nobody to start. The block counts as done; what it does after its
      // agents is done now (recipes.md §2).
      passBlock(tx, effect.block);
      return { type: 'DONE' };
    case 'execute':
      tx.state.currentBlock = effect.block;
      return executeCliBlock(tx, effect);
    case 'engine':
      tx.state.currentBlock = effect.block;
      return enterEngine(tx, effect.block, effect.cause, inside);
    case 'end':
      return endRecipe(tx, effect.outcome) ? 'next phase' : null;
  }
}

function settle(tx: Transaction, block: string, status: 'done' | 'skipped' | 'failed'): void {
  const { state } = tx;
  const retries = state.machine.counters[block]?.retries ?? 0;
  state.steps[block] = {
    ...state.steps[block],
    status,
    at: tx.at,
    ...(status === 'done' && tx.by.kind !== 'cli' ? { by: tx.by.kind } : {}),
    ...(retries > 0 ? { retries } : {}),
  };
  if (status === 'skipped') {
    if (hasFailures(state)) recordCommandFailure(tx, block, null);
    recordEntry(tx, 'skipped', { block });
  }
  // A success makes the reason for the block's earlier failure irrelevant.
  if (status === 'done' && state.lastError?.block === block) state.lastError = null;
  if (status === 'failed' && state.lastError?.block !== block) {
    state.lastError = { code: 'STEP_FAILED', message: `"${block}" failed.`, block, at: tx.at };
  }
}

/** Withdraws a block's result, so that its step, agents and gate are redone. Documents stay. */
function retract(tx: Transaction, id: string): void {
  const { steps, gates, inputHashes, data, size } = tx.state;
  const step = steps[id];
  if (step !== undefined && step.status !== 'pending') {
    const { exit: _, ...rest } = step;
    steps[id] = { ...rest, status: 'stale', at: tx.at };
  }
  retractBlock(tx, id);
  if (step?.warned !== undefined) forgetOutcomeWarnings(tx, id);
  const gate = gates[id];
  if (gate !== undefined) gates[id] = { ...gate, stale: true };
  delete inputHashes[id];
  if (data !== undefined) delete data[id];
  if (size?.found !== undefined) dropSizeClaim(tx, id);
}
