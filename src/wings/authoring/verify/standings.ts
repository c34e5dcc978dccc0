import type { MachineEvent } from '../../../machine/events.js';
import type { Program } from '../../../machine/program.js';
import { changeCounts, type Learned, type Left } from './learned.js';
import { type Counts, type ExactRounds, keyStanding, NOTHING_SPENT, reduceStanding, type Standing } from './place.js';

/** A standing that an exploration has reached: one object, shared by all states that have it. */
export interface KnownStanding extends Standing {
  /** Counted from 0, in the order in which they were reached. */
  number: number;
  /** Which bounds of the resting block are not exhausted. */
  left: Left;
}

/** The result of a step. */
export interface Stood {
  standing: KnownStanding;
  /** How often the step is taken: the rounds that exhaust a loop are combined. */
  times: number;
}

/**
 * The standings of an exploration, without duplicates, and the results of steps from them; states with the same
 * standing share these.
 */
export class Standings {
  readonly #known = new Map<string, KnownStanding>();
  readonly #after = new Map<Learned, Map<Standing | null, Stood>>();

  constructor(
    readonly program: Program,
    readonly exact: ExactRounds,
  ) {}

  /** @param before null at the beginning, like `event` */
  follow(before: Standing | null, event: MachineEvent | null, learned: Learned): Stood {
    const bySource = this.#after.get(learned) ?? new Map<Standing | null, Stood>();
    this.#after.set(learned, bySource);
    const known = bySource.get(before) ?? this.#find(before, event, learned);
    bySource.set(before, known);
    return known;
  }

  #find(before: Standing | null, event: MachineEvent | null, learned: Learned): Stood {
    const counts = applyChange(before?.counts ?? new Map(), learned);
    const times = before === null || event === null ? 1 : this.#spendRounds(before, event, learned, counts);
    const standing = reduceStanding(this.program, { place: learned.to, counts }, this.exact);
    const key = keyStanding(standing);
    const known = this.#known.get(key) ?? { ...standing, number: this.#known.size, left: this.#findLeft(standing) };
    this.#known.set(key, known);
    return { standing: known, times };
  }

  /** Combines all rounds of a loop before the last. Returns how many they are. */
  #spendRounds({ place }: Standing, event: MachineEvent, { to }: Learned, counts: Map<number, Counts>): number {
    const { revise, maxRounds = 1 } = this.program.blocks[place.block] ?? {};
    const own = counts.get(place.block);
    const isAgain = event.type === 'ROUND' && !event.filled && to.block === place.block && to.state === 'active';
    const isExact = this.exact.has(place.block);
    if (!isAgain || isExact || revise !== undefined || own === undefined || own.spent >= maxRounds) return 1;
    counts.set(place.block, { ...own, spent: maxRounds });
    return maxRounds - own.spent + 1;
  }

  #findLeft({ place, counts }: Standing): Left {
    const { maxRounds = 0, onError } = this.program.blocks[place.block] ?? { onError: { kind: 'halt' } as const };
    const { spent, retries, jumps } = counts.get(place.block) ?? NOTHING_SPENT;
    return {
      rounds: spent < maxRounds,
      retries: onError.kind === 'retry' && retries < onError.max,
      jumps: jumps < maxRounds,
    };
  }
}

function applyChange(counts: Standing['counts'], { change }: Learned): Map<number, Counts> {
  const after = new Map(counts);
  for (const [block, how] of change) after.set(block, changeCounts(counts.get(block) ?? NOTHING_SPENT, how));
  return after;
}
