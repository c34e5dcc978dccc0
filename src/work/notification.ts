import type { ChildProcess } from 'node:child_process';
import { getSystemCode } from '../base/errors.js';
import { awaitGroup, childProcess, type GroupEnd } from './processes.js';

/** A command that tells a person something and of which nothing is wanted back. */
interface Notification {
  argv: readonly string[];
  /** Absolute directory. */
  cwd: string;
  /** Added to the environment of this process. */
  env: Readonly<Record<string, string>>;
  /** Ends it before its time. */
  signal: AbortSignal;
  /** Seconds after which it is ended with all that it started. */
  seconds: number;
}

/**
 * Runs the command in a group of its own, without a terminal, and takes nothing that it prints.
 * @returns why it failed, as the end of a sentence; null if it did not, or was ended by the signal
 */
export async function runNotification({ argv, cwd, env, signal, seconds }: Notification): Promise<string | null> {
  const [program = '', ...args] = argv;
  if (signal.aborted) return null;
  let child: ChildProcess;
  try {
    const options = { cwd, env: { ...process.env, ...env }, detached: true, stdio: 'ignore' } as const;
    child = childProcess().spawn(program, args, options);
  } catch (error) {
    // An argument that no process can be given is thrown, what the system refuses told later.
    return describeFailure(getSystemCode(error));
  }
  return describeEnd(await awaitGroup(child, { signal, milliseconds: seconds * 1000 }));
}

/** Says why a command failed, as the end of a sentence; null if it did not, or was ended by the signal. */
export function describeEnd(ended: GroupEnd): string | null {
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
