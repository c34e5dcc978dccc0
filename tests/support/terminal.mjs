import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * Runs a command line with a terminal as its standard input and output, as when a person types it. Node itself cannot
 * make a pseudo terminal; script(1) can, and has two dialects.
 * One of `answers` is typed as a line `pause` milliseconds after each question; `ahead` is typed at once, before any
 * question.
 * @typedef {(command: string, options: { cwd: string, env: NodeJS.ProcessEnv, answers?: string[], pause?: number,
 * ahead?: string }) => { exit: number, output: string }} InTerminal
 */

/** The program that types into another program. */
const TALK = fileURLToPath(new URL('talk.mjs', import.meta.url));

/** @type {((command: string) => string[])[]} */
const DIALECTS = [
  (command) => ['-qec', command, '/dev/null'], // util-linux
  (command) => ['-q', '/dev/null', 'sh', '-c', command], // BSD, macOS
];

/** @type {InTerminal | null} */
let instead = null;

/**
 * From now on, uses this terminal instead of a real one wherever a person types.
 * @param {InTerminal} terminal
 */
export function typeInto(terminal) {
  instead = terminal;
}

/**
 * Finds the terminal at which a person types, replaced or real; null if there is none.
 * @returns {InTerminal | null}
 */
export function findTerminal() {
  return instead ?? findRealTerminal();
}

/** @type {InTerminal | null | undefined} */
let found;

/**
 * Finds a way to make a real terminal on this machine; null if there is none.
 * @returns {InTerminal | null}
 */
export function findRealTerminal() {
  if (found === undefined) found = probe();
  return found;
}

/** @returns {InTerminal | null} */
function probe() {
  for (const dialect of DIALECTS) {
    /** @type {InTerminal} */
    const run = (command, { cwd, env, answers = [], pause = 0, ahead = '' }) => {
      const silent = answers.length === 0 && ahead === '';
      const talk = JSON.stringify({ command: 'script', args: dialect(command), ahead, answers, pause });
      const [program, ...args] = silent ? ['script', ...dialect(command)] : [process.execPath, TALK, talk];
      const child = spawnSync(program ?? '', args, {
        cwd,
        env,
        encoding: 'utf8',
        timeout: 60_000,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      // A terminal puts a carriage return before each line feed; on BSD it also echoes the end of input as ^D.
      return {
        exit: child.status ?? -1,
        output: (child.stdout ?? '').replaceAll('\r\n', '\n').replace(/^\^D\x08\x08/, ''),
      };
    };
    const { exit, output } = run('test -t 0 && test -t 1 && echo yes', { cwd: tmpdir(), env: process.env });
    if (exit === 0 && output.trim() === 'yes') return run;
  }
  return null;
}

/** Why a test that needs a terminal is skipped. */
export const NO_TERMINAL = 'this machine has no script(1), so nothing here can act as a person at a terminal';
