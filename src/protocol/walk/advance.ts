import { issueAction, passBlock, retractBlock } from '../../blocks/block-types.js';
import { executeCliBlock } from '../../blocks/cli.js';
import { recordRed } from '../../blocks/red.js';
import { dropSizeClaim } from '../../blocks/size-claim.js';
import type { Entering } from '../../blocks/values/condition.js';
import { isMet } from '../../blocks/values/when.js';
import { applyEngineEvents, enterEngine } from '../../engine/act/execute-effects.js';
import type { EngineEvent } from '../../engine/core/events.js';
import type { Effect, MachineEvent } from '../../machine/events.js';
import { type Step, startProgram, transition } from '../../machine/transition.js';
import { hasFailures } from '../../run/facts.js';
import { forgetOutcomeWarnings } from '../../run/outcome-warnings.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import { keepEffect } from './keep.js';
import { beginPhases, endRecipe } from './phases.js';

/**
 * Lets the machine take an event and carries out what follows, until something is pending or the run has ended.
 * @param inside what an engine block that is entered again is to take, when it is not all of it that is redone
 */
export function advance(tx: Transaction, event: MachineEvent, inside?: EngineEvent): void {
  walk(tx, next(tx, event), inside);
}

/** Lets the engine of the pending engine block take what happened; when its plan has come to an end, the run goes on. */
export function advanceEngine(tx: Transaction, events: Iterable<EngineEvent>): void {
  const block = tx.state.currentBlock ?? '';
  const ended = applyEngineEvents(tx, block, events);
  if (ended !== null) advance(tx, ended);
}

/** Starts the run: of a workflow, its first phase. */
export function begin(tx: Transaction): void {
  if (tx.state.workflow === null || beginPhases(tx)) walk(tx, started(tx));
}

/** The machine of the recipe at work: init's own block is settled, the first block that remains is carried out. */
function started(tx: Transaction): Step {
  const { name, program } = tx.captured.recipe;
  const step = startProgram(program, (source, of) => decide(tx, source, { block: of, failed: false }));
  tx.tell?.({ kind: 'recipe', recipe: name, from: null, event: { type: 'START' }, effects: step.effects });
  return step;
}

function next(tx: Transaction, event: MachineEvent): Step {
  const { name, program } = tx.captured.recipe;
  const from = tx.state.machine;
  const failed = event.type === 'FAIL' || event.type === 'ROUND';
  const step = transition(program, from, event, (source, of) => decide(tx, source, { block: of, failed }));
  tx.tell?.({ kind: 'recipe', recipe: name, from, event, effects: step.effects });
  return step;
}

function decide(tx: Transaction, source: string, entering: Entering): boolean {
  return isMet(tx, source, tx.state.currentBlock, { entering });
}

/** Carries out a step and what follows from it, until something is pending, kept by a hold, or the run has ended. */
export function walk(tx: Transaction, first: Step, inside?: EngineEvent): void {
  let step: Step | null = first;
  while (step !== null) {
    tx.state.machine = step.position;
    let led: Led = null;
    for (const effect of step.effects) led = carryOut(tx, effect, inside) ?? led;
    if (led === 'next phase') step = started(tx);
    else step = led === null ? null : next(tx, led);
  }
}

/** What an effect has led to: an event that the machine is to take, a phase whose machine is to be started, or nothing. */
type Led = MachineEvent | 'next phase' | null;

/** Carries out one effect; a CLI block that has run, and an engine that has nothing to wait for, give the event that goes on. */
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
      // No agent's condition holds: the block is done, and so is what it does once its agents are (recipes.md §2).
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
    if (hasFailures(state)) recordRed(tx, block, null);
    recordEntry(tx, 'skipped', { block });
  }
  // Why it failed before is history once it has succeeded.
  if (status === 'done' && state.lastError?.block === block) state.lastError = null;
  if (status === 'failed' && state.lastError?.block !== block) {
    state.lastError = { code: 'STEP_FAILED', message: `"${block}" failed.`, block, at: tx.at };
  }
}

/** The result of a block no longer counts: its step, its agents and its gate are to be redone. Documents stay. */
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
