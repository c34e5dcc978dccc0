// Records the golden runs of this release (tests/golden/README.md). Run by hand, once per release.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StandIn } from '../tests/support/agent.mjs';
import { simpleCrew } from '../tests/support/crew.mjs';
import { addRemote, installGh } from '../tests/support/forge.mjs';
import { contentOf, GOLDEN, save } from '../tests/support/golden.mjs';
import { CHECKOUT, createProject } from '../tests/support/project.mjs';
import { SMALL_CREW, smallPlan } from '../tests/support/small.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';

const NAME = 'add-jwt-auth';
/** Holds project and package at a path that is the same on every machine, because prompts and journals contain it. */
const PLACE = '/srv/dev-cli-golden';
const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'));
const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  cwd: CHECKOUT,
  encoding: 'utf8',
});
const shipped = JSON.parse(packed)[0].files.map(({ path }) => path);

const EXTERNAL = 'external-command';
const EXTERNAL_RECIPE = `name: ${EXTERNAL}
type: sequential
skill: specify
mode: { depth: quick, interaction: autopilot }
blocks:
  - id: think
    type: llm
    instruction: Think about it; nothing is to be written.
  - id: outside
    type: cli
    command: sleep 3
    onError: { retry: { max: 2 } }
  - id: last
    type: llm
    instruction: Last step, nothing to write.
`;

const ADAPTATION = {
  reason: 'Nothing of the plan says who wrote the file.',
  category: 'robustness',
  todo: {
    title: 'Say who wrote it',
    files: ['made/todo-3-d1.txt'],
    steps: ['Write the name into a file beside it.'],
    mustNotDo: [],
    acceptance: [{ kind: 'assertion', text: 'The file is there.' }],
  },
};
const FINDING = {
  verdict: 'NEEDS_FIXES',
  issues: [
    { file: 'made/todo-2.txt', line: 1, severity: 'major', description: 'Nobody can tell what the line is for.' },
  ],
  summary: 'One finding.',
};

if (findTerminal() === null) throw new Error(NO_TERMINAL);
if (existsSync(join(GOLDEN, version)))
  throw new Error(`tests/golden/${version} is there: golden runs are never replaced`);
if (existsSync(PLACE)) throw new Error(`${PLACE} is there: move it away first`);

const PLANNING = {
  'specify-standard-interactive': ['partial-evidence', 'review-pending', 'gate-pending', 'after-revise', 'completed'],
  'specify-standard-autopilot': ['partial-evidence', 'review-pending', 'completed'],
  'specify-quick-interactive': [
    'fresh',
    'interview-round-2',
    'review-pending',
    'gate-pending',
    'after-revise',
    'completed',
  ],
  'specify-quick-autopilot': ['fresh', 'review-pending', 'completed'],
};
for (const [recipe, moments] of Object.entries(PLANNING)) inProject((project) => planned(project, recipe, moments));
inProject((project) => stopped(project, 'specify-quick-interactive'));
inProject((project) => aborted(project, 'specify-standard-autopilot'));
await interrupted();

const INTERACTIVE = ['gate-pending', 'wave-out', 'human-pending', 'retried-and-adapted', 'needs-fixes', 'completed'];
inProject((project) => carriedOut(project, 'execute-standard', INTERACTIVE));
inProject((project) => oneRefused(project, 'execute-standard'));
inProject((project) => failed(project, 'execute-standard'));
inProject((project) => abandoned(project, 'execute-standard'));
inProject((project) => carriedOut(project, 'execute-quick', ['wave-out', 'completed']));
inProject((project) => failed(project, 'execute-quick'));
inProject((project) => carriedOut(project, 'execute-hardened', ['scan-out', 'risky-gate-pending', 'completed']));
inProject((project) => withoutRemote(project, 'open-pr'));
inProject((project) => allPhases(project, 'ultrawork', false, ['after-skipped-phase', 'completed']));
inProject((project) => allPhases(project, 'ultrawork-autopilot', true, ['second-phase', 'completed']));

/** Creates a project, and beside it a copy of the package, which the project's `dev-cli` runs. */
function makeProject() {
  const project = createProject({ at: PLACE, sample: null });
  const copy = join(PLACE, 'package');
  for (const part of shipped) cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(copy, 'node_modules'));
  const shim = join(PLACE, 'bin/dev-cli');
  writeFileSync(shim, readFileSync(shim, 'utf8').replace(CHECKOUT, copy));
  return project;
}

/** Runs `work` in a new project, then removes the project, because the next one needs the same path. */
function inProject(work) {
  const project = makeProject();
  try {
    return work(project);
  } finally {
    project.remove();
  }
}

