// What a call takes with 10, 1,000 and 10,000 todos (engine.md, Scale), in time and in memory.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY } from '../tests/support/project.mjs';
import { run, Samples, shuffled, timed, timedCall } from './measure.mjs';
import { execution, NAME } from './plans.mjs';

const SIZES = [10, 1000, 10_000];
/** Waves before the first that counts: a run that has just begun has its whole plan in the journal's last line. */
const BEFORE = 3;
/** Full waves of a run of ten todos; after them it is begun anew. */
const WAVES_OF_TEN = 2;

const PEAK = `process.on('exit', () => require('node:fs').writeFileSync(process.env.BENCH_PEAK, String(process.resourceUsage().maxRSS)));`;

/**
 * The least that a call can do with a state of that size: read and parse it, write it and make it durable. A separate
 * process, measured in the same rounds.
 */
const LEAST = `
const fs = require('node:fs');
const [, path, copy] = process.argv;
const state = JSON.parse(fs.readFileSync(path, 'utf8'));
const file = fs.openSync(copy, 'w');
fs.writeSync(file, JSON.stringify(state, null, 1));
fs.fsyncSync(file);
`;

/** Without commits. */
export function scale({ rounds }) {
  return {
    title: 'Executions of large plans without commits, against the same call with 10 todos',
    rows: rowsOf({ rounds, goals: [1.5, 3.5], place: {} }),
  };
}

/** Like `scale`, with a commit for each todo. */
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

/** Hands in the results of four workers, then of their judges; a run of ten todos is begun anew before it ends. */
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

/** Returns the megabytes that collecting the results of workers takes. */
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
