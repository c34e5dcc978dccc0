import { blockFor } from '../base/clock.js';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { endProcessTree } from './process-tree.js';
import { childProcess, type GroupEnd, readStartTime } from './processes.js';

interface Options {
  /** The absolute path of the directory in which the program runs. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Seconds after which the program is ended; without it, there is no limit. */
  seconds?: number;
  /** Whether the program inherits the standard input of this process; otherwise it reads nothing. */
  reads: boolean;
}

/** Milliseconds between ending a program and killing it. */
const GRACE_MS = 5_000;
const POLL_MS = 25;

/**
 * Runs a program and sends all its output to stderr. The program stays in this process's group, since it may need the
 * terminal; a signal that ends this process also ends the program and everything that it started.
 * @param argv passed without a shell
 * @throws DevCliError `INTERRUPTED`, after the program has ended
 */
export async function runWithOutputOnStderr(argv: readonly string[], options: Options): Promise<GroupEnd> {
  const { cwd, env, signal, seconds, reads } = options;
  const [program = '', ...args] = argv;
  const end = await new Promise<GroupEnd>((resolve) => {
    const child = childProcess().spawn(program, args, { cwd, env: { ...env }, stdio: [reads ? 0 : 'ignore', 2, 2] });
    let ending: GroupEnd | null = null;
    const endWith = (why: GroupEnd): void => {
      ending ??= why;
      if (child.pid === undefined) return;
      endProcessTree(child.pid);
      setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
    };
    const interrupt = (): void => {
      endWith({ end: 'interrupted' });
      if (child.pid !== undefined) waitForEnd(child.pid);
    };
    const timer =
      seconds === undefined ? undefined : setTimeout(() => endWith({ end: 'time', seconds }), seconds * 1000);
    const settle = (how: GroupEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(ending ?? how);
    };
    signal.addEventListener('abort', interrupt, { once: true });
    child.on('error', (error) => settle(describeUnstarted(error)));
    child.on('exit', (code, name) =>
      settle(code === null ? { end: 'signal', signal: name ?? 'a signal' } : { end: 'exit', code }),
    );
    // If a program cannot be started, Node throws some errors and emits others as an event.
  }).catch(describeUnstarted);
  // Ctrl-C may end the program before this process has handled the same signal; one event-loop turn lets it do so.
  if (end.end === 'signal') await new Promise((resolve) => setImmediate(resolve));
  if (end.end === 'interrupted' || signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
  return end;
}

function describeUnstarted(error: unknown): GroupEnd {
  return { end: 'unstarted', code: getSystemCode(error) ?? 'unknown' };
}

/**
 * Blocks until a program that was sent SIGTERM has ended, and kills it after `GRACE_MS`. Without this wait, this
 * process would exit first, and the program's remaining output would appear at the user's next prompt. A second signal
 * ends this process at once.
 */
function waitForEnd(pid: number): void {
  for (let waited = 0; readStartTime(pid) !== null; waited += POLL_MS) {
    if (waited >= GRACE_MS) {
      process.kill(pid, 'SIGKILL');
      return;
    }
    blockFor(POLL_MS);
  }
}
