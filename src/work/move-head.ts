import { type GitOptions, git } from './git-command.js';

/** Seconds in which the work, and git's own part, have to be done. */
const TIMEOUT = 600;
/** Milliseconds for which git waits for another process that holds HEAD. */
const LOCK_WAIT = 10_000;

/**
 * Moves HEAD from one commit to another once `work` is done. Git keeps HEAD and its branch locked meanwhile, so that nobody
 * commits in between; it lets go of them, and HEAD stays, where this process ends before.
 * @param options.reason for the reflog
 * @throws DevCliError `GIT_FAILED` before `work` where HEAD is another commit already, or is locked; `IO`, `INTERRUPTED`; what
 * `work` throws
 */
export async function moveHead(
  top: string,
  { from, to, reason }: { from: string; to: string; reason: string },
  options: GitOptions,
  work: () => Promise<void>,
): Promise<void> {
  let end = (_word: 'commit' | 'abort'): void => {};
  let hold = (): void => {};
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const ended = git(top, ['-c', `core.filesRefLockTimeout=${LOCK_WAIT}`, 'update-ref', '-m', reason, '--stdin'], {
    ...options,
    timeoutSeconds: TIMEOUT,
    converse: ({ stdin, stdout }) => {
      let said = '';
      stdout.on('data', (part: Buffer) => {
        said += part.toString('latin1');
        if (said.includes('prepare: ok')) hold();
      });
      stdin.write(`start\nupdate HEAD ${to} ${from}\nprepare\n`);
      end = (word) => stdin.end(`${word}\n`);
    },
  });
  // Where git cannot hold HEAD, it ends.
  await Promise.race([held, ended]);
  try {
    await work();
  } catch (error) {
    end('abort');
    await ended.catch(() => {});
    throw error;
  }
  end('commit');
  await ended;
}
