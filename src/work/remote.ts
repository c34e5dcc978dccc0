import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import { type Asking, ask, type GitOptions, git } from './git-command.js';
import { type BranchMove, QUIETLY } from './trees.js';

/** References of a remote: read, fetched, and moved by compare-and-swap (fleet.md, Git). No message has a credential of an address. */

/** How long a transfer may take if the caller says nothing else, in seconds. */
const TRANSFER_SECONDS = 600;

/**
 * Lists references of a remote, with the objects they name.
 * @param remote a name from the repository's configuration
 * @param patterns full names, or globs of them
 * @throws DevCliError `GIT_FAILED`, also where the remote cannot be reached; `IO`, `INTERRUPTED`
 */
export async function listRemoteReferences(
  top: string,
  remote: string,
  patterns: readonly string[],
  options: GitOptions,
): Promise<Map<string, string>> {
  const said = await withoutCredentials(git(top, ['ls-remote', '--refs', '--', remote, ...patterns], options));
  const lines = said.toString('utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split('\t').reverse() as [string, string]));
}

/**
 * Fetches references or commits, and nothing else: no tags, no submodules, and nothing here is pruned or tidied up.
 * @param wanted refspecs, or ids of commits
 * @throws DevCliError `GIT_FAILED`, also where the remote cannot be reached or lacks one; `IO`, `INTERRUPTED`
 */
export async function fetchReferences(
  top: string,
  remote: string,
  wanted: readonly string[],
  options: GitOptions,
): Promise<void> {
  // Fetches that run side by side would write the same FETCH_HEAD.
  const only = ['--quiet', '--no-tags', '--no-prune', '--no-recurse-submodules', '--no-write-fetch-head'];
  const args = [...QUIETLY, 'fetch', ...only, '--', remote, ...wanted];
  await withoutCredentials(git(top, args, { timeoutSeconds: TRANSFER_SECONDS, ...options }));
}

/** Nothing but the one reference is pushed, and no hook of this repository runs. */
const ALONE = ['--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', '--no-signed'];

/** How often a push is tried once more where somebody holds the remote's lock, and after how many milliseconds. */
const TRIES = 5;
const PAUSE = 100;

/**
 * Moves a reference of a remote from one object to another, at once or not at all. Where it is as wanted already, it counts as moved.
 * @param name in full
 * @param from null: it does not exist yet
 * @param to null: it is removed
 * @returns `behind`: it names something else by now; `refused`: the remote's rules, in its words
 * @throws DevCliError `GIT_FAILED` where the remote cannot be reached, or nobody knows what became of it: to be repeated;
 * `IO`, `INTERRUPTED`
 */
export async function pushReference(
  top: string,
  remote: string,
  name: string,
  { from, to }: { from: string | null; to: string | null },
  options: GitOptions,
): Promise<BranchMove> {
  const lease = `--force-with-lease=${name}:${from ?? ''}`;
  const args = [...QUIETLY, 'push', ...ALONE, lease, '--', remote, `${to ?? ''}:${name}`];
  for (let left = TRIES; ; left -= 1) {
    const failed = await withoutCredentials(ask(push(top, args), { timeoutSeconds: TRANSFER_SECONDS, ...options }));
    if (failed === null) return { kind: 'moved' };
    // Git's words differ by its version and the remote's: what is there says more.
    const now = (await listRemoteReferences(top, remote, [name], options)).get(name) ?? null;
    if (now === to) return { kind: 'moved' };
    if (now !== from) return { kind: 'behind' };
    const { status, said } = failed;
    const isHeld = status !== undefined && /lock|failed to update ref/.test(status);
    if (!isHeld || left === 0) {
      if (status !== undefined || FORBIDDEN.test(said))
        return { kind: 'refused', reason: hideCredentials(pickWords(said) || status || said) };
      throw new DevCliError('GIT_FAILED', `${name} could not be pushed.`, {
        details: [{ target: 'git', problem: hideCredentials(said) || 'it gave no reason' }],
      });
    }
    await sleep(PAUSE);
  }
}

/** What a remote says that may be read, but not written; git then ends before it tells of a reference. */
const FORBIDDEN = /denied|forbidden|read-only|not (?:granted|allowed|permitted)|\b40[13]\b/i;

/** @returns why it failed: what git says of the reference, if it came to that, and what was printed beside */
function* push(top: string, args: string[]): Asking<{ status: string | undefined; said: string } | null> {
  const answer = yield { directory: top, args };
  if (answer === 'no-git') throw new DevCliError('GIT_FAILED', 'git is not on the PATH any more.');
  if (answer.exit === 0) return null;
  const status = /^!\t.*\t(.*)$/m.exec(answer.stdout.toString('utf8'))?.[1];
  return { status, said: answer.stderr };
}

/** What the remote itself said, of all that git printed in one line. */
function pickWords(said: string): string {
  const [, ...lines] = ` ${said}`.split(/ remote: ?/);
  return lines
    .join(' ')
    .replace(/ (?:error: failed to push some refs|fatal:) .*$/, '')
    .trim();
}

/** Takes names, passwords and tokens out of addresses. */
export const hideCredentials = (text: string): string => text.replace(/:\/\/[^\s/]*@/g, '://');

/** The same for what git says where it fails. The cause, which has the command line, is left out. */
export async function withoutCredentials<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    const details = error.details.map((one) => ({ ...one, problem: hideCredentials(one.problem) }));
    throw new DevCliError(error.code, hideCredentials(error.message), {
      details,
      ...(error.fix === undefined ? {} : { fix: error.fix }),
    });
  }
}
