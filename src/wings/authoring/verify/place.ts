import { isLoop } from '../../../machine/defects.js';
import type { BlockState, FinalState, findRestingState, Position } from '../../../machine/position.js';
import type { Program, ProgramBlock } from '../../../machine/program.js';
import { hasTrait } from '../../../recipe/declared.js';
import type { ResolvedBlock } from '../../../recipe/resolved.js';

/** Where the machine rests, without its counters. */
export interface MachinePlace {
  value: Position['value'];
  /** The index of the block; the number of blocks if the run has ended for good. */
  block: number;
  state: BlockState | FinalState;
}

/** Converts a position to its place. */
export function readPlace(
  { value }: Position,
  resting: ReturnType<typeof findRestingState>,
  index: ReadonlyMap<string, number>,
): MachinePlace {
  if (resting === null) return { value, block: index.size, state: value as FinalState };
  return { value, block: index.get(resting.block) as number, state: resting.state };
}

/**
 * Returns whether a run waits at a block, for somebody or for an external command; dev-cli's own commands end at once.
 */
export function isPending(block: ResolvedBlock): boolean {
  return !hasTrait(block, 'by', 'cli') || block.command.kind === 'external';
}

/** How much of its bounds a block has used up. */
export interface Counts {
  /** Rounds that count toward the bound. */
  spent: number;
  retries: number;
  jumps: number;
  /** Rounds begun, if a condition reads them. */
  rounds: number;
}

/** Returns whether any counter of a block has a bound. */
export function hasBoundedCounter(block: ProgramBlock): boolean {
  return isLoop(block) || block.onError.kind === 'retry' || leadsBack(block);
}

function leadsBack({ choices }: ProgramBlock): boolean {
  return choices.some(({ target }) => target.kind === 'goto');
}

/** Counters of a block that has used up nothing. */
export const NOTHING_SPENT: Counts = { spent: 0, retries: 0, jumps: 0, rounds: 0 };

/** A standing: where the machine rests, with the counters that transitions from there may read. */
export interface CountedPlace {
  place: MachinePlace;
  /** By block. A block that is missing has used up nothing, or its counters are reset before anything reads them. */
  counts: ReadonlyMap<number, Counts>;
}

/**
 * The blocks whose number of rounds a condition reads, each with the highest number that any condition distinguishes.
 */
export type ExactRounds = ReadonlyMap<number, number>;

/**
 * Drops the counters that are reset before anything reads them: those of earlier blocks, because going back to a block
 * resets its counters; retries of blocks that are not entered yet; rounds and jumps without a bound.
 */
export function reduceCountedPlace(
  program: Program,
  { place, counts }: CountedPlace,
  exact: ExactRounds,
): CountedPlace {
  const kept = new Map<number, Counts>();
  if (place.state !== 'active' && place.state !== 'bound') return { place, counts: kept };
  for (const [index, own] of counts) {
    const block = program.blocks[index];
    const most = exact.get(index);
    const isBehind = index < place.block;
    if (block === undefined || (isBehind && most === undefined)) continue;
    const bounds = isBehind ? NOTHING_SPENT : reduceBounds(block, own, index === place.block, most !== undefined);
    const reduced = { ...bounds, rounds: Math.min(own.rounds, most ?? 0) };
    if (Object.values(reduced).some((count) => count !== 0)) kept.set(index, reduced);
  }
  return { place, counts: kept };
}

function reduceBounds(
  block: ProgramBlock,
  { spent, retries, jumps }: Counts,
  isResting: boolean,
  isExact: boolean,
): Omit<Counts, 'rounds'> {
  const counted = isLoop(block) ? spent : 0;
  return {
    spent: isExact ? counted : reduceRounds(block, counted),
    retries: isResting && block.onError.kind === 'retry' ? retries : 0,
    jumps: leadsBack(block) ? jumps : 0,
  };
}

/**
 * For a loop without `revise`, it only matters whether rounds are left, because everything that can happen in the
 * second round can happen in every later one except the last.
 */
function reduceRounds({ revise, maxRounds = 1 }: ProgramBlock, spent: number): number {
  if (revise !== undefined) return spent;
  return spent >= maxRounds ? maxRounds : Math.min(spent, 1);
}

/** Returns a key that is equal for equal standings. */
export function keyCountedPlace({ place, counts }: CountedPlace): string {
  const spent = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([index, { spent: counted, retries, jumps, rounds }]) => `${index}:${counted}.${retries}.${jumps}.${rounds}`);
  return `${place.block} ${place.state} ${spent.join(' ')}`;
}

/** Returns the standing that a position of a run corresponds to, without the counters that do not matter. */
export function readCountedPlace(
  program: Program,
  position: Position,
  resting: ReturnType<typeof findRestingState>,
  exact: ExactRounds,
): CountedPlace {
  const index = new Map(program.blocks.map(({ id }, at) => [id, at]));
  const counts = new Map(
    Object.entries(position.counters).map(([id, { round, roundBase, retries, jumps }]): [number, Counts] => [
      index.get(id) as number,
      { spent: round - roundBase, retries, jumps, rounds: round },
    ]),
  );
  return reduceCountedPlace(program, { place: readPlace(position, resting, index), counts }, exact);
}
