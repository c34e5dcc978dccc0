// Records the golden runs of this release (tests/golden/README.md). Run by hand, once, when a release is made.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StandIn } from '../tests/support/agent.mjs';
import { filesOf, GOLDEN, save } from '../tests/support/golden.mjs';
import { CHECKOUT, createProject } from '../tests/support/project.mjs';
import { SPECIFY_RECIPES } from '../tests/support/recipes.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';

const NAME = 'add-jwt-auth';
/** Prompt files name the root, so it is made where it says nothing of the machine. */
const PLACE = '/srv/dev-cli-golden';
const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'));

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

if (findTerminal() === null) throw new Error(NO_TERMINAL);
if (existsSync(join(GOLDEN, version)))
  throw new Error(`tests/golden/${version} is there: golden runs are never replaced`);
if (existsSync(PLACE)) throw new Error(`${PLACE} is there: move it away first`);

for (const recipe of SPECIFY_RECIPES) inProject((project) => wholeWay(project, recipe));
inProject((project) => stopped(project, 'specify-quick-interactive'));
inProject((project) => aborted(project, 'specify-standard-autopilot'));
await interrupted();

/** Each run has the place to itself. */
function inProject(work) {
  const project = createProject({ at: PLACE });
  try {
    return work(project);
  } finally {
    project.remove();
  }
}

/** A run with a missing output, two rounds of interview and a rejected plan, kept at each of these moments. */
function wholeWay(project, recipe) {
  const seen = new Set();
  const onCall = (call, action) => {
    const moment = momentOf(call, action);
    if (moment === null || seen.has(moment)) return;
    seen.add(moment);
    keep(project, recipe, moment);
  };
  const scenario = { leaveOut: 'code-explorer-1', twoRounds: true, rejectPlan: true };
  const agent = new StandIn({ project, name: NAME, onCall, scenario });
  const done = agent.drive(agent.start(`--recipe ${recipe}`));
  if (done.outcome !== 'completed') throw new Error(`${recipe} ended ${done.outcome}`);
}

function momentOf(call, action) {
  if (call.command.startsWith('dev-cli init')) return 'fresh';
  if (call.exit === 3) return 'partial-evidence';
  if (call.command.includes('--choice revise')) return 'after-revise';
  if (action?.block === 'interview' && action.round === 2) return 'interview-round-2';
  if (action?.block === 'review') return 'review-pending';
  if (action?.block === 'approve-plan') return 'gate-pending';
  return action?.done === true ? 'completed' : null;
}

/** The person says stop at a gate: a halted run. */
function stopped(project, recipe) {
  const agent = new StandIn({ project, name: NAME, scenario: { before: ({ block }) => stopAt(block) } });
  const gate = agent.drive(agent.start(`--recipe ${recipe}`));
  const stop = gate.choices?.find(({ id }) => id === 'stop');
  if (stop === undefined) throw new Error(`${gate.block} cannot be stopped`);
  agent.run(stop.ack);
  keep(project, recipe, 'halted');
}

function stopAt(block) {
  return block === 'decision-confirm' ? 'stop' : undefined;
}

function aborted(project, recipe) {
  const agent = new StandIn({ project, name: NAME });
  agent.step(agent.start(`--recipe ${recipe}`));
  agent.run(`dev-cli abort ${NAME} --reason 'no longer wanted'`);
  keep(project, recipe, 'aborted');
}

/** An external command whose runner dies under it. */
async function interrupted() {
  const project = createProject({ at: PLACE });
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
    keep(project, EXTERNAL, 'interrupted', running);
    // The runner first, so that it cannot tell how its command ended.
    for (const target of [pid, -pgid]) process.kill(target, 'SIGKILL');
  } finally {
    project.remove();
  }
}

/** @param next the pending action, where asking for it would change the run */
function keep(project, recipe, moment, next = undefined) {
  const files = filesOf(project.root);
  const asked = next ?? new StandIn({ project, name: NAME }).run(`dev-cli next ${NAME}`).answer;
  save({ version, recipe, moment, name: NAME, root: project.root, next: asked, files });
  console.log(`${recipe}.${moment}`);
}

rmSync(PLACE, { recursive: true, force: true });