/** Drives a run to its end. Saves the run each time it reaches one of the `moments` for the first time. */
function keepAt(moments, momentOf, recipe, options, begin) {
  const left = new Set(moments);
  const onCall = (call, action) => {
    const moment = momentOf(call, action);
    if (left.delete(moment)) keep(agent, recipe, moment);
  };
  const agent = new StandIn({ ...options, name: NAME, onCall });
  const done = agent.drive(begin(agent));
  if (done.outcome !== 'completed') throw new Error(`${recipe} ended ${done.outcome}`);
  if (left.size > 0) throw new Error(`${recipe} never came to ${[...left]}`);
}

/** Plans with a missing output, two rounds of interview and a first plan that is rejected. */
function planned(project, recipe, moments) {
  const scenario = { leaveOut: 'code-explorer-1', twoRounds: true, rejectPlan: true };
  keepAt(moments, momentOfPlanning, recipe, { project, scenario }, (agent) => agent.start(`--recipe ${recipe}`));
}

function momentOfPlanning(call, action) {
  if (call.command.startsWith('dev-cli init')) return 'fresh';
  if (call.exit === 3) return 'partial-evidence';
  if (call.typed?.[0] === 'revise') return 'after-revise';
  if (action?.block === 'interview' && action.round === 2) return 'interview-round-2';
  if (action?.block === 'review') return 'review-pending';
  if (action?.block === 'approve-plan') return 'gate-pending';
  return action?.done === true ? 'completed' : null;
}

/** Makes a halted run: a person answers a gate with stop. */
function stopped(project, recipe) {
  const agent = new StandIn({ project, name: NAME, scenario: { before: ({ block }) => stopAt(block) } });
  const gate = agent.drive(agent.start(`--recipe ${recipe}`));
  const stop = gate.choices?.find(({ id }) => id === 'stop');
  if (stop === undefined) throw new Error(`${gate.block} cannot be stopped`);
  agent.run(stop.ack);
  keep(agent, recipe, 'halted');
}

function stopAt(block) {
  return block === 'decision-confirm' ? 'stop' : undefined;
}

function aborted(project, recipe) {
  const agent = new StandIn({ project, name: NAME });
  agent.step(agent.start(`--recipe ${recipe}`));
  agent.run(`dev-cli abort ${NAME} --reason 'no longer wanted'`);
  keep(agent, recipe, 'aborted');
}

/** Makes a run whose external command is interrupted: its runner and the command are killed. */
async function interrupted() {
  const project = makeProject();
  try {
    mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
    writeFileSync(join(project.root, `.dev/recipes/${EXTERNAL}.yaml`), EXTERNAL_RECIPE);
    findTerminal()(`dev-cli trust ${EXTERNAL}`, { cwd: project.root, env: project.env, answers: ['y'] });
    const answering = { ...project, env: { ...project.env, DEV_CLI_ANSWER_WITHIN: '0' } };
    const agent = new StandIn({ project: answering, name: NAME });
    const running = agent.step(agent.start(`--recipe ${EXTERNAL}`));
    const started = join(project.root, dirname(running.commands[0].log), 'started.json');
    while (!existsSync(started)) await sleep(20);
    const { pid, pgid } = JSON.parse(readFileSync(started, 'utf8'));
    keep(agent, EXTERNAL, 'interrupted', running);
    // Kills the runner first, so that it cannot record how its command ended.
    for (const target of [pid, -pgid]) process.kill(target, 'SIGKILL');
  } finally {
    project.remove();
  }
}

/** Carries out a plan in which an attempt fails, a todo is added, and the code review finds something. */
function carriedOut(project, recipe, moments) {
  generatePlan(project);
  const crew = troubledCrew(project.root);
  keepAt(moments, momentOfExecution, recipe, { project, crew }, (agent) => agent.execute(`--recipe ${recipe}`));
}

function momentOfExecution(_call, action) {
  if (action === null) return null;
  if (action.done === true) return 'completed';
  if (action.action !== 'wait-for-user') return momentOfTasks(action.tasks ?? []);
  if (action.todoId === undefined) return 'gate-pending';
  return action.choices.some(({ id }) => id === 'pass') ? 'human-pending' : 'risky-gate-pending';
}

function momentOfTasks(tasks) {
  const [first] = tasks;
  if (first?.substep === 'securityScan') return 'scan-out';
  if (first?.substep !== 'worker') return null;
  if (first.todoId.startsWith('fix-')) return 'needs-fixes';
  if (tasks.length === 1) return null;
  return tasks.some(({ todoId }) => todoId.endsWith('-d1')) ? 'retried-and-adapted' : 'wave-out';
}

/**
 * Creates a crew whose judge asks for an additional todo and whose code review finds a fault, each until the file that
 * settles it exists in `root`.
 */
