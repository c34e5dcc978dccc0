/** Repeatable randomness: the same seed gives the same sequence. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  unit(): number;
  /** A whole number from 0 (inclusive) to `below` (exclusive). */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** Creates a generator with the algorithm mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(unit() * bound);
  return {
    unit,
    below,
    chance: (probability) => unit() < probability,
    pick: (list) => list[below(list.length)] as (typeof list)[0],
  };
}

/** Reads a whole number from an environment variable. */
export function numberFrom(variable: string, otherwise: number): number {
  const text = process.env[variable];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${variable} is no whole number: ${text}`);
  return value;
}

/** The environment variable that holds the seed; the same seed repeats all random choices. */
export const SEED = 'DEV_CLI_TEST_SEED';

/** Returns the seed of this test run; `setup` prints it at the start (build.ts). */
export function chosenSeed(): number {
  return numberFrom(SEED, Math.floor(Math.random() * 2 ** 31));
}
