import type { ChildProcess } from 'node:child_process';
import { getSystemCode } from '../base/errors.js';
import { awaitGroup, childProcess, type GroupEnd } from './processes.js';

/** A command that notifies a person and whose output is not used. */
interface Notification {
  argv: readonly string[];
  /** Absolute directory. */
  cwd: string;
  /** Variables added to the environment of this process. */
  env: Readonly<Record<string, string>>;
  /** Ends the command early. */
  signal: AbortSignal;
  /** Seconds after which the command and all processes that it started are ended. */
  seconds: number;
}

/**
 * Runs the command in its own process group, without a terminal, and discards its output.
 * @returns why it failed, as the end of a sentence; null if it succeeded or the signal ended it
 */
export async function runNotification({ argv, cwd, env, signal, seconds }: Notification): Promise<string | null> {
  const [program = '', ...args] = argv;
  if (signal.aborted) return null;
  let child: ChildProcess;
  try {
    const options = { cwd, env: { ...process.env, ...env }, detached: true, stdio: 'ignore' } as const;
    child = childProcess().spawn(program, args, options);
  } catch (error) {
    // Spawn throws only for an invalid argument; it reports system errors later, as an event.
    return describeFailure(getSystemCode(error));
  }
  return describeCommandFailure(await awaitGroup(child, { signal, milliseconds: seconds * 1000 }));
}

/** Returns why a command failed, as the end of a sentence; null if it succeeded or the signal ended it. */
export function describeCommandFailure(ended: GroupEnd): string | null {
  switch (ended.end) {
    case 'exit':
      return ended.code === 0 ? null : `ended with exit code ${ended.code}`;
    case 'signal':
      return `was ended by ${ended.signal}`;
    case 'time':
      return `did not end within ${ended.seconds} s`;
    case 'interrupted':
      return null;
    case 'unstarted':
      return describeFailure(ended.code);
  }
}

function describeFailure(code = 'unknown'): string {
  return `could not be started (${code})`;
}
