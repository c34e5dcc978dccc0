import type { MachineEvent } from '../../../machine/events.js';
import type { Program } from '../../../machine/program.js';
import { changeCounts, type Learned, type Left } from './learned.js';
import { type Counts, type ExactRounds, keyStanding, NOTHING_SPENT, reduceStanding, type Standing } from './place.js';

/** A standing that an exploration has met: one object for all states that have it. */
export interface KnownStanding extends Standing {
  /** From 0, in the order in which they were met. */
  number: number;
  /** What the bounds of the resting block still allow. */
  left: Left;
}

/** Where a step leads. */
export interface Stood {
  standing: KnownStanding;
  /** How often the step is taken: the rounds of a loop that leave one are taken together. */
  times: number;
}

/** The standings of an exploration, each once, with where each step leads from it: states that share one share that, too. */
export class Standings {
  readonly #known = new Map<string, KnownStanding>();
  readonly #after = new Map<Learned, Map<Standing | null, Stood>>();

  constructor(
    readonly program: Program,
    readonly exact: ExactRounds,
  ) {}

  /** @param before null at the beginning, as `event` is */
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

  /** Takes all rounds of a loop but the last at once. Returns how many that are. */
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
