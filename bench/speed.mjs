// How long calls take: start to end of a process, as an agent waits for it, against a node that does nothing.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { CHECKOUT, createProject } from '../tests/support/project.mjs';
import { answer, call, median, timed } from './call.mjs';
import { growJournal } from './journal.mjs';

/** Calls of each kind; odd, so that a median is one of them. */
const ROUNDS = 41;
const WRITES = join(CHECKOUT, 'bench/writes.cjs');
const LIBRARIES = join(CHECKOUT, 'bench/libraries.mjs');
const GOAL_CALL = { next: 1.65, 'step complete': 1.65, manifest: 1.5, 'status --json': 1.5 };

export const NOTE = `Times: whole processes, each kind once per round, ${ROUNDS} rounds, medians; the floor is \`node -e 0\` in the same rounds and its
median stands beside. NODE_EXTRA_CA_CERTS is unset: it would add to every start of node and flatter the ratios. A busy machine
spreads single calls far more than medians of interleaved ones; run it twice before you believe a small difference.
The writes alone are a node that makes the files of such a commit durable in their order (storage.md, A commit) and does nothing else: no
acknowledgement can be faster than that without keeping less. With libraries, XState, the JSON Patch and node:crypto are loaded
too, bundled as dev-cli is, and each is used once: no acknowledgement on those can be faster.`;

/** The bounds of parts that are not there yet (house.md, Speed). */
export function notYet() {
  const rows = [
    ['a hook through node, against node -e 0', 1.5, null],
    ['the guard where nothing is guarded, against node -e 0', 0.1, null],
    ['recipe verify of a recipe of 12 blocks, in seconds', 0.5, null],
  ];
  return { title: 'Not measured, because it is not there yet', rows };
}

/** The hot commands on a fresh run, whole safe path. */
export function times() {
  return withRun((project, name) => {
    const sizes = sizesOfCommit(project, name);
    const libraries = bundled(LIBRARIES, join(project.home, 'libraries.cjs'));
    const found = rounds(project, {
      next: () => call(project, 'next', name),
      manifest: () => call(project, 'manifest', name),
      'status --json': () => call(project, 'status', name, '--json'),
      'step complete': acknowledging(project, name),
      writes: () => timed(project, [WRITES, join(project.home, 'writes'), ...sizes]),
      libraries: () => timed(project, [libraries, join(project.home, 'writes'), ...sizes]),
    });
    const rows = Object.entries(GOAL_CALL).map(([kind, goal]) => ratio(kind, goal, found[kind], found.node));
    return {
      title: `Time of a call against node -e 0`,
      rows: [
        ...rows,
        ratio('  its writes and fsyncs alone', '', found.writes, found.node),
        ratio('  those with the libraries alone', '', found.libraries, found.node),
        ratio('  step complete against those two', '', found['step complete'], found.libraries),
      ],
    };
  });
}

/** One file of it and all that it imports, made as those of dist/ are. */
function bundled(entry, outfile) {
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    logLevel: 'error',
  });
  return outfile;
}

/** What the last commit of documents wrote, in bytes: the journal's line, state.json, each document. */
function sizesOfCommit(project, name) {
  const directory = join(project.root, '.dev/specs', name);
  const lines = readFileSync(join(directory, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  const line = lines.findLast((text) => JSON.parse(text).files.length > 0) ?? '';
  const contents = JSON.parse(line).files.flatMap(({ after }) => (after === null ? [] : [`objects/${after}`]));
  const documents = ['state.json', ...contents].map((path) => statSync(join(directory, path)).size);
  return [line.length + 1, ...documents].map(String);
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
