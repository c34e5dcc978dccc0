// npm run bench: the figures that a user and an agent feel. Nothing is asserted here; the goals stand beside, and a figure
// that misses its own says so.
import { StandIn } from '../tests/support/agent.mjs';
import { createProject } from '../tests/support/project.mjs';
import { SPECIFY_RECIPES } from '../tests/support/recipes.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';
import { executionGoesWell, executionGoesWrong } from './execution.mjs';
import { installedPackages, longLives, NOTE, notYet, times } from './speed.mjs';
import { manyTodos } from './todos.mjs';

const STANDARD = '--recipe specify-standard-interactive';

if (findTerminal() === null) {
  console.error(`The bench goes through a human gate, and ${NO_TERMINAL}.`);
  process.exit(1);
}
const sections = [
  allGoesWell,
  muchGoesWrong,
  executionGoesWell,
  executionGoesWrong,
  manifests,
  times,
  longLives,
  manyTodos,
  installedPackages,
  notYet,
];
const only = process.argv[2];
for (const section of sections) if (only === undefined || section.name === only) print(section());
console.log(`\n${NOTE}`);

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

/** A heading and a table; whatever is above its goal is marked, whatever is not is marked as well. */
function print({ title, rows }) {
  console.log(`\n${title}`);
  console.log(row('', 'goal', 'measured', 'floor', ''));
  for (const [what, goal, measured, { floor = '', unit = '' } = {}] of rows) {
    const judged = goal === '' || measured === null ? '' : measured <= goal ? 'pass' : 'OVER';
    const shown = (value) =>
      value === null
        ? 'missing'
        : typeof value === 'number' && unit !== ''
          ? `${value.toFixed(2)}${unit}`
          : String(value);
    console.log(row(what, shown(goal), shown(measured), floor, judged));
  }
}

function row(what, goal, measured, floor, judged) {
  return `  ${what.padEnd(58)}${goal.padStart(8)}${measured.padStart(11)}  ${judged.padEnd(5)} ${floor}`.trimEnd();
}
