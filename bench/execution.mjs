// What an execution costs the dispatching agent: five todos (1 → 2,3,4 → 5) on the sample project, with real work,
// prompts and results. No person is asked to approve the plan's commands.
import { StandIn } from '../tests/support/agent.mjs';
import { planContent } from '../tests/support/content.mjs';
import { jwtCrew } from '../tests/support/crew.mjs';
import { createProject } from '../tests/support/project.mjs';

/**
 * Seconds that a call may wait for a command. Fewer than todo-5's command takes (SLOW), so that the first call answers
 * while it runs, and a poll reports its end.
 */
const ANSWER_WITHIN = 20;
const SLOW = 26;
/**
 * The number of calls is also computed, without measuring, for a command of THREE_MINUTES. WAITS are how long a call
 * may wait for it, both in seconds: the first without an adapter, the second in a harness that kills a command after
 * two minutes.
 */
const THREE_MINUTES = 180;
const WAITS = [45, 110];

/** Measures an execution in which everything goes well; the person at todo-5's gate accepts. */
export function executionGoesWell() {
  const { calls, answers, prompts, tasks, results } = execute({});
  return {
    title: 'Execution of five todos, all goes well (execute-standard)',
    rows: [
      ['calls', 9, calls],
      ['bytes of answers', 10_000, answers],
      [`bytes of prompts that ${tasks} subagents read, each its own`, '', prompts],
      ['bytes of results that they write, read by dev-cli alone', '', results],
    ],
  };
}

/** Measures an execution with a red test, an added todo, a command longer than a call, and faults found in review. */
export function executionGoesWrong() {
  const { calls, polls, answers, prompts, tasks, results } = execute({
    trouble: { red: true, adapt: true, needsFixes: true },
    slow: true,
    flags: '--autopilot',
  });
  const runs = 2;
  const others = calls - polls;
  return {
    title: 'One retry, one added todo, one NEEDS_FIXES, a command that outlasts a call, twice',
    rows: [
      [`calls, answerWithin shortened to ${ANSWER_WITHIN} s for ${SLOW} s`, 15, calls],
      ['  of which polls', '', polls],
      ['bytes of answers', 15_000, answers],
      ...WAITS.map((wait) => [
        `calls, reckoned for ${THREE_MINUTES} s, ${runs} times, at ${wait} s a call`,
        15,
        others + runs * (Math.ceil(THREE_MINUTES / wait) - 1),
      ]),
      [`bytes of prompts that ${tasks} subagents read, each its own`, '', prompts],
      ['bytes of results that they write, read by dev-cli alone', '', results],
    ],
  };
}

function execute({ trouble = {}, slow = false, flags = '--set approve_commands=auto' }) {
  const project = createProject();
  try {
    project.env.DEV_CLI_ANSWER_WITHIN = String(slow ? ANSWER_WITHIN : 600);
    plan(project, slow);
    let tasks = 0;
    let results = 0;
    const agent = new StandIn({
      project,
      crew: jwtCrew(trouble),
      onTask: (_task, _files, result) => {
        tasks += 1;
        results += Buffer.byteLength(result);
      },
    });
    const done = agent.drive(agent.execute(`--execute ${flags}`));
    if (done.outcome !== 'completed') throw new Error(`ended as ${done.outcome}: ${done.summary}`);
    const { calls, answers, subagents } = agent.totals();
    const polls = agent.calls.filter(({ command }) => command.includes(' --wait ')).length;
    return { calls, polls, answers, prompts: subagents, tasks, results };
  } finally {
    project.remove();
  }
}

function plan(project, slow) {
  const content = planContent(0);
  const suite = content.todos.at(-1).acceptance[0];
  if (slow) suite.run = ['node', '-e', `setTimeout(() => {}, ${SLOW * 1000})`];
  const author = new StandIn({ project });
  author.write('.dev/plan.json', JSON.stringify(content));
  const { exit, stdout } = author.run(`dev-cli plan generate ${author.name} --data @.dev/plan.json`);
  if (exit !== 0) throw new Error(stdout);
}
