// Measures what runs leave on disk, and how often they wait for the disk.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from '../tests/support/project.mjs';
import { drivePlanning } from './driven.mjs';
import { answer, mean } from './measure.mjs';
import { execution, WAVE } from './plans.mjs';

const GOAL_BYTES = 50_000;
const GOAL_FSYNCS = 3;
const COUNTER = join(CHECKOUT, 'tests/support/loaded.cjs');

/** Carries out plans of two sizes with a commit for each todo, and counts the fsyncs of a planning run. */
export function disk({ rounds }) {
  const sizes = rounds < 30 ? [100, 200] : [200, 1000];
  const fsyncs = fsyncsOfPlanning();
  return {
    title: 'Disk: what the run leaves below .dev, and its fsyncs',
    rows: [
      ...sizes.flatMap((todos) => {
        const { allocated, journal, files } = leftByTodo(todos);
        return [
          [`bytes allocated for a todo, of ${todos}`, GOAL_BYTES, Math.round(allocated)],
          ['  of which the journal', '', Math.round(journal)],
          ['  files', '', Number(files.toFixed(1))],
        ];
      }),
      ['fsyncs of an acknowledgement while planning, the most', GOAL_FSYNCS, Math.max(...fsyncs)],
      ['  mean', '', Number(mean(fsyncs).toFixed(1))],
    ],
  };
}

/** Counts the packages that npm installs besides dev-cli itself. */
export function installed() {
  const { packages } = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8'));
  const runtime = Object.entries(packages).filter(([path, { dev, optional }]) => path !== '' && !dev && !optional);
  return { title: 'Installed size', rows: [['runtime packages', 14, runtime.length]] };
}

/** Measures the bytes and files that each of a plan's todos leaves, from the first dispatch to the last commit. */
function leftByTodo(todos) {
  const { project, directory, prepared } = execution({ todos, tree: 20, writes: true });
  try {
    const before = measured(directory);
    for (let collected = 0; collected < (todos / WAVE) * 2; collected++) answer(project, prepared());
    const after = measured(directory);
    const each = (key) => (after[key] - before[key]) / todos;
    return { allocated: each('allocated'), journal: each('journal'), files: each('files') };
  } finally {
    project.remove();
  }
}

function measured(directory) {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const allocated = entries.map((entry) => lstatSync(join(entry.parentPath, entry.name)).blocks * 512);
  return {
    allocated: allocated.reduce((sum, bytes) => sum + bytes, 0),
    journal: statSync(join(directory, 'events.jsonl')).size,
    files: entries.filter((entry) => !entry.isDirectory()).length,
  };
}

/** Counts the fsyncs that each acknowledgement of a planning run waits for. */
function fsyncsOfPlanning() {
  const scratch = mkdtempSync(join(tmpdir(), 'dev-cli-fsyncs-'));
  const notes = join(scratch, 'loaded.jsonl');
  const counts = [];
  const after = ({ words }) => {
    if (words[0] === 'step') counts.push(JSON.parse(readFileSync(notes, 'utf8').split('\n')[0]).fsyncs);
    rmSync(notes, { force: true });
  };
  try {
    drivePlanning({ after, env: { NODE_OPTIONS: `--require ${COUNTER}`, DEV_CLI_TEST_LOADED: notes } });
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return counts;
}
