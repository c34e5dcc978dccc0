import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { DevCliError } from '../base/errors.js';
import { childProcess } from '../work/processes.js';

/** Tells a runner that its first command follows on standard input (cli/runner.ts). */
const WAITS = 'wait';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The runners that a call has started. A runner whose command has ended waits for another one, so that Node starts only
 * once for all commands of a wave. The creator of this object must release the runners; if the call dies, they end
 * because their standard input closes.
 */
export class RunnerProcesses {
  /** The runner for each environment, since a runner passes its own environment on to its commands. */
  private readonly waiting = new Map<string, ChildProcess>();

  /**
   * Starts a runner for a command that may follow, unless one is waiting. So Node starts while the call is still
   * checking whether the command is needed.
   * @param runner absolute path of the runner's bundle
   * @param commandFile absolute path that the command's `command.json` would have
   * @throws DevCliError `COMMAND_FAILED` if the system refuses another process
   */
  prepare(runner: string, commandFile: string, env: Environment): void {
    const key = JSON.stringify(env);
    if (this.findWaiting(key) === null) this.waiting.set(key, startRunner([runner, commandFile, WAITS], env));
  }

  /**
   * Hands a command to a runner.
   * @param commandFile absolute path of the command's `command.json`
   * @throws DevCliError as `prepare`
   */
  handOver(runner: string, commandFile: string, env: Environment): void {
    const key = JSON.stringify(env);
    const input = this.findWaiting(key);
    if (input === null) this.waiting.set(key, startRunner([runner, commandFile], env));
    else input.write(`${JSON.stringify(commandFile)}\n`);
  }

  /** Releases the runners: each ends when its command has ended. */
  release(): void {
    for (const { stdin } of this.waiting.values()) stdin?.end();
    this.waiting.clear();
  }

  private findWaiting(key: string): Writable | null {
    const known = this.waiting.get(key);
    if (known === undefined || known.exitCode !== null || known.signalCode !== null) return null;
    return known.stdin?.writable === true ? known.stdin : null;
  }
}

function startRunner(args: readonly string[], env: Environment): ChildProcess {
  const child = childProcess().spawn(process.execPath, args, {
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a listener, Node would throw a failure as an uncaught exception.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  if (child.pid === undefined) {
    throw new DevCliError('COMMAND_FAILED', 'The system refused to start another process.', {
      fix: 'Repeat the same call in a moment.',
    });
  }
  // The call waits for the runner's records, not for the runner, which may outlive the call.
  child.unref();
  (child.stdin as Partial<Unrefable>).unref?.();
  return child;
}

/** The part of a pipe to a process that Node's types leave out. */
interface Unrefable {
  unref(): void;
}
