// The time and memory that a call takes with 10, 1,000 and 10,000 todos (engine.md, Scale).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY } from '../tests/support/project.mjs';
import { run, Samples, shuffled, timed, timedCall } from './measure.mjs';
import { execution, NAME } from './plans.mjs';

const SIZES = [10, 1000, 10_000];
/**
 * Waves that are not measured. In the first calls of a run, the journal's last line contains the whole plan, which
 * would slow them down.
 */
const BEFORE = 3;
/** Full waves in a run of ten todos; after them, a new run is begun. */
const WAVES_OF_TEN = 2;

const PEAK = `process.on('exit', () => require('node:fs').writeFileSync(process.env.BENCH_PEAK, String(process.resourceUsage().maxRSS)));`;

/**
 * Script that does the least that a call must do with such a state: read it, parse it, and write it durably. It runs as
 * a separate process in the same rounds.
 */
const LEAST = `
const fs = require('node:fs');
const [, path, copy] = process.argv;
const state = JSON.parse(fs.readFileSync(path, 'utf8'));
const file = fs.openSync(copy, 'w');
fs.writeSync(file, JSON.stringify(state, null, 1));
fs.fsyncSync(file);
`;

/** Measures executions of large plans without commits. */
export function scale({ rounds }) {
  return {
    title: 'Executions of large plans without commits, against the same call with 10 todos',
    rows: rowsOf({ rounds, goals: [1.5, 3.5], place: {} }),
  };
}

/** Like `scale`, but with a commit for each todo. */
export function scaleWithCommits({ rounds }) {
  return {
    title: 'Executions of large plans with commits, against the same call with 10 todos',
    rows: rowsOf({ rounds, goals: [1.2, 1.6], place: { tree: 20, writes: true } }),
  };
}

function rowsOf({ rounds, goals, place }) {
  const runs = SIZES.map((todos) => begin(todos, place));
  try {
    for (const large of runs.slice(1)) for (let wave = 0; wave < BEFORE; wave++) oneWave(large, () => {});
    const samples = new Samples();
    for (let round = 0; round < rounds; round++) {
      shuffled(runs.map((each) => () => timedWave(each, samples)));
    }
    const peaks = runs.map(peakOf);
    const least = (todos) => `least ${samples.median(`least ${todos}`).toFixed(0)} ms`;
    return SIZES.slice(1).flatMap((todos, index) => [
      ...['workers', 'judges'].map((kind) =>
        row(
          `${kind} collected, ${todos} todos`,
          goals[index],
          [10, todos].map((n) => samples.median(`${kind} ${n}`)),
          {
            unit: 'ms',
            floor: kind === 'workers' ? least(todos) : '',
          },
        ),
      ),
      row(
        `next, ${todos} todos`,
        goals[index],
        [10, todos].map((n) => samples.median(`next ${n}`)),
        { unit: 'ms' },
      ),
      row(`  peak memory, workers collected`, '', [peaks[0], peaks[index + 1]], { unit: 'MB' }),
    ]);
  } finally {
    for (const { now } of runs) now.project.remove();
  }
}

function begin(todos, place) {
  return { todos, begun: () => execution({ todos, ...place }), now: execution({ todos, ...place }), waves: 0 };
}

/**
 * Hands in the results of four workers, then of their judges. A run of ten todos is replaced by a new one before it
 * runs out of todos.
 */
function oneWave(each, collect) {
  if (each.todos === 10 && each.waves >= WAVES_OF_TEN) {
    each.now.project.remove();
    each.now = each.begun();
    each.waves = 0;
  }
  each.waves += 1;
  for (const kind of ['workers', 'judges']) collect(kind, each.now.prepared());
}

function timedWave(each, samples) {
  oneWave(each, (kind, words) => {
    const { project, directory } = each.now;
    if (kind === 'workers') {
      samples.add(`next ${each.todos}`, timedCall(project, ['next', NAME]));
      const least = ['-e', LEAST, join(directory, 'state.json'), join(project.home, 'least')];
      samples.add(`least ${each.todos}`, timed(project, process.execPath, least));
    }
    samples.add(`${kind} ${each.todos}`, timedCall(project, words));
  });
}

/** Returns the peak memory, in megabytes, of collecting four workers' results. */
function peakOf(each) {
  let found = 0;
  oneWave(each, (kind, words) => {
    const { project } = each.now;
    const [hook, peak] = ['peak.cjs', 'peak'].map((file) => join(project.home, file));
    writeFileSync(hook, PEAK);
    const env = { ...project.env, BENCH_PEAK: peak };
    run({ root: project.root, env }, process.execPath, ['--require', hook, BINARY, ...words]);
    if (kind === 'workers') found = Number(readFileSync(peak, 'utf8')) / 1024;
  });
  return found;
}

function row(what, goal, [small, value], { unit, floor = '' }) {
  return [`${what}  (${value.toFixed(0)} ${unit})`, goal, value / small, { unit: '×', floor }];
}
