import { resolve } from 'node:path';
import type { Baseline, WorkTreeStatus } from './baseline.js';
import { COMMIT_STATE_FILES, findCommitObstacle, findHeadRefusal, hasHooks } from './commit-head.js';
import { type CommitScope, type LeftPath, leaveOutReplaced, listLeftPaths, selectPaths } from './commit-paths.js';
import { findCommitIn, TASK_TRAILER } from './commit-search.js';
import { buildUserEnvironment, executeGit, findRepository, type GitOptions, nullIfRefused } from './git-command.js';
import { listChangedPaths } from './paths.js';
import { executeFile } from './processes.js';

/**
 * Plans and makes the commits of a run's work (engine.md, Commits). Each commit carries a trailer, and dev-cli searches
 * for that trailer before committing, so that a commit is made only once however often dev-cli is interrupted.
 */

/** Where HEAD was when the commit was planned. */
export type HeadPosition = Pick<WorkTreeStatus, 'head' | 'branch'>;

/** Facts that hold for all commits that a call makes in a work tree. */
export interface CommitSetting {
  /** Absolute paths of the files of `COMMIT_STATE_FILES`, in that order. */
  places: string[];
  /** Whether commits are signed, for which git may ask for a passphrase. */
  signs: boolean;
}

/**
 * Reads the facts that matter for commits in a work tree.
 * @param workTree absolute path
 * @returns null if there is no git or no repository
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function readCommitSetting(workTree: string, options: GitOptions = {}): Promise<CommitSetting | null> {
  const [repository, signs] = await Promise.all([
    findRepository(workTree, options, COMMIT_STATE_FILES),
    isSigning(workTree, options),
  ]);
  if (repository.kind !== 'repository') return null;
  return { signs, places: repository.places ?? (await findPlaces(workTree, COMMIT_STATE_FILES, options)) };
}

/** The result of planning a commit. */
export type CommitPlan =
  | { kind: 'found'; sha: string }
  | { kind: 'nothing'; why: string; left: LeftPath[] }
  /** The commit has to wait. `head`: whether it waits because of where HEAD is, which a person may accept. */
  | { kind: 'later'; why: string; left: LeftPath[]; head: boolean }
  /** `alone`: whether git can commit unaided, because no hook runs and no signature is made. */
  | { kind: 'ready'; paths: string[]; left: LeftPath[]; at: HeadPosition; alone: boolean };

/** Returns whether this scope can yield a commit at all: it needs listed paths, and files that belong to the todo. */
export function canYieldCommit({ listed, files, charged }: CommitScope): boolean {
  const isListed = listed === undefined || listed.filesChanged.length > 0;
  return isListed && (files === null || files.length + charged.length > 0);
}

/**
 * Returns whether there is clearly nothing to commit and nothing to report: no result lists a path, nothing has
 * changed, and HEAD has not moved since the work began, so the work has not been committed already either.
 */
export function isPlainlyEmpty({ head, dirty }: Baseline, { since, listed }: CommitScope): boolean {
  if (head !== null && head !== since.head) return false;
  return (listed?.filesChanged.length ?? 0) === 0 && listChangedPaths({ head, dirty }, since).length === 0;
}

/**
 * Determines what a commit would contain, and whether it exists already. Changes nothing.
 * @param workTree absolute path
 * @param now the work tree as just read
 * @param readSetting called only if there is something to commit
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function planCommit(
  workTree: string,
  now: WorkTreeStatus,
  readSetting: () => Promise<CommitSetting | null>,
  scope: CommitScope,
  options: GitOptions = {},
): Promise<CommitPlan> {
  const { head, branch } = now;
  const sha = await findCommitIn(workTree, scope.key, { since: scope.since.head, head }, options);
  if (sha !== null) return { kind: 'found', sha };
  const { paths, left } = await selectPaths(workTree, now, scope, options);
  const settled = [...paths, ...left.map(({ path }) => path)];
  const named = [...left, ...(await listLeftPaths(workTree, now, scope, settled, options))];
  if (paths.length === 0) return { kind: 'nothing', why: 'nothing to commit', left: named };
  const setting = await readSetting();
  if (setting === null) return { kind: 'later', why: 'the repository is gone', left: named, head: false };
  const hindrance = await findCommitObstacle(setting.places);
  if (hindrance !== null) return { kind: 'later', why: hindrance, left: named, head: false };
  const refusal = scope.head === undefined ? null : await findHeadRefusal(workTree, now, scope.head, options);
  if (refusal !== null) return { kind: 'later', why: refusal, left: named, head: true };
  return {
    kind: 'ready',
    paths: await leaveOutReplaced(workTree, paths),
    left: named,
    at: { head, branch },
    alone: !setting.signs && !(await hasHooks(setting.places)),
  };
}

async function isSigning(workTree: string, options: GitOptions): Promise<boolean> {
  const answer = await nullIfRefused(executeGit(workTree, ['config', '--bool', '--get', 'commit.gpgSign'], options));
  return answer?.toString('utf8').trim() === 'true';
}

/** Asks for one path per call of git, so that a path may contain any character. */
async function findPlaces(workTree: string, files: readonly string[], options: GitOptions): Promise<string[]> {
  const answers = await Promise.all(
    files.map((file) => executeGit(workTree, ['rev-parse', '--git-path', file], options)),
  );
  return answers.map((answer) => resolve(workTree, answer.toString('utf8').slice(0, -1)));
}

