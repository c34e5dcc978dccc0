import type { ChildProcess } from 'node:child_process';
import { getSystemCode } from '../base/errors.js';
import { childProcess, signalGroup } from './processes.js';

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
export function runNotification({ argv, cwd, env, signal, seconds }: Notification): Promise<string | null> {
  const [program = '', ...args] = argv;
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = childProcess().spawn(program, args, {
        cwd,
        env: { ...process.env, ...env },
        detached: true,
        stdio: 'ignore',
      });
    } catch (error) {
      // An argument that no process can be given is thrown, what the system refuses told later.
      resolve(describeFailure(error));
      return;
    }
    const settle = (why: string | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(why);
    };
    const end = (why: string | null) => {
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      settle(why);
    };
    const interrupt = () => end(null);
    const timer = setTimeout(() => end(`did not end within ${seconds} s`), seconds * 1000);
    signal.addEventListener('abort', interrupt);
    child.on('error', (error) => settle(describeFailure(error)));
    child.on('exit', (code, name) => {
      if (code === 0) settle(null);
      else settle(code === null ? `was ended by ${name}` : `ended with exit code ${code}`);
    });
  });
}

function describeFailure(error: unknown): string {
  return `could not be started (${getSystemCode(error) ?? 'unknown'})`;
}
