// What the demonstrations of scripts/quickstart-*.mjs tell and count: lines that were called, and whether what came of them is right.
import { spawnSync } from 'node:child_process';
import { StandInError } from '../tests/support/agent.mjs';
import { createProject } from '../tests/support/project.mjs';

/** A recipe of a project's own, in which a person is asked before anything is integrated. */
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

/** Longest command that is told whole, in characters. */
const TOLD = 110;

let wrong = 0;

/**
 * Plays on a project of its own, which stays.
 * @param {{ title: string, prefix: string, look: string }} about `look`: the command with which one looks around
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
 * Plays, and says what came of it.
 * @param {string} title
 * @param {() => Promise<string>} acts whose answer is the command with which one looks around
 * @returns {Promise<number>} the exit code
 */
export async function play(title, acts) {
  say(title);
  const look = await acts().catch(failSoftly);
  if (look !== undefined) say(`\nLook around: ${look}`);
  say(wrong === 0 ? '\nNothing was lost.' : `\n${wrong} of it did not come out as it should.`);
  return wrong === 0 ? 0 : 1;
}

/** What a stand-in could not do is told, and counted; anything else is an error of the script. */
export function failSoftly(error) {
  if (!(error instanceof StandInError)) throw error;
  wrong += 1;
  say(`\nIt went wrong: ${error.message}`);
}

/** What a command prints, that has to go well. @param {boolean} [isQuiet] whether it is not told: it is asked again and again */
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
