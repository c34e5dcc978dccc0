// How much the main agent has to read in one planning run.
import { StandIn } from '../tests/support/agent.mjs';
import { createProject } from '../tests/support/project.mjs';
import { SPECIFY_RECIPES } from '../tests/support/recipes.mjs';

const STANDARD = '--recipe specify-standard-interactive';

/** Measures a planning run in which everything goes well. */
export function allGoesWell() {
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

/** Measures a planning run with the troubles that its title names. */
export function muchGoesWrong() {
  const scenario = { twoRounds: true, leaveOut: 'gap-analyzer', rejectFirstReview: true, compactedAt: 'analyze-full' };
  const { calls, answers, injected, all } = drive(STANDARD, scenario);
  return {
    title: 'Two-round interview, a missing output, a rejected plan, a compaction',
    rows: [
      ['calls, the manifest injected by a hook', 14, calls],
      ['calls, the agent runs the manifest itself', '', calls + 1],
      ['bytes of answers', 16_500, answers],
      ['bytes of answers and of the manifest', 16_500, answers + injected],
      ['bytes of everything the main agent reads', '', all],
    ],
  };
}

/** Measures the largest manifest of each shipped planning recipe. */
export function manifests() {
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

/** Drives one run to its end in a new project, and returns the totals. */
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
