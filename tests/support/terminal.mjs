import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/**
 * Runs a command line so that its standard input and output are a terminal, as when a person types it.
 * Node cannot make a pseudo terminal by itself; script(1) can, in two dialects.
 * @typedef {(command: string, options: { cwd: string, env: NodeJS.ProcessEnv, typed?: string }) => { exit: number, output: string }} InTerminal
 */

/** @type {((command: string) => string[])[]} */
const DIALECTS = [
  (command) => ['-qec', command, '/dev/null'], // util-linux
  (command) => ['-q', '/dev/null', 'sh', '-c', command], // BSD, macOS
];

/** @type {InTerminal | null | undefined} */
let found;

/**
 * The way to a terminal on this machine, or null when there is none.
 * @returns {InTerminal | null}
 */
export function findTerminal() {
  if (found === undefined) found = probe();
  return found;
}

/** @returns {InTerminal | null} */
function probe() {
  for (const dialect of DIALECTS) {
    /** @type {InTerminal} */
    const run = (command, { cwd, env, typed }) => {
      const child = spawnSync('script', dialect(command), {
        cwd,
        env,
        encoding: 'utf8',
        timeout: 60_000,
        ...(typed === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] } : { input: typed }),
      });
      // A terminal turns every line feed into carriage return and line feed; BSD echoes the end of input as ^D.
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

/** Why a test that needs a terminal is left out. */
export const NO_TERMINAL = 'this machine has no script(1), so nothing here can act as a person at a terminal';
