import { DevCliError } from '../base/errors.js';
import { buildUserEnvironment, findRepository, type GitOptions, git } from './git-command.js';

/** What opening a pull request changes in a repository: a branch, a first commit where there is none, a push. */

/** Branches that several people share, whatever the remote calls its own. */
const SHARED = ['main', 'master', 'trunk', 'develop', 'development'];

/** Where a branch is pushed to. */
export interface Upstream {
  remote: string;
  /** The branch that the remote takes for its main one, as `origin/main`; null when nothing tells. */
  base: string | null;
}

/**
 * Puts the work tree on a branch of its own: the present one, when it is none that is shared, else `wanted`, made or
 * switched to. Changes on disk stay as they are. Done again, it changes nothing.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED` without a repository, or when git refuses to switch; `IO`, `INTERRUPTED`
 */
export async function ensureBranch(
  workTree: string,
  wanted: string,
  around: GitOptions = {},
): Promise<{ branch: string; made: boolean }> {
  await requireRepository(workTree, around);
  const branch = await findCurrentBranch(workTree, around);
  if (branch === wanted || (branch !== null && !(await isShared(workTree, branch, around)))) {
    return { branch, made: false };
  }
  const known =
    (await readLines(workTree, ['for-each-ref', '--format=%(refname)', `refs/heads/${wanted}`], around)).length > 0;
  await git(workTree, known ? ['switch', '--quiet', wanted] : ['switch', '--quiet', '--create', wanted], around);
  return { branch: wanted, made: !known };
}

/** The branch checked out; null when HEAD is detached. */
export async function findCurrentBranch(workTree: string, around: GitOptions = {}): Promise<string | null> {
  const [branch = ''] = await readLines(workTree, ['branch', '--show-current'], around);
  return branch === '' ? null : branch;
}

/**
 * The remote that a branch belongs to: its own, else `origin`, else the only one.
 * @throws DevCliError `GIT_FAILED` when there is none, or nothing tells which of several
 */
export async function findUpstream(workTree: string, branch: string, around: GitOptions = {}): Promise<Upstream> {
  await requireRepository(workTree, around);
  const remotes = await readLines(workTree, ['remote'], around);
  const [own = ''] = await readLines(
    workTree,
    ['for-each-ref', '--format=%(push:remotename)', `refs/heads/${branch}`],
    around,
  );
  const remote = [own, 'origin', ...(remotes.length === 1 ? remotes : [])].find((name) => remotes.includes(name));
  if (remote === undefined) {
    throw new DevCliError(
      'GIT_FAILED',
      remotes.length === 0 ? 'The repository has no remote.' : `Nothing tells which remote ${branch} belongs to.`,
      {
        fix: remotes.length === 0 ? 'Ask the user to add a remote.' : 'Ask the user to set the upstream of the branch.',
      },
    );
  }
  const listed = await readLines(
    workTree,
    ['for-each-ref', '--format=%(refname:lstrip=2) %(symref:lstrip=2)', `refs/remotes/${remote}`],
    around,
  );
  const head = listed.find((line) => line.startsWith(`${remote}/HEAD `))?.split(' ')[1];
  const names = listed.map((line) => line.split(' ')[0]);
  const base = head ?? SHARED.map((name) => `${remote}/${name}`).find((name) => names.includes(name)) ?? null;
  return { remote, base };
}

/**
 * Gives a branch that has nothing of its own yet an empty commit: no forge opens a pull request about nothing. Neither the
 * index nor the work tree is touched.
 * @returns whether a commit was made
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function addEmptyCommit(
  workTree: string,
  { base }: Upstream,
  message: string,
  around: GitOptions = {},
): Promise<boolean> {
  if (base === null) return false;
  const [ahead] = await readLines(workTree, ['rev-list', '--count', `${base}..HEAD`], around);
  if (ahead !== '0') return false;
  const [commit = ''] = await readLines(workTree, ['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', message], around);
  await git(workTree, ['update-ref', '-m', 'dev-cli: begin branch', 'HEAD', commit], around);
  return true;
}

/** Seconds that a push may take: with hooks, and over a slow line (protocol.md §4). */
export const PUSH_TIMEOUT = 600;

/**
 * Pushes the branch, never by force, and makes the remote's its upstream.
 * @throws DevCliError `GIT_FAILED` with what git said; `INTERRUPTED`
 */
export async function push(workTree: string, remote: string, branch: string, around: GitOptions = {}): Promise<void> {
  // A remote may have any name, also one that reads like an option.
  const args = ['push', '--quiet', '--set-upstream', '--', remote, `refs/heads/${branch}`];
  await git(workTree, args, { ...around, timeoutSeconds: PUSH_TIMEOUT });
}

/** Pushes one commit to a branch of the remote, for the detached runner; in `buildPushEnvironment`. */
export function buildPushCommand(remote: string, commit: string, branch: string): string[] {
  return ['git', 'push', '--', remote, `${commit}:refs/heads/${branch}`];
}

/** What such a command pushes. */
export function parsePushCommand(argv: readonly string[]): { commit: string; branch: string } {
  const [commit = '', ref = ''] = (argv.at(-1) ?? '').split(':');
  return { commit, branch: ref.replace(/^refs\/heads\//, '') };
}

/** Where nobody is there to type a password, git asks none; an askpass program of the user's is left to answer. */
export function buildPushEnvironment(inherited: NonNullable<GitOptions['env']>): NonNullable<GitOptions['env']> {
  return { ...buildUserEnvironment(inherited), GIT_TERMINAL_PROMPT: '0', LANGUAGE: 'en' };
}

/**
 * The commit that a branch stands at, and how many commits of what is checked out it does not hold; null where there is no
 * such branch.
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function findBranchTip(
  workTree: string,
  branch: string,
  around: GitOptions = {},
): Promise<{ commit: string; missing: number } | null> {
  await requireRepository(workTree, around);
  const ref = `refs/heads/${branch}`;
  const [commit] = await readLines(workTree, ['for-each-ref', '--format=%(objectname)', ref], around);
  if (commit === undefined) return null;
  const [missing] = await readLines(workTree, ['rev-list', '--count', `${commit}..HEAD`], around);
  return { commit, missing: Number(missing) };
}

/**
 * Where the remote of that name is pushed to, as git prints it.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function getPushAddress(workTree: string, remote: string, around: GitOptions = {}): Promise<string> {
  const [address = ''] = await readLines(workTree, ['remote', 'get-url', '--push', '--', remote], around);
  return address;
}

async function isShared(workTree: string, branch: string, around: GitOptions): Promise<boolean> {
  if (SHARED.includes(branch)) return true;
  const heads = await readLines(
    workTree,
    ['for-each-ref', '--format=%(symref:lstrip=3)', 'refs/remotes/*/HEAD'],
    around,
  );
  return heads.includes(branch);
}

async function requireRepository(workTree: string, around: GitOptions): Promise<void> {
  const { kind } = await findRepository(workTree, around);
  if (kind === 'repository') return;
  throw new DevCliError('GIT_FAILED', 'A pull request needs a git repository, and there is none here.', {
    details: [{ target: workTree, problem: kind === 'no-git' ? 'git is not on the PATH' : 'not a repository' }],
  });
}

async function readLines(workTree: string, args: string[], around: GitOptions): Promise<string[]> {
  const text = (await git(workTree, args, around)).toString('utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}
