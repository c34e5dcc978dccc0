// How long calls take: start to end of a process, as an agent waits for it, against a node that does nothing.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { BINARY, CHECKOUT, createProject } from '../tests/support/project.mjs';
import { growJournal } from './journal.mjs';

/** Calls of each kind; odd, so that a median is one of them. */
const ROUNDS = 41;
const GOAL_CALL = { next: 1.65, 'step complete': 1.65, manifest: 1.5, 'status --json': 1.5 };

export const NOTE = `Times: whole processes, each kind once per round, ${ROUNDS} rounds, medians; the floor is \`node -e 0\` in the same rounds and its
median stands beside. NODE_EXTRA_CA_CERTS is unset: it would add to every start of node and flatter the ratios. A busy machine
spreads single calls far more than medians of interleaved ones; run it twice before you believe a small difference.
Not measured, because it is not there yet: the guard, hooks, recipe verify, runs of 1,000 and 10,000 todos.`;

/** The hot commands on a fresh run, whole safe path. */
export function times() {
  return withRun((project, name) => {
    const found = rounds(project, {
      next: () => call(project, 'next', name),
      manifest: () => call(project, 'manifest', name),
      'status --json': () => call(project, 'status', name, '--json'),
      'step complete': acknowledging(project, name),
    });
    const rows = Object.entries(GOAL_CALL).map(([kind, goal]) => ratio(kind, goal, found[kind], found.node));
    return { title: `Time of a call against node -e 0`, rows };
  });
}

/** A long life: a draft of 1 MB, 100,000 entries in the journal. */
export function longLives() {
  const draft = withRun((project, name) => {
    const path = join(project.root, '.dev/specs', name, 'DRAFT.md');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('## ', `${'A line of a long draft.\n'.repeat(44_000)}\n## `),
    );
    return lives(project, name);
  });
  const journal = withRun((project, name) => {
    growJournal(join(project.root, '.dev/specs', name), 100_000);
    return lives(project, name);
  });
  const fresh = withRun((project, name) => lives(project, name));
  const rows = [
    ['next, a draft of 1 MB', 2, draft.next],
    ['next, 100,000 entries', 2, journal.next],
    ['step complete, a draft of 1 MB', '', draft.acknowledged],
    ['step complete, 100,000 entries', '', journal.acknowledged],
  ].map(([what, goal, taken]) => ratio(what, goal, taken, what.startsWith('next') ? fresh.next : fresh.acknowledged));
  return { title: 'A long life against the same call on a fresh run', rows };
}

function lives(project, name) {
  const { next, acknowledged } = rounds(project, {
    next: () => call(project, 'next', name),
    acknowledged: acknowledging(project, name),
  });
  return { next, acknowledged };
}

/** What npm installs beside dev-cli itself. */
export function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8'));
  const runtime = Object.entries(packages).filter(([path, { dev, optional }]) => path !== '' && !dev && !optional);
  return { title: 'Installed size', rows: [['runtime packages', 14, runtime.length]] };
}

/** `what` as a multiple of `floor`, both in milliseconds. */
function ratio(what, goal, taken, floor) {
  return [
    `${what}  (${taken.toFixed(1)} ms)`,
    goal,
    taken / floor,
    { unit: '×', floor: `floor ${floor.toFixed(1)} ms` },
  ];
}

/** Medians of each kind and of a node that does nothing, one of each in every round. */
function rounds(project, kinds) {
  const all = { node: () => timed(project, ['-e', '0']), ...kinds };
  const taken = Object.fromEntries(Object.keys(all).map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [kind, measure] of Object.entries(all)) taken[kind].push(measure());
  }
  return Object.fromEntries(Object.entries(taken).map(([kind, values]) => [kind, median(values)]));
}

function call(project, ...args) {
  return timed(project, [BINARY, ...args]);
}

/** Acknowledges the first action of a run again and again: between two measured calls the run goes back to it. */
function acknowledging(project, name) {
  let actionId = JSON.parse(answer(project, ['next', name])).actionId;
  return () => {
    const taken = call(project, 'step', 'complete', name, '--action', actionId, '--choice', 'Feature');
    actionId = JSON.parse(answer(project, ['step', 'invalidate', name, '--step', 'classify-intent'])).next.actionId;
    return taken;
  };
}

function withRun(work) {
  const project = createProject();
  try {
    const name = 'add-auth';
    answer(project, ['init', name, '--recipe', 'specify-standard-autopilot', '--goal', 'Add JWT auth to the API']);
    return work(project, name);
  } finally {
    project.remove();
  }
}

function answer(project, args) {
  const options = { cwd: project.root, env: quiet(project.env), encoding: 'utf8' };
  const child = spawnSync(process.execPath, [BINARY, ...args], options);
  if (child.status !== 0) throw new Error(`${args.join(' ')}: ${child.stdout}${child.stderr}`);
  return child.stdout;
}

/** Milliseconds that one node process took. */
function timed(project, args) {
  const options = { cwd: project.root, env: quiet(project.env), stdio: ['ignore', 'pipe', 'pipe'] };
  const from = performance.now();
  const child = spawnSync(process.execPath, args, options);
  const taken = performance.now() - from;
  if (child.status !== 0) throw new Error(`${args.join(' ')}: exit ${child.status} ${child.stdout}${child.stderr}`);
  return taken;
}

function quiet(env) {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = env;
  return rest;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
