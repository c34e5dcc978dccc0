import type { MachineEvent } from '../../../src/machine/events.js';
import { findCurrentBlock, findOutcome, findRestingState, type Position } from '../../../src/machine/position.js';
import type { Program, ProgramBlock } from '../../../src/machine/program.js';
import { ABORT, choose, countersOf, DONE, EMPTY_ROUND, FAIL, FILLED_ROUND, HALT, invalidate } from './programs.js';

/** Returns the events that a position accepts according to the design, implemented independently of the machine. */
export function allowedEvents(program: Program, position: Position): MachineEvent[] {
  const outcome = findOutcome(position);
  if (outcome === 'completed' || outcome === 'aborted') return [];
  const reopen = reachedNow(program, position).map(invalidate);
  return outcome === 'halted' ? [...reopen, ABORT] : [...progress(program, position), FAIL, HALT, ABORT, ...reopen];
}

/** Lists the blocks up to the current one, or the one at which the run halted, without init. */
export function reachedNow(program: Program, position: Position): string[] {
  const here = program.blocks.findIndex(({ id }) => Object.hasOwn(Object(position.value), `block-${id}`));
  return program.blocks.slice(0, here + 1).flatMap(({ id, standsForInit }) => (standsForInit ? [] : [id]));
}

/** Returns the events by which the current block's work proceeds; FAIL, HALT, ABORT and INVALIDATE do not count. */
export function progress(program: Program, position: Position): MachineEvent[] {
  const block = program.blocks.find(({ id }) => id === findCurrentBlock(position));
  if (block === undefined) return [];
  if (findRestingState(position)?.state === 'bound') return ['continue', 'more', 'stop'].map(choose);
  const { jumps } = countersOf(position, block.id);
  const choices = block.choices.filter(({ target }) => target.kind !== 'goto' || jumps < (block.maxRounds ?? 0));
  return [
    ...(block.choices.length === 0 ? [DONE] : choices.map(({ id }) => choose(id))),
    ...(loops(block) ? [EMPTY_ROUND, FILLED_ROUND] : []),
  ];
}

/** Lists every event that a program could be given, allowed or not. */
export function alphabet(program: Program): MachineEvent[] {
  const ids = [...program.blocks.map(({ id }) => id), 'nobody', 'completed'];
  const choices = program.blocks.flatMap(({ choices: offered }) => offered.map(({ id }) => id));
  return [
    DONE,
    FAIL,
    HALT,
    ABORT,
    EMPTY_ROUND,
    FILLED_ROUND,
    ...ids.map(invalidate),
    ...[...new Set([...choices, 'continue', 'more', 'stop', 'nothing'])].map(choose),
  ];
}

function loops({ kind, revise }: ProgramBlock): boolean {
  return kind === 'llm-loop' || kind === 'subagent-loop' || (kind === 'cli' && revise !== undefined);
}

/**
 * Returns the maximum number of events in a run without the events that have no limit: invalidates, the choice `more`,
 * and failed rounds that filled something. A block needs events for its rounds and, each time it is entered, for its
 * retries; each time it leads back, the blocks from its target on need theirs once more.
 */
export function longestRun(program: Program): number {
  const costs: number[] = [];
  for (const [index, block] of program.blocks.entries()) {
    const back = [
      ...block.choices.flatMap(({ target }) => (target.kind === 'goto' ? [target.block] : [])),
      block.revise,
    ]
      .map((target) => program.blocks.findIndex(({ id }) => id === target))
      .filter((target) => target >= 0);
    const rounds = block.maxRounds ?? 0;
    const again = costs.slice(Math.min(index, ...back)).reduce((sum, cost) => sum + cost, 0);
    const retries = block.onError.kind === 'retry' ? block.onError.max : 0;
    const stays = back.length === 0 ? 1 : rounds + 1;
    costs.push(stays * (2 * retries + 2) + rounds + (stays - 1) * again);
  }
  return costs.reduce((sum, cost) => sum + cost, 0);
}