function troubledCrew(root) {
  const made = (id) => existsSync(join(root, `made/${id}.txt`));
  return {
    ...SMALL_CREW,
    judge: (task, _root, prompt) => {
      const verdict = SMALL_CREW.judge(task, root, prompt);
      const more = task.substep === 'verify' && task.todoId === 'todo-3' && !made('todo-3-d1');
      return more ? { ...verdict, suggestedAdaptation: ADAPTATION } : verdict;
    },
    review: () => (made('fix-r1-1') ? SMALL_CREW.review(root) : FINDING),
  };
}

/** Makes a run in which one of two results is invalid and the other one is collected. */
function oneRefused(project, recipe) {
  generatePlan(project);
  const before = ({ tasks = [] }) => (tasks.length > 1 ? 'stop' : undefined);
  const agent = new StandIn({ project, name: NAME, crew: SMALL_CREW, scenario: { before } });
  const wave = agent.drive(agent.execute(`--recipe ${recipe} --autopilot`));
  const [good, bad] = wave.tasks;
  agent.task(good);
  agent.write(bad.output, '{ "status": "MAYBE" }\n');
  const { answer, stdout } = agent.run(wave.ack);
  if (answer.next.running.length !== 1) throw new Error(`a result that is none was taken: ${stdout}`);
  keep(agent, recipe, 'one-refused');
}

/** Makes a halted run: a worker gives up. */
function failed(project, recipe) {
  generatePlan(project);
  const result = {
    status: 'BLOCKED',
    outputs: {},
    filesChanged: [],
    learnings: [],
    issues: [],
    summary: 'Not done.',
    reason: 'The service that this needs is down.',
  };
  const crew = simpleCrew({
    worker: (task, root) => (task.todoId === 'todo-2' ? { files: {}, result } : SMALL_CREW.worker(task, root)),
  });
  const agent = new StandIn({ project, name: NAME, crew });
  const done = agent.drive(agent.execute(`--recipe ${recipe} --autopilot`));
  if (done.outcome !== 'halted') throw new Error(`${recipe} ended ${done.outcome}`);
  keep(agent, recipe, 'halted');
}

function abandoned(project, recipe) {
  generatePlan(project);
  const agent = new StandIn({ project, name: NAME, crew: SMALL_CREW });
  agent.step(agent.execute(`--recipe ${recipe} --autopilot`));
  agent.run(`dev-cli abort ${NAME} --reason 'no longer wanted'`);
  keep(agent, recipe, 'aborted');
}

function withoutRemote(project, recipe) {
  generatePlan(project);
  addRemote(project);
  installGh(project);
  const agent = new StandIn({ project, name: NAME });
  const description = agent.execute(`--recipe ${recipe}`);
  keep(agent, recipe, 'description-pending');
  execFileSync('git', ['remote', 'remove', 'origin'], { cwd: project.root, env: project.env });
  const done = agent.step(description);
  if (done.outcome !== 'halted') throw new Error(`${recipe} ended ${done.outcome}`);
  keep(agent, recipe, 'halted');
}

/**
 * Drives a workflow through all its phases.
 * @param pullRequest whether it opens a pull request; `init` then requires the remote and `gh` from the beginning
 */
function allPhases(project, workflow, pullRequest, moments) {
  if (pullRequest) {
    addRemote(project);
    installGh(project);
  }
  const options = { project, crew: SMALL_CREW, scenario: { plan: smallPlan() } };
  const flags = `--workflow ${workflow} --set pull_request=${pullRequest}`;
  keepAt(moments, momentOfWorkflow, workflow, options, (agent) => agent.start(flags));
}

function momentOfWorkflow(_call, action) {
  if (action?.done === true) return 'completed';
  if (action?.block === 'describe') return 'second-phase';
  return action?.block === 'execution-engine' ? 'after-skipped-phase' : null;
}

/** Creates the plan, as `plan generate` does for a name without a run. */
function generatePlan(project) {
  const { exit, stdout } = new StandIn({ project }).run(
    `dev-cli plan generate ${NAME} --data - <<'PLAN'\n${JSON.stringify(smallPlan())}\nPLAN`,
  );
  if (exit !== 0) throw new Error(stdout);
}

/** Saves the run. @param next its pending action; required if `dev-cli next` would change the run */
function keep(agent, recipe, moment, next = undefined) {
  const { project, calls } = agent;
  const content = contentOf(project.root);
  const asked = next ?? new StandIn({ project, name: NAME }).run(`dev-cli next ${NAME}`).answer;
  const init = calls[0].command;
  save({ version, recipe, moment, name: NAME, init, root: project.root, next: asked, ...content });
  console.log(`${recipe}.${moment}`);
}

rmSync(PLACE, { recursive: true, force: true });
