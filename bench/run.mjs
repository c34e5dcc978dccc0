// npm run bench: the figures that a user and an agent feel. Nothing is asserted here; the limits stand beside.
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { StandIn } from '../tests/support/agent.mjs';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { SPECIFY_RECIPES } from '../tests/support/recipes.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';

const ROUNDS = 40;
const STANDARD = '--recipe specify-standard-interactive';

if (findTerminal() === null) {
  console.error(`The bench goes through a human gate, and ${NO_TERMINAL}.`);
  process.exit(1);
}
const sections = [allGoesWell, muchGoesWrong, manifests, times];
for (const section of sections) print(section());

/** (a) and (c): what one planning run makes the main agent read. */
function allGoesWell() {
  const { calls, answers, files, all, tokens } = drive(STANDARD, {});
  return {
    title: 'Planning, all goes well (specify-standard-interactive)',
    rows: [
      ['calls', 10, calls],
      ['bytes of answers', 11_000, answers],
      ['bytes of everything the main agent reads', 40_000, all],
      ['  of which files named in read', '', files],
      ['tokens of everything (characters / 4)', '', tokens],
    ],
  };
}

/** (b): the same with trouble. */
function muchGoesWrong() {
  const scenario = { twoRounds: true, leaveOut: 'gap-analyzer', rejectFirstReview: true, compactedAt: 'analyze-full' };
  const { calls, answers, injected, all } = drive(STANDARD, scenario);
  return {
    title: 'Two-round interview, a missing output, a rejected plan, a compaction',
    rows: [
      ['calls, the manifest injected by a hook', 14, calls],
      ['calls, the agent runs the manifest itself', '', calls + 1],
      ['bytes of answers', 15_000, answers],
      ['bytes of answers and of the manifest', 15_000, answers + injected],
      ['bytes of everything the main agent reads', '', all],
    ],
  };
}

/** (d): the largest manifest of each shipped recipe. */
function manifests() {
  const rows = SPECIFY_RECIPES.map((recipe) => {
    let largest = { tokens: 0, block: '' };
    drive(`--recipe ${recipe}`, {
      before: (action, agent) => {
        const { stdout } = agent.run(`dev-cli manifest ${agent.name}`, { injected: true });
        const tokens = Math.ceil(stdout.length / 4);
        if (tokens > largest.tokens) largest = { tokens, block: action.block };
      },
    });
    return [`${recipe}, at ${largest.block}`, 1500, largest.tokens];
  });
  return { title: 'Largest manifest, tokens (characters / 4)', rows };
}

/** (e): start to end of one process against a node that does nothing, interleaved, medians. */
function times() {
  const project = createProject();
  try {
    const call = (...args) => timed(project, [BINARY, ...args]);
    const kinds = {
      node: [],
      next: [],
      manifest: [],
      'status --json': [],
      'step complete': [],
    };
    const acks = prepareRuns(project);
    for (const [name, action] of acks) {
      kinds.node.push(timed(project, ['-e', '0']));
      kinds.next.push(call('next', name));
      kinds.manifest.push(call('manifest', name));
      kinds['status --json'].push(call('status', name, '--json'));
      kinds['step complete'].push(call('step', 'complete', name, '--action', action, '--choice', 'Feature'));
    }
    const floor = median(kinds.node);
    const limits = { next: 1.65, 'step complete': 1.65, manifest: 1.5, 'status --json': 1.5 };
    const rows = Object.entries(limits).map(([kind, limit]) => {
      const taken = median(kinds[kind]);
      return [
        kind,
        `${limit.toFixed(2)}×`,
        `${(taken / floor).toFixed(2)}×  (${taken.toFixed(1)} ms)`,
        `${floor.toFixed(1)} ms`,
      ];
    });
    return { title: `Time against node -e 0, medians of ${ROUNDS}, NODE_EXTRA_CA_CERTS unset`, rows };
  } finally {
    project.remove();
  }
}

/** As many fresh runs as rounds, each waiting for the acknowledgement of its first action. */
function prepareRuns(project) {
  return Array.from({ length: ROUNDS }, (_, index) => {
    const name = `run-${index + 1}`;
    const args = [BINARY, 'init', name, '--recipe', 'specify-standard-autopilot', '--goal', 'Add JWT auth to the API'];
    const child = spawnSync(process.execPath, args, { cwd: project.root, env: project.env, encoding: 'utf8' });
    if (child.status !== 0) throw new Error(`init: ${child.stdout}${child.stderr}`);
    return [name, JSON.parse(child.stdout).next.actionId];
  });
}

/** Milliseconds that one node process took. */
function timed(project, args) {
  const from = performance.now();
  const child = spawnSync(process.execPath, args, {
    cwd: project.root,
    env: project.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const taken = performance.now() - from;
  if (child.status !== 0) throw new Error(`${args.join(' ')}: exit ${child.status} ${child.stdout}${child.stderr}`);
  return taken;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Drives one run to its end in a project of its own and gives the totals. */
function drive(flags, scenario) {
  const project = createProject();
  try {
    const agent = new StandIn({ project, scenario });
    const done = agent.drive(agent.start(flags));
    if (done.outcome !== 'completed') throw new Error(`${flags}: ended as ${done.outcome}`);
    return agent.totals();
  } finally {
    project.remove();
  }
}

/** A heading and a table; a measured number above its limit is marked. */
function print({ title, rows }) {
  console.log(`\n${title}`);
  console.log(row('', 'limit', 'measured', 'floor'));
  for (const [what, limit, measured, floor = ''] of rows) {
    const over = typeof limit === 'number' && measured > limit;
    console.log(row(what, limit, `${measured}${over ? '  OVER' : ''}`, floor));
  }
}

function row(what, limit, measured, floor) {
  return `  ${what.padEnd(52)}${String(limit).padStart(8)}   ${String(measured).padEnd(22)}${floor}`.trimEnd();
}
