import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { DevCliError, getSystemCode } from '../../../base/errors.js';
import { awaitGroup, childProcess, signalGroup } from '../../../work/processes.js';
import { pathExists, readFileText } from '../install/disk.js';
import type { Probes, ProgramEnd } from './probes.js';

/** The real probes of this machine (harness.md, Doctor). */

/** Maximum number of characters kept of a program's output. */
const KEPT = 64 * 1024;

/** The parts of a call that the probes need. */
interface Asked {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Returns how long, in milliseconds, a program started now may run. */
  timeLeft: () => number;
}

/** Creates the probes of a call. */
export function createProbes(asked: Asked): Probes {
  return {
    run: (program, args, { cwd = asked.cwd, env = asked.env, input = '' } = {}) =>
      runBounded(program, args, { cwd, env, input }, asked),
    read: readFileText,
    exists: pathExists,
    refusesWriting,
    refusesListening,
  };
}

/**
 * Runs a program in its own process group and session, so that everything that a login shell starts ends with the shell
 * and cannot take the terminal.
 * @throws DevCliError `INTERRUPTED`
 */
async function runBounded(
  program: string,
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: NodeJS.ProcessEnv; input: string },
  { signal, timeLeft }: Asked,
): Promise<ProgramEnd> {
  const milliseconds = timeLeft();
  if (signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
  const child = childProcess().spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(0, KEPT);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, KEPT);
  });
  // A program that does not read its input must not make the call fail.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = await awaitGroup(child, { signal, milliseconds });
  if (ended.end === 'interrupted') throw new DevCliError('INTERRUPTED', 'Interrupted.');
  // Processes that the program left behind would keep the pipes open.
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  child.stdout.destroy();
  child.stderr.destroy();
  return { ...ended, stdout, stderr };
}

function refusesWriting(path: string): string | null {
  try {
    // Checks the file and its directory, because a sandbox may forbid writing only one of them.
    closeSync(openSync(path, 'r+'));
    accessSync(dirname(path), constants.W_OK);
    return null;
  } catch (error) {
    return getSystemCode(error) ?? 'unknown';
  }
}

function refusesListening(): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (error) => resolve(getSystemCode(error) ?? 'unknown'));
    server.listen(0, '127.0.0.1', () => server.close(() => resolve(null)));
  });
}
