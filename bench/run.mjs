// npm run bench: prints the figures that users and agents notice, section by section. Nothing is asserted: each figure
// is printed beside its goal (house.md, Speed), and is marked if it misses the goal.
//   node bench/run.mjs [SECTION...] [--rounds N]
// N is how often each kind of call is made: at least 30 times for published figures, fewer while developing.
import { parseArgs } from 'node:util';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';
import { acknowledgements } from './acknowledgements.mjs';
import { applying } from './applying.mjs';
import { commits } from './commits.mjs';
import { disk, installed } from './disk.mjs';
import { executionGoesWell, executionGoesWrong } from './execution.mjs';
import { explore } from './explore.mjs';
import { fleet } from './fleet.mjs';
import { fleetLoss, fleetOfFour, fleetPushes } from './fleet-nights.mjs';
import { longJournals, manyRuns, manyTodos } from './growth.mjs';
import { hook } from './hook.mjs';
import { init } from './init.mjs';
import { longLives } from './lives.mjs';
import { loop } from './loop.mjs';
import { mcp } from './mcp.mjs';
import { NOTE } from './measure.mjs';
import { memory } from './memory.mjs';
import { neutral, neutralRace } from './neutral.mjs';
import { questions } from './questions.mjs';
import { allGoesWell, manifests, muchGoesWrong } from './reading.mjs';
import { runtime } from './runtime.mjs';
import { scale, scaleWithCommits } from './scale.mjs';
import { sizes } from './sizes.mjs';
import { verify } from './verify.mjs';
import { view } from './view.mjs';

const SECTIONS = {
  allGoesWell,
  muchGoesWrong,
  sizes,
  executionGoesWell,
  executionGoesWrong,
  manifests,
  questions,
  hook,
  mcp,
  memory,
  neutral,
  neutralRace,
  loop,
  runtime,
  explore,
  acknowledgements,
  init,
  commits,
  disk,
  scale,
  scaleWithCommits,
  applying,
  longLives,
  longJournals,
  manyRuns,
  manyTodos,
  installed,
  view,
  fleet,
  verify,
};
/** Sections that take minutes, and therefore run only if they are named. */
const LONG = { fleetOfFour, fleetLoss, fleetPushes };
const ALL = { ...SECTIONS, ...LONG };

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '30' } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const unknown = positionals.find((name) => !Object.hasOwn(ALL, name));
if (unknown !== undefined || !Number.isInteger(rounds) || rounds < 1) {
  console.error(
    `Usage: node bench/run.mjs [SECTION...] [--rounds N]\nSections: ${Object.keys(SECTIONS).join(', ')}\nOnly by name, minutes each: ${Object.keys(LONG).join(', ')}`,
  );
  process.exit(2);
}
if (findTerminal() === null) {
  console.error(`The bench goes through a human gate, and ${NO_TERMINAL}.`);
  process.exit(1);
}
for (const [name, section] of Object.entries(ALL)) {
  if (positionals.length === 0 ? Object.hasOwn(SECTIONS, name) : positionals.includes(name))
    print(await section({ rounds }));
}
console.log(`\n${rounds < 30 ? 'Too few rounds for figures to be told. ' : ''}${NOTE}`);

/** Prints a heading and a table, in which each figure with a goal is marked as meeting or missing it. */
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
