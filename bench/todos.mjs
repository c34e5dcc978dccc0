// What a call takes with 10, 1,000 and 10,000 todos (engine.md, Scale), in time and in memory.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { BINARY } from '../tests/support/project.mjs';
import { median } from './call.mjs';
import { execution } from './plans.mjs';

/** Calls of each kind; odd, so that a median is one of them. */
const ROUNDS = 11;
/** Acknowledgements before the first that counts: a run that has just begun has its whole plan in the journal's last line. */
const BEFORE = 6;
const KINDS = ['next', 'workers acknowledged', 'verifiers acknowledged'];
const GOALS = { 10: '', 1000: 1.5, 10000: 3 };

/**
 * The least that a call could do with a state of that size: read and parse it; for an acknowledgement also write it out and
 * make it durable. A process like any other, measured in the same rounds.
 */
const FLOOR = `
const fs = require('node:fs');
const [, path, writes] = process.argv;
const state = JSON.parse(fs.readFileSync(path, 'utf8'));
if (writes === 'true') {
  const file = fs.openSync(path + '.floor', 'w');
  fs.writeSync(file, JSON.stringify(state, null, 1));
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(path + '.floor', path + '.measured');
}
`;

const PEAK = `process.on('exit', () => require('node:fs').writeFileSync(process.env.BENCH_PEAK, String(process.resourceUsage().maxRSS)));`;

export function manyTodos() {
  const runs = Object.keys(GOALS).map((todos) => ({ todos: Number(todos), ...execution(Number(todos)) }));
  try {
    return { title: 'Executions of large plans, against the same call with 10 todos', rows: rowsOf(runs) };
  } finally {
    for (const { project } of runs) project.remove();
  }
}

function rowsOf(runs) {
  for (const run of runs.slice(1)) for (let n = 0; n < BEFORE; n++) called(run, run.prepared());
  const taken = runs.map(() => KINDS.map(() => ({ times: [], floors: [] })));
  for (let round = 0; round < ROUNDS; round++) {
    runs.forEach((run, index) => {
      once(run, (now, words, kind) => {
        taken[index][kind].times.push(called(now, words));
        taken[index][kind].floors.push(timed(now, floor(now, kind)));
      });
    });
  }
  const peaks = runs.map((run) => {
    const found = [];
    once(run, (now, words, kind) => found.push([peakOf(now, [BINARY, ...words]), peakOf(now, floor(now, kind))]));
    return found;
  });
  return KINDS.flatMap((what, kind) =>
    runs.flatMap(({ todos }, index) => {
      const time = (at) => median(taken[at][kind].times);
      const [[smallPeak], [peak, leastPeak]] = [peaks[0][kind], peaks[index][kind]];
      return [
        row(`${what}, ${todos} todos`, todos, [time(0), time(index), median(taken[index][kind].floors)], 'ms'),
        row('  peak memory', todos, [smallPeak, peak, leastPeak], 'MB'),
      ];
    }),
  );
}

/** One call of each kind. Ten todos would be done before all rounds are: they are begun anew. */
function once(run, look) {
  const now = run.todos === 10 ? execution(10) : run;
  for (const kind of KINDS.keys()) look(now, kind === 0 ? ['next', now.name] : now.prepared(), kind);
  if (now !== run) now.project.remove();
}

/** @param least what a process takes that only reads, and writes, such a state */
function row(what, todos, [small, value, least], unit) {
  return [
    `${what}  (${value.toFixed(0)} ${unit})`,
    GOALS[todos],
    value / small,
    { unit: '×', floor: `floor ${(least / small).toFixed(2)}× (${least.toFixed(0)} ${unit})` },
  ];
}

function floor({ project, name }, kind) {
  return ['-e', FLOOR, join(project.root, '.dev/specs', name, 'state.json'), String(kind > 0)];
}

function peakOf({ project }, words) {
  const [hook, peak] = ['peak.cjs', 'peak'].map((file) => join(project.home, file));
  writeFileSync(hook, PEAK);
  run(project, ['--require', hook, ...words], { BENCH_PEAK: peak });
  return Number(readFileSync(peak, 'utf8')) / 1024;
}

function called(now, words) {
  return timed(now, [BINARY, ...words]);
}

/** Milliseconds that a process took. */
function timed({ project }, words) {
  const from = performance.now();
  run(project, words);
  return performance.now() - from;
}

function run(project, words, more = {}) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = { ...project.env, ...more };
  const options = { cwd: project.root, env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 };
  const child = spawnSync(process.execPath, words, options);
  if (child.status !== 0) throw new Error(`${words.slice(-6).join(' ')}: ${child.stdout}${child.stderr}`);
}
