// Times calls as whole processes, from start to end, because that is how long an agent waits.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { BINARY } from '../tests/support/project.mjs';

/** Printed below every table. */
export const NOTE = `Times are of whole processes. The kinds of a round follow each other in an order that chance chooses anew for each round;
a figure is the median of its kind over all rounds, a mean is that of such medians over the calls of a whole run. The floor is
\`node -e 0\`, called in the same rounds, and its median stands beside. NODE_EXTRA_CA_CERTS is unset: it would add to every start of
node and flatter the ratios. All projects share one directory for compiled code, where Node keeps such. Run it twice before you believe a small difference.`;

/** @typedef {{ root: string, env: NodeJS.ProcessEnv }} Place the directory and environment in which a process runs */

/**
 * Runs one process, and returns the milliseconds that it took.
 * @param {Place} place
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} [input] its standard input
 */
export function timed(place, program, args, input) {
  const from = performance.now();
  run(place, program, args, input);
  return performance.now() - from;
}

/** Returns how long a node process takes to do nothing, in milliseconds. */
export const timedFloor = (place) => timed(place, process.execPath, ['-e', '0']);

/** Runs a dev-cli command, and returns the milliseconds that it took. */
export const timedCall = (place, words, input) => timed(place, process.execPath, [BINARY, ...words], input);

/** Returns the output of a dev-cli command. */
export const answer = (place, words, input) => run(place, process.execPath, [BINARY, ...words], input);

/**
 * Runs one process, and returns its output.
 * @throws Error if it fails
 */
export function run(place, program, args, input) {
  const { status, stdout, stderr } = spawned(place, program, args, input);
  if (status === 0) return stdout;
  throw new Error(`${[program, ...args].slice(-8).join(' ')}: exit ${status} ${stdout}${stderr}`);
}

/** The directory where Node caches compiled code (house.md, Speed); all projects share it, as a user's projects do. */
const cache = mkdtempSync(join(tmpdir(), 'dev-cli-bench-'));
process.on('exit', () => rmSync(cache, { recursive: true }));

/** Runs one process to its end, even if it fails. */
export function spawned({ root, env }, program, args, input) {
  const { NODE_EXTRA_CA_CERTS: _, ...others } = env;
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  const around = { cwd: root, env: { ...others, XDG_CACHE_HOME: cache }, stdio, input };
  return spawnSync(program, args, { ...around, encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Collects measured milliseconds by kind. */
export class Samples {
  #taken = new Map();

  add(kind, milliseconds) {
    this.#taken.set(kind, [...(this.#taken.get(kind) ?? []), milliseconds]);
  }

  /** @returns {string[]} the kinds, in the order in which they were first measured */
  kinds() {
    return [...this.#taken.keys()];
  }

  median(kind) {
    return median(this.#taken.get(kind) ?? []);
  }

  /** Returns the mean of these kinds' medians: how long the average call in a whole run takes. */
  mean(kinds) {
    return mean(kinds.map((kind) => this.median(kind)));
  }
}

/**
 * Runs each function once, in random order.
 * @param {readonly (() => void)[]} works
 */
export function shuffled(works) {
  for (const work of inAnyOrder(works)) work();
}

/**
 * Measures each kind once per round, in random order.
 * @param {Samples} samples
 * @param {Readonly<Record<string, () => number>>} works by kind, a function that returns measured milliseconds
 * @param {number} rounds
 */
export function sampleRounds(samples, works, rounds) {
  const entries = Object.entries(works);
  for (let round = 0; round < rounds; round++)
    shuffled(
      entries.map(
        ([kind, work]) =>
          () =>
            samples.add(kind, work()),
      ),
    );
}

/** Runs asynchronous functions one at a time, in random order. @param {readonly (() => Promise<void>)[]} works */
export async function shuffledByTurns(works) {
  for (const work of inAnyOrder(works)) await work();
}

function inAnyOrder(works) {
  const left = [...works];
  return works.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}

/** @param {readonly number[]} values */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param {readonly number[]} values */
function median(values) {
  if (values.length === 0) throw new Error('a median of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Builds a table row that shows one time as a multiple of another; both are in milliseconds.
 * @param {string} what
 * @param {number | ''} goal the highest acceptable multiple
 */
export function ratio(what, goal, taken, floor) {
  const shown = `${what}  (${taken.toFixed(1)} ms)`;
  return [shown, goal, taken / floor, { unit: '×', floor: `floor ${floor.toFixed(1)} ms` }];
}
