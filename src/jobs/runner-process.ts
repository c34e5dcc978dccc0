import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { DevCliError } from '../base/errors.js';
import { childProcess } from '../work/processes.js';

/** Says to a runner that its first command is still to be handed over (cli/runner.ts). */
const WAITS = 'wait';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The runners that a call has started. One that has seen its command through waits for the next, so that the commands of a wave need
 * one start of Node. Whoever made this object releases it; a call that is cut off does so by its end.
 */
export class RunnerProcesses {
  /** By environment, which a runner hands on to its commands. */
  private readonly waiting = new Map<string, ChildProcess>();

  /**
   * Starts a runner for a command that may follow, unless one waits: so Node starts beside whatever the call has to find out first.
   * @param runner absolute path of its bundle
   * @param commandFile absolute path that the command's `command.json` would have
   * @throws DevCliError `COMMAND_FAILED` if the system refuses another process
   */
  prepare(runner: string, commandFile: string, env: Environment): void {
    const key = JSON.stringify(env);
    if (this.findWaiting(key) === null) this.waiting.set(key, startRunner([runner, commandFile, WAITS], env));
  }

  /**
   * Has a runner see to a command.
   * @param commandFile absolute path of the command's `command.json`
   * @throws DevCliError as `prepare`
   */
  handOver(runner: string, commandFile: string, env: Environment): void {
    const key = JSON.stringify(env);
    const input = this.findWaiting(key);
    if (input === null) this.waiting.set(key, startRunner([runner, commandFile], env));
    else input.write(`${JSON.stringify(commandFile)}\n`);
  }

  /** Lets the runners go: each ends when it has seen its command through. */
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
  // Without a listener, a failure would also be thrown where nobody can catch it.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  if (child.pid === undefined) {
    throw new DevCliError('COMMAND_FAILED', 'The system refused to start another process.', {
      fix: 'Repeat the same call in a moment.',
    });
  }
  // The call waits for records, not for this process, which outlives it.
  child.unref();
  (child.stdin as Partial<Unrefable>).unref?.();
  return child;
}

/** What a pipe to a process is, too. */
interface Unrefable {
  unref(): void;
}
