// Drives whole runs with the scripted agent, timing each of its calls.
import { performance } from 'node:perf_hooks';
import { StandIn } from '../tests/support/agent.mjs';
import { inShell, lineOf, runLinesBy } from '../tests/support/line.mjs';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { spawned } from './measure.mjs';

/**
 * A finished call of dev-cli.
 * @typedef {object} Taken
 * @property {string[]} words after `dev-cli`
 * @property {boolean} typed whether a person ran it at a terminal; the time then includes script(1) and the typing
 * @property {number} milliseconds
 */

/**
 * Drives a planning run to its end, with explorations, an interview, analyses, a review, and a person's gate.
 * @param {object} looks
 * @param {(taken: Taken, project: object) => void} [looks.after] called after each call of dev-cli
 * @param {(action: object, project: object) => void} [looks.before] called before the agent carries out an action
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
 * @param {(taken: Taken) => void} after called after each call of dev-cli
 * @param {StandIn} agent
 * @param {() => object} start starts the run, and returns its first action
 * @throws Error if the run does not complete
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
