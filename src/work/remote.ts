import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import { executeGit, type GitOptions, type GitQuery, runGitQuery } from './git-command.js';
import { type BranchMove, QUIET_GIT_OPTIONS } from './trees.js';

/**
 * Lists, fetches and, by compare-and-swap, moves references of a remote (fleet.md, Git). Error messages never contain a
 * URL's credentials.
 */

/** Default time limit of a transfer, in seconds. */
const TRANSFER_SECONDS = 600;

/**
 * Lists references of a remote, with the objects they point to.
 * @param remote a name from the repository's configuration
 * @param patterns full names, or globs of them
 * @throws DevCliError `GIT_FAILED`, also if the remote cannot be reached; `IO`, `INTERRUPTED`
 */
export async function listRemoteReferences(
  top: string,
  remote: string,
  patterns: readonly string[],
  options: GitOptions,
): Promise<Map<string, string>> {
  const said = await withoutCredentials(executeGit(top, ['ls-remote', '--refs', '--', remote, ...patterns], options));
  const lines = said.toString('utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split('\t').reverse() as [string, string]));
}

/**
 * Fetches references or commits and nothing else: no tags, no submodules; prunes nothing and runs no maintenance.
 * @param wanted refspecs, or ids of commits
 * @throws DevCliError `GIT_FAILED`, also if the remote cannot be reached or lacks one of them; `IO`, `INTERRUPTED`
 */
export async function fetchReferences(
  top: string,
  remote: string,
  wanted: readonly string[],
  options: GitOptions,
): Promise<void> {
  // Concurrent fetches would write the same FETCH_HEAD.
  const only = ['--quiet', '--no-tags', '--no-prune', '--no-recurse-submodules', '--no-write-fetch-head'];
  const args = [...QUIET_GIT_OPTIONS, 'fetch', ...only, '--', remote, ...wanted];
  await withoutCredentials(executeGit(top, args, { timeoutSeconds: TRANSFER_SECONDS, ...options }));
}

/** Options to push only this reference, without running hooks of this repository. */
const ALONE = ['--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', '--no-signed'];

/** How often a push is retried while another process holds the remote's lock, and the pause between in milliseconds. */
const TRIES = 5;
const PAUSE = 100;

/**
 * Moves a reference of a remote from one object to another, atomically. Also succeeds if it points to `to` already.
 * @param name the full name
 * @param from null: it must not exist yet
 * @param to null: it is removed
 * @returns `behind` if the reference now points to neither `from` nor `to`; `refused` with the remote's message
 * @throws DevCliError `GIT_FAILED` if the remote cannot be reached or the outcome is unknown: repeat the call; `IO`,
 * `INTERRUPTED`
 */
export async function pushReference(
  top: string,
  remote: string,
  name: string,
  { from, to }: { from: string | null; to: string | null },
  options: GitOptions,
): Promise<BranchMove> {
  const lease = `--force-with-lease=${name}:${from ?? ''}`;
  const args = [...QUIET_GIT_OPTIONS, 'push', ...ALONE, lease, '--', remote, `${to ?? ''}:${name}`];
  for (let left = TRIES; ; left -= 1) {
    const failed = await withoutCredentials(
      runGitQuery(push(top, args), { timeoutSeconds: TRANSFER_SECONDS, ...options }),
    );
    if (failed === null) return { kind: 'moved' };
    // Git's messages depend on its version and the remote's: the state of the reference is more reliable.
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

/** Matches git's error if the remote forbids writing; in that case, git prints no status line for the reference. */
const FORBIDDEN = /denied|forbidden|read-only|not (?:granted|allowed|permitted)|\b40[13]\b/i;

/** @returns null on success; otherwise git's stderr and, if git printed one, its status line for the reference */
function* push(top: string, args: string[]): GitQuery<{ status: string | undefined; said: string } | null> {
  const answer = yield { directory: top, args };
  if (answer === 'no-git') throw new DevCliError('GIT_FAILED', 'git is no longer on the PATH.');
  if (answer.exit === 0) return null;
  const status = /^!\t.*\t(.*)$/m.exec(answer.stdout.toString('utf8'))?.[1];
  return { status, said: answer.stderr };
}

/** Extracts the remote's own message from git's output, whose lines have been joined into one. */
function pickWords(said: string): string {
  const [, ...lines] = ` ${said}`.split(/ remote: ?/);
  return lines
    .join(' ')
    .replace(/ (?:error: failed to push some refs|fatal:) .*$/, '')
    .trim();
}

/** Removes user names, passwords and tokens from URLs. */
export const hideCredentials = (text: string): string => text.replace(/:\/\/[^\s/]*@/g, '://');

/** Removes credentials from git's error messages. Drops the cause, which contains the command line. */
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
