// Drives whole runs with the scripted agent, timing each of its calls.
import { performance } from 'node:perf_hooks';
import { StandIn } from '../tests/support/agent.mjs';
import { inShell, lineOf, runLinesBy } from '../tests/support/line.mjs';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { spawned } from './measure.mjs';

/**
 * One call of dev-cli that was made.
 * @typedef {object} Taken
 * @property {string[]} words after `dev-cli`
 * @property {boolean} typed a person ran it at a terminal: the time then includes script(1) and the simulated typing
 * @property {number} milliseconds
 */

/**
 * Drives one planning run to its end: explorations, an interview, analyses, a review, a person's gate.
 * @param {object} looks
 * @param {(taken: Taken, project: object) => void} [looks.after]
 * @param {(action: object, project: object) => void} [looks.before] called with each action before it is done
 * @param {NodeJS.ProcessEnv} [looks.env] variables for the calls
 */
export function drivePlanning({ after = () => {}, before = () => {}, env = {} }) {
  const project = createProject();
  Object.assign(project.env, env);
  try {
    const agent = new StandIn({ project, scenario: { before: (action) => before(action, project) } });
    drive(
      (taken) => after(taken, project),
      agent,
      () => agent.start('--recipe specify-standard-interactive'),
    );
  } finally {
    project.remove();
  }
}

/**
 * Drives a run to its end.
 * @param {(taken: Taken) => void} after
 * @param {StandIn} agent
 * @param {() => object} start returns its first action
 * @throws Error when it does not complete
 */
export function drive(after, agent, start) {
  runLinesBy((command, around) => {
    const typed = around.typed !== undefined;
    const [program, ...words] = lineOf(command)?.words ?? [];
    if (program !== 'dev-cli') throw new Error(`no plain call of dev-cli: ${command}`);
    const from = performance.now();
    const printed = typed ? inShell(command, around) : call(words, lineOf(command)?.stdin, around);
    after({ words, typed, milliseconds: performance.now() - from });
    return printed;
  });
  try {
    const { outcome } = agent.drive(start());
    if (outcome !== 'completed') throw new Error(`ended as ${outcome}`);
  } finally {
    runLinesBy(inShell);
  }
}

function call(words, input, { cwd, env }) {
  const { status, stdout, stderr } = spawned({ root: cwd, env }, process.execPath, [BINARY, ...words], input);
  return { exit: status ?? -1, stdout, stderr };
}
