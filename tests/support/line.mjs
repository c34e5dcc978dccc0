import { spawnSync } from 'node:child_process';
import { findRealTerminal, NO_TERMINAL } from './terminal.mjs';

/**
 * How a printed command line is run: where, and by whom.
 * @typedef {object} Around
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {readonly string[]} [typed] if present, a person runs it at a terminal and types these lines
 * @typedef {{ exit: number, stdout: string, stderr: string }} Printed
 * @typedef {(command: string, around: Around) => Printed} RunLine
 */

/** @type {RunLine} */
let run = inShell;

/**
 * Sets how command lines are run from now on.
 * @param {RunLine} runLine
 * @returns {RunLine} how they were run until now
 */
export function runLinesBy(runLine) {
  const former = run;
  run = runLine;
  return former;
}

/** @type {RunLine} */
export function runLine(command, around) {
  return run(command, around);
}

/**
 * Runs a command line in a shell; with `typed`, at a terminal where a person types these lines.
 * @type {RunLine}
 */
export function inShell(command, { cwd, env, typed }) {
  if (typed !== undefined) {
    const terminal = findRealTerminal();
    if (terminal === null) throw new Error(`${NO_TERMINAL}. By hand, in ${cwd}: ${command}`);
    const { exit, output } = terminal(command, { cwd, env, answers: [...typed] });
    return { exit, stdout: output, stderr: '' };
  }
  const child = spawnSync('sh', ['-c', command], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { exit: child.status ?? -1, stdout: child.stdout, stderr: child.stderr };
}

const TOKEN = /( +)|'([^']*)'|"([^"$`\\!]*)"|\\([^\n])|([A-Za-z0-9_@%+=:,./^-]+)/y;
const TEXT_FROM_HERE = /^<<'(\w+)'\n((?:.*\n)*?)\1\n?$/;

/**
 * Parses a command line as a shell would, if it consists only of words, quoted words and at most one here-document.
 * @param {string} command
 * @returns {{ words: string[], stdin?: string } | null} null if the line needs a shell
 */
export function lineOf(command) {
  /** @type {string[]} */
  const words = [];
  let inside = false;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < command.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(command);
    if (match === null) {
      const here = inside ? null : TEXT_FROM_HERE.exec(command.slice(at));
      return here === null ? null : { words, stdin: here[2] ?? '' };
    }
    const [, blank, ...parts] = match;
    if (blank === undefined) words.push((inside ? words.pop() : '') + parts.join(''));
    inside = blank === undefined;
  }
  return { words };
}
