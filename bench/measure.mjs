// Times calls as whole processes, from start to end, as an agent waits for them.
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

/** @typedef {{ root: string, env: NodeJS.ProcessEnv }} Place where a process runs */

/**
 * Returns the milliseconds that one process took.
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

/** Returns the milliseconds of a node process that does nothing. */
export const timedFloor = (place) => timed(place, process.execPath, ['-e', '0']);

/** Returns the milliseconds that a command of dev-cli took. */
export const timedCall = (place, words, input) => timed(place, process.execPath, [BINARY, ...words], input);

/** Returns the output of a dev-cli command. */
export const answer = (place, words, input) => run(place, process.execPath, [BINARY, ...words], input);

/**
 * Returns the output of one process.
 * @throws Error when it fails
 */
export function run(place, program, args, input) {
  const { status, stdout, stderr } = spawned(place, program, args, input);
  if (status === 0) return stdout;
  throw new Error(`${[program, ...args].slice(-8).join(' ')}: exit ${status} ${stdout}${stderr}`);
}

/** The directory where Node caches compiled code (house.md, Speed), shared by all projects, as a user's is. */
const cache = mkdtempSync(join(tmpdir(), 'dev-cli-bench-'));
process.on('exit', () => rmSync(cache, { recursive: true }));

/** Runs one process to its end, whatever its exit code. */
export function spawned({ root, env }, program, args, input) {
  const { NODE_EXTRA_CA_CERTS: _, ...others } = env;
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  const around = { cwd: root, env: { ...others, XDG_CACHE_HOME: cache }, stdio, input };
  return spawnSync(program, args, { ...around, encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Milliseconds by kind. */
export class Samples {
  #taken = new Map();

  add(kind, milliseconds) {
    this.#taken.set(kind, [...(this.#taken.get(kind) ?? []), milliseconds]);
  }

  /** @returns {string[]} in the order in which each kind was first measured */
  kinds() {
    return [...this.#taken.keys()];
  }

  median(kind) {
    return median(this.#taken.get(kind) ?? []);
  }

  /** Returns the mean of the medians of these kinds: the time of an average call of a whole run. */
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
 * @param {Readonly<Record<string, () => number>>} works milliseconds, by kind
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

/** Like `shuffled`, for asynchronous work, one after the other. @param {readonly (() => Promise<void>)[]} works */
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
 * Builds a row of a table: a time as a multiple of another, both in milliseconds.
 * @param {string} what
 * @param {number | ''} goal the highest wanted multiple
 */
export function ratio(what, goal, taken, floor) {
  const shown = `${what}  (${taken.toFixed(1)} ms)`;
  return [shown, goal, taken / floor, { unit: '×', floor: `floor ${floor.toFixed(1)} ms` }];
}