/** The outcome of `makeCommit`. */
export interface CommitAnswer {
  /** Git's exit code. `cut off`: git was ended by a signal or the timeout, or could not be started. */
  exit: number | 'cut off';
  output: string;
  /** The sha of the commit, if git printed it. */
  sha: string | null;
}

/** Maximum size of git's output about a commit, in bytes. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

/**
 * Runs `git commit` within the call and waits for it; only for commits without hooks and signature. Lets git run
 * maintenance only after a run's last commit (`last`).
 * @param timeoutSeconds seconds after which git is ended
 * @throws DevCliError `IO`
 */
export async function makeCommit(
  workTree: string,
  { message, key, paths, last }: { message: string; key: string; paths: readonly string[]; last: boolean },
  timeoutSeconds: number,
): Promise<CommitAnswer> {
  const files = buildCommitFiles(message, key, paths);
  const maintenance = last ? [] : ['-c', 'maintenance.auto=false', '-c', 'gc.auto=0'];
  const [, ...args] = buildCommitCommand(null, '-').filter((word) => word !== '--quiet');
  // Git prints the sha of the new commit; these settings keep it from being abbreviated.
  const argv = [
    '-c',
    'core.abbrev=no',
    '-c',
    'core.quotepath=off',
    ...maintenance,
    ...args,
    `--message=${files.message}`,
  ];
  const { error, stdout, stderr } = await executeFile('git', argv, {
    cwd: workTree,
    env: { ...buildCommitEnvironment(process.env), GIT_TERMINAL_PROMPT: '0' },
    signal: undefined,
    timeoutSeconds,
    maxBuffer: LONGEST_ANSWER,
    input: files.paths,
  });
  const output = `${stdout.toString('utf8')}${stderr.toString('utf8')}`;
  const exit = error === null ? 0 : typeof error.code === 'number' ? error.code : ('cut off' as const);
  return { exit, output, sha: /^\[[^\]]* ([0-9a-f]{40,64})\]/m.exec(output)?.[1] ?? null };
}

/**
 * Builds the command that makes the commit. The detached runner runs it, since hooks may take long. The command reads
 * the message and the paths from files, so that no path can be mistaken for an option or a pattern.
 */
export function buildCommitCommand(messageFile: string | null, pathsFile: string): string[] {
  return [
    'git',
    '--literal-pathspecs',
    'commit',
    '--only',
    '--quiet',
    '--cleanup=whitespace',
    ...(messageFile === null ? [] : [`--file=${messageFile}`]),
    `--pathspec-from-file=${pathsFile}`,
    '--pathspec-file-nul',
  ];
}

function listNul(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}

/** Builds the contents of the two files: the message with its trailer, and the NUL-terminated paths. */
export function buildCommitFiles(
  message: string,
  key: string,
  paths: readonly string[],
): { message: string; paths: string } {
  return { message: `${message.trim()}\n\n${TASK_TRAILER}: ${key}\n`, paths: listNul(paths) };
}

/**
 * Returns whether the commit failed because there was nothing to commit, for example if a staged new file has since
 * been deleted. Must be called before `withdrawNew`. Runs no hooks.
 * @throws DevCliError `INTERRUPTED`
 */
export async function isEmptyCommit(
  workTree: string,
  paths: readonly string[],
  options: GitOptions = {},
): Promise<boolean> {
  const [, ...args] = buildCommitCommand(null, '-');
  const asked = executeGit(workTree, [...args, '--dry-run'], { ...options, input: listNul(paths) });
  return (await nullIfRefused(asked)) === null;
}

/** Builds the environment of the commit command: in English, because `isTemporaryGitFailure` reads git's messages. */
export function buildCommitEnvironment(inherited: NonNullable<GitOptions['env']>): NonNullable<GitOptions['env']> {
  return { ...buildUserEnvironment(inherited), LANGUAGE: 'en' };
}

/**
 * Returns whether git's message means that it could not write at the moment, rather than that it refused the commit.
 */
export function isTemporaryGitFailure(output: string): boolean {
  const unwritable = /index\.lock|read-only file system|permission denied|insufficient permission|no space left/i;
  // The second pattern matches if a file that existed when the commit was planned has been deleted since.
  return unwritable.test(output) || /did not match any file\(s\) known to git/.test(output);
}

/** Returns whether git refused a path outside the sparse checkout, in which case trying again does not help. */
export function isOutsideSparse(output: string): boolean {
  return /outside of your sparse-checkout/.test(output);
}

/** Git's exit code if it cannot commit anything: no identity, a key that cannot sign, a broken repository. */
export const GIT_FATAL_EXIT = 128;
