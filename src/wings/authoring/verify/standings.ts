import type { MachineEvent } from '../../../machine/events.js';
import type { Program } from '../../../machine/program.js';
import { changeCounts, type LearnedTransition, type RemainingBounds } from './learned.js';
import {
  type CountedPlace,
  type Counts,
  type ExactRounds,
  keyCountedPlace,
  NOTHING_SPENT,
  reduceCountedPlace,
} from './place.js';

/** A standing (place and counters) that an exploration has reached: one object, shared by all states that have it. */
export interface KnownPlace extends CountedPlace {
  /** Counted from 0, in the order in which they were reached. */
  number: number;
  /** Which bounds of the resting block are not exhausted. */
  left: RemainingBounds;
}

/** The result of a step. */
export interface PlaceStep {
  standing: KnownPlace;
  /** How often the step is taken in a row: once, unless it stands for all rounds of a loop before the last. */
  times: number;
}

/**
 * The standings of an exploration, without duplicates, and the results of steps from them; states with the same
 * standing share its results.
 */
export class KnownPlaces {
  readonly #known = new Map<string, KnownPlace>();
  readonly #after = new Map<LearnedTransition, Map<CountedPlace | null, PlaceStep>>();

  constructor(
    readonly program: Program,
    readonly exact: ExactRounds,
  ) {}

  /** Returns the standing after a step. @param before where the step begins; null at the beginning, like `event` */
  follow(before: CountedPlace | null, event: MachineEvent | null, learned: LearnedTransition): PlaceStep {
    const bySource = this.#after.get(learned) ?? new Map<CountedPlace | null, PlaceStep>();
    this.#after.set(learned, bySource);
    const known = bySource.get(before) ?? this.#find(before, event, learned);
    bySource.set(before, known);
    return known;
  }

  #find(before: CountedPlace | null, event: MachineEvent | null, learned: LearnedTransition): PlaceStep {
    const counts = applyChange(before?.counts ?? new Map(), learned);
    const times = before === null || event === null ? 1 : this.#spendRounds(before, event, learned, counts);
    const standing = reduceCountedPlace(this.program, { place: learned.to, counts }, this.exact);
    const key = keyCountedPlace(standing);
    const known = this.#known.get(key) ?? { ...standing, number: this.#known.size, left: this.#findLeft(standing) };
    this.#known.set(key, known);
    return { standing: known, times };
  }

  /** Combines the rounds of a loop before the last into one step. Returns how many rounds it combines. */
  #spendRounds(
    { place }: CountedPlace,
    event: MachineEvent,
    { to }: LearnedTransition,
    counts: Map<number, Counts>,
  ): number {
    const { revise, maxRounds = 1 } = this.program.blocks[place.block] ?? {};
    const own = counts.get(place.block);
    const isAgain = event.type === 'ROUND' && !event.filled && to.block === place.block && to.state === 'active';
    const isExact = this.exact.has(place.block);
    if (!isAgain || isExact || revise !== undefined || own === undefined || own.spent >= maxRounds) return 1;
    counts.set(place.block, { ...own, spent: maxRounds });
    return maxRounds - own.spent + 1;
  }

  #findLeft({ place, counts }: CountedPlace): RemainingBounds {
    const { maxRounds = 0, onError } = this.program.blocks[place.block] ?? { onError: { kind: 'halt' } as const };
    const { spent, retries, jumps } = counts.get(place.block) ?? NOTHING_SPENT;
    return {
      rounds: spent < maxRounds,
      retries: onError.kind === 'retry' && retries < onError.max,
      jumps: jumps < maxRounds,
    };
  }
}

function applyChange(counts: CountedPlace['counts'], { change }: LearnedTransition): Map<number, Counts> {
  const after = new Map(counts);
  for (const [block, how] of change) after.set(block, changeCounts(counts.get(block) ?? NOTHING_SPENT, how));
  return after;
}
