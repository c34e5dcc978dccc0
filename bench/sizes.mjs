// What a change costs from the request to its commits, at the size of the work: of the main agent and of all its subagents.
import { StandIn } from '../tests/support/agent.mjs';
import { CHANGES } from '../tests/support/changes.mjs';
import { createProject } from '../tests/support/project.mjs';

/** Goals by size; those of a large change are what it cost before there were sizes. */
const GOALS = {
  small: { calls: 8, answers: 7_000, prompts: 12_000, subagents: 1 },
  middle: { calls: 12, answers: '', prompts: 45_000, subagents: 5 },
  large: { calls: 21, answers: 19_700, prompts: 116_500, subagents: 21 },
};

/** From `init` to the commits, the plan approved by a person. */
export function sizes() {
  const rows = Object.entries(CHANGES).flatMap(([size, change]) => {
    const goal = GOALS[size];
    const { calls, answers, files, subagents, started } = carryOut(change);
    return [
      [`${size}: calls of the main agent`, goal.calls, calls],
      ['  bytes of answers', goal.answers, answers],
      ['  bytes of prompts in all', goal.prompts, files + subagents],
      ['    of which the main agent reads', '', files],
      ['  subagents', goal.subagents, started],
    ];
  });
  return { title: 'A change from the request to its commits, by size', rows };
}

function carryOut(change) {
  const project = createProject();
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
