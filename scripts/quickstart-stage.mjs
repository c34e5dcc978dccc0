// Functions that the demonstrations in scripts/quickstart-*.mjs share: they print the commands that are run, and count
// wrong results.
import { spawnSync } from 'node:child_process';
import { StandInError } from '../tests/support/agent.mjs';
import { createProject } from '../tests/support/project.mjs';

/** A project's own recipe that asks a person before anything is integrated. */
export const ASK_FIRST = `name: ask-first
type: sequential
description: "Work on a goal; a person looks before anything is integrated."
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - { id: work, type: llm, instruction: "Reach the goal in this directory, and run the tests." }
  - id: look
    type: wait-for-user
    human: required
    message: The goal is reached. May it be integrated?
    choices:
      - { id: integrate, label: integrate it }
      - { id: again, label: not yet, goto: work, reason: required }
      - { id: drop, label: leave it, goto: halt }
`;

/** Longer commands, in characters, are cut when they are printed. */
const TOLD = 110;

let wrong = 0;

/**
 * Plays a demonstration in a new project, which is kept.
 * @param {{ title: string, prefix: string, look: string }} about `look` is a command for looking around afterwards
 * @param {(project: ReturnType<typeof createProject>) => Promise<void>} acts
 * @returns {Promise<number>} the exit code
 */
export function playOn({ title, prefix, look }, acts) {
  return play(title, async () => {
    const project = createProject({ prefix });
    await acts(project).catch(failSoftly);
    return `cd ${project.root} && ${look}`;
  });
}

/**
 * Plays a demonstration, and prints how it came out.
 * @param {string} title
 * @param {() => Promise<string>} acts returns a command for looking around afterwards
 * @returns {Promise<number>} the exit code
 */
export async function play(title, acts) {
  say(title);
  const look = await acts().catch(failSoftly);
  if (look !== undefined) say(`\nLook around: ${look}`);
  say(wrong === 0 ? '\nNothing was lost.' : `\n${wrong} of it did not come out as it should.`);
  return wrong === 0 ? 0 : 1;
}

/** Prints and counts an error of the scripted actors; rethrows any other error, which is a defect of the script. */
export function failSoftly(error) {
  if (!(error instanceof StandInError)) throw error;
  wrong += 1;
  say(`\nIt went wrong: ${error.message}`);
}

/**
 * Returns the output of a command that must succeed.
 * @param {boolean} [isQuiet] whether to run the command without printing it
 */
export function run({ root: cwd, env }, command, isQuiet = false) {
  if (!isQuiet) say(`  $ ${command.length > TOLD ? `${command.slice(0, TOLD)}…` : command}`);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new StandInError(`${command}: exit ${status} ${stdout}${stderr}`);
}

export function check(found, expected, what) {
  const isRight = JSON.stringify(found) === JSON.stringify(expected);
  if (!isRight) wrong += 1;
  say(isRight ? `  true   ${what}` : `  WRONG  ${what}: ${JSON.stringify(found)}`);
}

export function heading(title) {
  say(`\n${title}`);
}

export function say(line) {
  console.log(line);
}
