import { expect } from 'vitest';

/**
 * Guards against quadratic work, without a bound of time: what is judged is compared with something in the same process
 * that is known to be cheap, by processor time and the least of several tries, so that a slow or a busy machine makes
 * both sides slower.
 */

/** By how much the input grows. */
const GROWTH = 64;

/**
 * What growing input may cost. A linear reader shows `GROWTH`, and up to some 200 where only the large input leaves the
 * caches and wakes the collector of garbage; a quadratic one shows the square, 4096.
 */
const LINEAR = 512;
const TRIES = 3;

/**
 * Expects that `act` takes no longer for input of this size than linear work would, judged by a 64th of it. The small
 * input counts as at least `size` plain steps, because shorter times say more about the clock than about `act`.
 * @param make makes the input; not measured
 */
export function expectLinear<Input>(
  make: (size: number) => Input,
  act: (input: Input) => unknown,
  size: number,
  what?: string,
): void {
  const [small, large] = [make(Math.ceil(size / GROWTH)), make(size)];
  const floor = Math.max(
    leastTimeOf(() => act(small)),
    leastTimeOf(() => step(size)),
  );
  expectBelow(LINEAR, floor, () => act(large), what);
}

/** Expects that `act` takes less than so many times the processor time of `floor`. */
export function expectWithin(times: number, floor: () => unknown, act: () => unknown, what?: string): void {
  expectBelow(times, leastTimeOf(floor), act, what);
}

/** Tries again only what was too slow: most is not, and what is judged takes the longest. */
function expectBelow(times: number, floor: number, act: () => unknown, what?: string): void {
  let ratio = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < TRIES && ratio >= times; tried += 1) ratio = Math.min(ratio, timeOf(act) / floor);
  expect(ratio, what).toBeLessThan(times);
}

function leastTimeOf(act: () => unknown): number {
  return Math.min(...Array.from({ length: TRIES }, () => timeOf(act)));
}

/** Returns the processor time of a call in microseconds. */
function timeOf(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}

const STEPS = new Uint8Array(1024);

function step(times: number): void {
  for (let at = 0; at < times; at += 1) STEPS[at % STEPS.length] = at;
}
