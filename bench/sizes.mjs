// What small, middle and large changes cost from the request to their commits, for the main agent and all its
// subagents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StandIn } from '../tests/support/agent.mjs';
import { CHANGES } from '../tests/support/changes.mjs';
import { CHECKOUT, createProject } from '../tests/support/project.mjs';

/**
 * Goals by size. A large change must not cost more than it did before dev-cli distinguished sizes. The main agent
 * should read at most four fifths of what it read when each skill still explained every harness.
 */
const GOALS = {
  small: { calls: 8, answers: 7_000, reads: 15_550, prompts: 12_000, subagents: 1 },
  middle: { calls: 12, answers: '', reads: 27_287, prompts: 45_000, subagents: 5 },
  large: { calls: 21, answers: '', reads: 38_743, prompts: 116_500, subagents: 21 },
};

/** The skills that the main agent reads for a change. */
const SKILLS = ['specify', 'execute'];

/** Measures each change from `init` to its commits; a person approves the plan. */
export function sizes() {
  const rows = Object.entries(CHANGES).flatMap(([size, change]) => {
    const goal = GOALS[size];
    const skills = SKILLS.reduce(
      (bytes, name) => bytes + readFileSync(join(CHECKOUT, `skills/${name}/SKILL.md`)).length,
      0,
    );
    const { calls, answers, files, subagents, started } = carryOut(change);
    return [
      [`${size}: calls of the main agent`, goal.calls, calls],
      ['  bytes that the main agent reads in all', goal.reads, skills + answers + files],
      ['    skills', '', skills],
      ['    answers', goal.answers, answers],
      ['  bytes of prompts in all', goal.prompts, files + subagents],
      ['    of which the main agent reads, with what else it is to read', '', files],
      ['  subagents', goal.subagents, started],
    ];
  });
  return { title: 'A change from the request to its commits, by size', rows };
}

function carryOut(change) {
  const project = createProject();
  // Agents in this harness get the longest explanation of how to start subagents.
  project.env.DEV_CLI_HARNESS = 'claude';
  try {
    const agent = new StandIn({ project, change, crew: change.crew() });
    for (const begin of [() => agent.start(), () => agent.execute()]) {
      const { outcome, summary } = agent.drive(begin());
      if (outcome !== 'completed') throw new Error(`${change.name}: ended as ${outcome}: ${summary}`);
    }
    return { ...agent.totals(), started: agent.started };
  } finally {
    project.remove();
  }
}
