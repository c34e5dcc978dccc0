// What the lines that `dev-cli install` puts before a tool cost, as a harness runs them: by a shell.
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { answer, ratio, Samples, shuffled, spawned, timedFloor } from './measure.mjs';

/** Each in a project of its own: what is called, and the exit code that must come of it. */
const CALLS = {
  'nothing guarded, eight directories below': { event: 'PreToolUse', goal: 0.1, exit: 0, below: 'a/b/c/d/e/f/g/h' },
  'no runs, the other events': { event: 'Stop', goal: 0.1, exit: 0 },
  'node decides: a source while a run plans': { event: 'PreToolUse', goal: 1.5, exit: 2, guarded: true },
  'node decides: a document of the plan': {
    event: 'PreToolUse',
    goal: 1.5,
    exit: 0,
    guarded: true,
    path: '.dev/specs/add-x/DRAFT.md',
  },
  'node decides: a shell command that writes nothing': {
    event: 'PreToolUse',
    goal: 1.5,
    exit: 0,
    guarded: true,
    command: 'npm test 2>&1 | tail -40',
  },
};

/** The installed lines, where they have nothing to do and where they have. */
export function hook({ rounds }) {
  const samples = new Samples();
  const made = Object.entries(CALLS).map(([kind, call]) => [kind, call, prepare(call)]);
  try {
    for (let round = 0; round < rounds; round++) {
      shuffled([
        () => samples.add('floor', timedFloor(made[0][2].place)),
        ...made.map(
          ([kind, { exit }, { place, line, payload }]) =>
            () =>
              samples.add(kind, timedLine(place, line, payload, exit)),
        ),
      ]);
    }
  } finally {
    for (const [, , { project }] of made) project.remove();
  }
  const floor = samples.median('floor');
  return {
    title: 'The installed lines of Claude Code, against node -e 0',
    rows: made.map(([kind, { goal }]) => ratio(kind, goal, samples.median(kind), floor)),
  };
}

function prepare({ event, guarded = false, below = '.', path = 'src/a.js', command }) {
  const project = createProject();
  // As npm links it: without the shell that tests put in between.
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  symlinkSync(BINARY, join(bin, 'dev-cli'));
  const env = { ...project.env, PATH: `${bin}:${project.env.PATH}` };
  answer(project, ['install', '--harness', 'claude', '--yes']);
  const { hooks } = JSON.parse(readFileSync(join(project.root, '.claude/settings.json'), 'utf8'));
  if (guarded) answer(project, ['init', 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive']);
  const root = join(project.root, below);
  mkdirSync(root, { recursive: true });
  const tool =
    command === undefined
      ? { tool_name: 'Write', tool_input: { file_path: join(project.root, path), content: 'x' } }
      : { tool_name: 'Bash', tool_input: { command } };
  const payload = JSON.stringify({ session_id: 's', cwd: root, hook_event_name: event, ...tool });
  return { project, place: { root, env }, line: hooks[event][0].hooks[0].command, payload };
}

function timedLine(place, line, payload, exit) {
  const from = performance.now();
  const { status, stderr } = spawned(place, '/bin/sh', ['-c', line], payload);
  const taken = performance.now() - from;
  if (status !== exit) throw new Error(`exit ${status} instead of ${exit}: ${stderr}`);
  return taken;
}
