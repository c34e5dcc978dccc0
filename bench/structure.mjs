// Counts the source files that a reader has to open to follow a call, and how often the reader changes rooms. After a
// build, `node bench/structure.mjs` prints a table; `--walk` also prints the files in the order in which each call
// enters them. Measures a small run, with programs whose functions report their calls (bench/instrument.mjs).
//
// Definitions:
// - A file in src/ is *entered* when one of its functions is called. Code run while modules are evaluated does not
//   count, and neither do constructors and generated files.
// - The *walk* of a call lists the functions that it calls, in the order of their first calls. For each, a reader goes
//   first to its caller and then to the function; code after an `await` belongs to the function that awaits.
// - A *change of rooms* is a step in that walk, to a caller or to a function, into another directory of src/.
// - Some figures leave the functions of `ANSWERING` rooms out of the walk. If such a function calls a callback, the
//   callback counts as called by the nearest function up the call chain that is in the walk.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKOUT, createProject } from '../tests/support/project.mjs';
import { buildInstrumented } from './instrument.mjs';

const PROGRAMS = { cli: 'cli/main.ts', next: 'cli/questions/next.ts' };
const BUILT = join(CHECKOUT, 'node_modules/.cache/dev-cli-structure');

/** Rooms whose functions just answer any caller, so that a reader need not open them: their names say what they do. */
const ANSWERING = ['base', 'documents', 'plan', 'registry', 'recipe', 'machine'];

/** One block for each measured kind of acknowledgement. */
const RECIPE = `
name: three-steps
type: sequential
skill: specify
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: colour, type: llm, instruction: Choose a colour., choices: [red, blue] }
  - { id: think, type: llm, instruction: Think about it; nothing is to be written. }
  - { id: look, type: subagent, agents: [{ type: code-explorer, id: one, prompt: Look., output: findings/one.md }] }
  - { id: last, type: llm, instruction: Last step; nothing is to be written. }
`;
const FINDING = '---\nagent: one\ntimestamp: 2026-01-31T09:30:00Z\nsummary: Found.\n---\n\n## Found\n\nNothing.\n';

/** Goals for `step complete --choice`: files entered, and changes of rooms without answering rooms. */
const GOAL = { files: 75, changes: 30 };

await buildInstrumented(PROGRAMS, BUILT);
const walks = walked();
console.log(row('', 'files', 'changes of rooms', '… without those that only answer'));
for (const [what, calls] of Object.entries(walks)) {
  console.log(
    row(
      what,
      filesOf(calls).size,
      changes(calls, () => true),
      changes(calls, isNoAnswer),
    ),
  );
}
console.log(row('goal of the first', GOAL.files, '', GOAL.changes));
if (process.argv.includes('--walk')) for (const [what, calls] of Object.entries(walks)) printWalk(what, calls);

/** Drives a run, and returns for each measured command the function calls that it made. */
function walked() {
  const project = createProject();
  const traced = (program, ...args) => {
    const notes = join(project.home, 'trace.json');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', join(CHECKOUT, 'bench/trace.cjs'), join(BUILT, `${program}.cjs`), ...args],
      { cwd: project.root, env: { ...project.env, DEV_CLI_BENCH_TRACE: notes }, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status} ${stdout}${stderr}`);
    return { answer: JSON.parse(stdout), calls: JSON.parse(readFileSync(notes, 'utf8')) };
  };
  const complete = ({ answer }, ...more) =>
    traced('cli', 'step', 'complete', 'one', '--action', answer.next.actionId, ...more);
  const start = (...args) => traced('cli', 'init', ...args, '--goal', 'Add JWT auth', '--new');
  try {
    put(join(project.root, '.dev/recipes/three-steps.yaml'), RECIPE);
    const begun = start('one', '--recipe', 'three-steps');
    const asked = traced('next', 'next', 'one');
    const chosen = complete(begun, '--choice', 'red');
    const dispatched = complete(chosen);
    put(join(project.root, dispatched.answer.next.agents[0].output), FINDING);
    const delivered = complete(dispatched);
    return {
      'step complete --choice': chosen.calls,
      'step complete, an output was written': delivered.calls,
      next: asked.calls,
    };
  } finally {
    project.remove();
  }
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function filesOf(calls) {
  return new Set(calls.map(({ file }) => file));
}

function roomOf({ file }) {
  return dirname(file).split('/')[0];
}

function isNoAnswer(call) {
  return !ANSWERING.includes(roomOf(call));
}

/** Counts the changes of rooms. @param {(call: object) => boolean} counts whether a call is part of the walk */
function changes(calls, counts) {
  const rooms = [];
  const seen = new Set();
  for (const call of calls.filter(counts)) {
    const id = `${call.file} ${call.name}`;
    if (seen.has(id)) continue;
    seen.add(id);
    const caller = callerOf(call, calls, counts);
    rooms.push(...(caller === undefined ? [] : [roomOf(caller)]), roomOf(call));
  }
  return rooms.filter((room, index) => index > 0 && room !== rooms[index - 1]).length;
}

function callerOf(call, calls, counts) {
  let caller = calls[call.caller];
  while (caller !== undefined && !counts(caller)) caller = calls[caller.caller];
  return caller;
}

/**
 * Prints each file once, where the call first enters it, indented below the file that called it. The names of its
 * functions follow in the order of their calls.
 */
function printWalk(what, calls) {
  console.log(`\n${what}`);
  const depths = new Map();
  let above = [];
  for (const { file, caller } of calls) {
    if (depths.has(file)) continue;
    const from = calls[caller]?.file;
    const depth = from === undefined ? 0 : depths.get(from) + 1;
    depths.set(file, depth);
    const functions = new Set(calls.filter((call) => call.file === file).map(({ name }) => name));
    const named = [...functions].filter((name) => !name.endsWith('…'));
    const elsewhere = depth > 0 && above[depth - 1] !== from ? `  (called by ${from})` : '';
    console.log(`${'  '.repeat(depth + 1)}${file}  ${named.join(', ')}${elsewhere}`);
    above = [...above.slice(0, depth), file];
  }
}

function row(what, files, all, without) {
  return `${what.padEnd(40)}${String(files).padStart(6)}${String(all).padStart(18)}${String(without).padStart(34)}`;
}
