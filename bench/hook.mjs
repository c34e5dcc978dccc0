// How long the hook commands that `dev-cli install` writes take when a shell runs them, as a harness would.
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { answer, ratio, Samples, shuffled, spawned, timedFloor } from './measure.mjs';

const SHOWS = 'npm test 2>&1 | tail -40';

/** The cases, each in its own project: the event and its payload, the run's state, the goal, and the exit code. */
const CALLS = {
  'nothing guarded, eight directories below': { event: 'PreToolUse', goal: 0.1, below: 'a/b/c/d/e/f/g/h' },
  'no runs, the other events': { event: 'Stop', goal: 0.1 },
  ...Object.fromEntries(
    ['PreToolUse', 'PostToolUse', 'Stop'].map((event) => [
      `all runs have ended: ${event}`,
      { event, goal: 0.1, run: 'ended' },
    ]),
  ),
  // Even when all runs have ended, the hooks of these events start node: a prompt may begin a new run, and every
  // session start is recorded.
  ...Object.fromEntries(
    ['UserPromptSubmit', 'SessionStart'].map((event) => [
      `all runs have ended: ${event}`,
      { event, goal: 1.6, run: 'ended' },
    ]),
  ),
  'node decides: a source while a run plans': { event: 'PreToolUse', goal: 1.5, exit: 2, run: 'live' },
  'node decides: a document of the plan': {
    event: 'PreToolUse',
    goal: 1.5,
    run: 'live',
    path: '.dev/specs/add-x/DRAFT.md',
  },
  'node decides: a shell command that writes nothing': { event: 'PreToolUse', goal: 1.5, run: 'live', command: SHOWS },
  'nothing to say: a shell command has run': { event: 'PostToolUse', goal: 1.6, run: 'live', command: SHOWS },
  'nothing to say: dev-cli has run': {
    event: 'PostToolUse',
    goal: 1.6,
    run: 'live',
    command: 'dev-cli step fail add-x',
  },
  'nothing to say: a source is written': { event: 'PostToolUse', goal: 1.6, run: 'live' },
  'nothing to say: the agent stops': { event: 'Stop', goal: 1.6, run: 'live' },
  'nothing to say: a prompt': { event: 'UserPromptSubmit', goal: 1.6, run: 'live' },
  'nothing to say: a session goes on that has no run': {
    event: 'SessionStart',
    goal: 1.6,
    run: 'live',
    session: 'other',
  },
};

/** Measures the installed lines when they have something to do, and when they have not. */
export function hook({ rounds }) {
  const samples = new Samples();
  const made = Object.entries(CALLS).map(([kind, call]) => [kind, call, prepare(call)]);
  try {
    for (let round = 0; round < rounds; round++) {
      shuffled([
        () => samples.add('floor', timedFloor(made[0][2].place)),
        ...made.map(
          ([kind, { exit = 0 }, { place, line, payload }]) =>
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

function prepare({ event, run, session = 's', below = '.', path = 'src/a.js', command }) {
  const project = createProject();
  // Links dev-cli as npm does, because the shell script by which tests call it would cost time.
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  symlinkSync(BINARY, join(bin, 'dev-cli'));
  const env = { ...project.env, PATH: `${bin}:${project.env.PATH}` };
  answer(project, ['install', '--harness', 'claude', '--yes']);
  const { hooks } = JSON.parse(readFileSync(join(project.root, '.claude/settings.json'), 'utf8'));
  if (run !== undefined) begin(project, run);
  const root = join(project.root, below);
  mkdirSync(root, { recursive: true });
  const tool =
    command === undefined
      ? { tool_name: 'Write', tool_input: { file_path: join(project.root, path), content: 'x' } }
      : { tool_name: 'Bash', tool_input: { command } };
  const more = { ...tool, prompt: 'Go on.', source: 'resume' };
  const payload = JSON.stringify({ session_id: session, cwd: root, hook_event_name: event, ...more });
  return { project, place: { root, env }, line: hooks[event][0].hooks[0].command, payload };
}

/** Begins a run in the session `s`, and has hooks report the sessions `s` and `other`. */
function begin(project, run) {
  const inSession = { root: project.root, env: { ...project.env, DEV_CLI_SESSION: 's' } };
  answer(inSession, ['init', 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive']);
  for (const id of ['s', 'other']) {
    const payload = JSON.stringify({ session_id: id, cwd: project.root, source: 'startup' });
    answer(project, ['hook', 'session-start', '--harness', 'claude'], payload);
  }
  if (run === 'ended') answer(project, ['abort', 'add-x', '--reason', 'No longer wanted']);
}

function timedLine(place, line, payload, exit) {
  const from = performance.now();
  const { status, stderr } = spawned(place, '/bin/sh', ['-c', line], payload);
  const taken = performance.now() - from;
  if (status !== exit) throw new Error(`exit ${status} instead of ${exit}: ${stderr}`);
  return taken;
}
