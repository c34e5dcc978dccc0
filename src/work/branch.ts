import { DevCliError } from '../base/errors.js';
import { buildUserEnvironment, executeGit, findRepository, type GitOptions } from './git-command.js';

/** Prepares a repository for a pull request: creates a branch, adds a first commit to it, and pushes it. */

/** Branches that people usually share, besides the remote's default branch. */
const SHARED = ['main', 'master', 'trunk', 'develop', 'development'];

/** The remote that a branch is pushed to. */
export interface Upstream {
  remote: string;
  /** The remote's default branch, such as `origin/main`; null if unknown. */
  base: string | null;
}

/**
 * Makes sure that the work tree is on an unshared branch: stays on the current branch unless that is shared, otherwise
 * switches to `wanted`, creating it if necessary. Leaves uncommitted changes as they are. May be repeated.
 * @param workTree absolute path
 * @returns the branch, and whether it was created
 * @throws DevCliError `GIT_FAILED` without a repository, or if git refuses to switch; `IO`, `INTERRUPTED`
 */
export async function ensureBranch(
  workTree: string,
  wanted: string,
  options: GitOptions = {},
): Promise<{ branch: string; made: boolean }> {
  await requireRepository(workTree, options);
  const branch = await findCurrentBranch(workTree, options);
  if (branch === wanted || (branch !== null && !(await isShared(workTree, branch, options)))) {
    return { branch, made: false };
  }
  const refs = await readLines(workTree, ['for-each-ref', '--format=%(refname)', `refs/heads/${wanted}`], options);
  const made = refs.length === 0;
  await executeGit(workTree, ['switch', '--quiet', ...(made ? ['--create'] : []), wanted], options);
  return { branch: wanted, made };
}

/**
 * Returns the branch checked out, or null if HEAD is detached. @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function findCurrentBranch(workTree: string, options: GitOptions = {}): Promise<string | null> {
  const [branch = ''] = await readLines(workTree, ['branch', '--show-current'], options);
  return branch === '' ? null : branch;
}

/**
 * Finds the remote that a branch belongs to: the one configured for it, else `origin`, else the only remote.
 * @throws DevCliError `GIT_FAILED` if there is no remote, or several and no way to choose
 */
export async function findUpstream(workTree: string, branch: string, options: GitOptions = {}): Promise<Upstream> {
  await requireRepository(workTree, options);
  const remotes = await readLines(workTree, ['remote'], options);
  const format = '--format=%(push:remotename)';
  const [own = ''] = await readLines(workTree, ['for-each-ref', format, `refs/heads/${branch}`], options);
  const remote = [own, 'origin', ...(remotes.length === 1 ? remotes : [])].find((name) => remotes.includes(name));
  if (remote === undefined) {
    throw remotes.length === 0
      ? new DevCliError('GIT_FAILED', 'The repository has no remote.', { fix: 'Ask the user to add a remote.' })
      : new DevCliError('GIT_FAILED', `It is not clear which remote ${branch} belongs to.`, {
          fix: 'Ask the user to set the upstream of the branch.',
        });
  }
  const listed = await readLines(
    workTree,
    ['for-each-ref', '--format=%(refname:lstrip=2) %(symref:lstrip=2)', `refs/remotes/${remote}`],
    options,
  );
  const head = listed.find((line) => line.startsWith(`${remote}/HEAD `))?.split(' ')[1];
  const names = listed.map((line) => line.split(' ')[0]);
  const base = head ?? SHARED.map((name) => `${remote}/${name}`).find((name) => names.includes(name)) ?? null;
  return { remote, base };
}

/**
 * Adds an empty commit to a branch that has no commit of its own, since forges refuse a pull request for such a branch.
 * Touches neither the index nor the work tree.
 * @returns whether a commit was made
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function addEmptyCommit(
  workTree: string,
  { base }: Upstream,
  message: string,
  options: GitOptions = {},
): Promise<boolean> {
  if (base === null) return false;
  const [ahead] = await readLines(workTree, ['rev-list', '--count', `${base}..HEAD`], options);
  if (ahead !== '0') return false;
  const [commit = ''] = await readLines(workTree, ['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', message], options);
  await executeGit(workTree, ['update-ref', '-m', 'dev-cli: begin branch', 'HEAD', commit], options);
  return true;
}

/** Seconds that a push may take, including hooks and a slow connection (protocol.md §4). */
export const PUSH_TIMEOUT = 600;

/**
 * Pushes the branch, never by force, and sets its upstream.
 * @throws DevCliError `GIT_FAILED` with git's message; `INTERRUPTED`
 */
export async function push(workTree: string, remote: string, branch: string, options: GitOptions = {}): Promise<void> {
  // The remote's name comes after `--`, because it may look like an option.
  const args = ['push', '--quiet', '--set-upstream', '--', remote, `refs/heads/${branch}`];
  await executeGit(workTree, args, { ...options, timeoutSeconds: PUSH_TIMEOUT });
}

/** Builds the command that pushes a commit to a branch of the remote; the runner runs it in `buildPushEnvironment`. */
export function buildPushCommand(remote: string, commit: string, branch: string): string[] {
  return ['git', 'push', '--', remote, `${commit}:refs/heads/${branch}`];
}

/** Extracts the commit and the branch from a command that `buildPushCommand` built. */
export function parsePushCommand(argv: readonly string[]): { commit: string; branch: string } {
  const [commit = '', ref = ''] = (argv.at(-1) ?? '').split(':');
  return { commit, branch: ref.replace(/^refs\/heads\//, '') };
}

/** Builds an environment in which git never prompts for a password; the user's own askpass program still works. */
export function buildPushEnvironment(inherited: NonNullable<GitOptions['env']>): NonNullable<GitOptions['env']> {
  return { ...buildUserEnvironment(inherited), GIT_TERMINAL_PROMPT: '0', LANGUAGE: 'en' };
}

/**
 * Finds the commit at the tip of a branch, and counts the commits of HEAD that the branch lacks; null if the branch
 * does not exist.
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function findBranchTip(
  workTree: string,
  branch: string,
  options: GitOptions = {},
): Promise<{ commit: string; missing: number } | null> {
  await requireRepository(workTree, options);
  const ref = `refs/heads/${branch}`;
  const [commit] = await readLines(workTree, ['for-each-ref', '--format=%(objectname)', ref], options);
  if (commit === undefined) return null;
  const [missing] = await readLines(workTree, ['rev-list', '--count', `${commit}..HEAD`], options);
  return { commit, missing: Number(missing) };
}

/**
 * Returns the push URL of a remote, as git prints it.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function getPushAddress(workTree: string, remote: string, options: GitOptions = {}): Promise<string> {
  const [address = ''] = await readLines(workTree, ['remote', 'get-url', '--push', '--', remote], options);
  return address;
}

async function isShared(workTree: string, branch: string, options: GitOptions): Promise<boolean> {
  if (SHARED.includes(branch)) return true;
  const heads = await readLines(
    workTree,
    ['for-each-ref', '--format=%(symref:lstrip=3)', 'refs/remotes/*/HEAD'],
    options,
  );
  return heads.includes(branch);
}

async function requireRepository(workTree: string, options: GitOptions): Promise<void> {
  const { kind } = await findRepository(workTree, options);
  if (kind === 'repository') return;
  throw new DevCliError('GIT_FAILED', 'A pull request needs a git repository, and there is none here.', {
    details: [{ target: workTree, problem: kind === 'no-git' ? 'git is not on the PATH' : 'not a repository' }],
  });
}

async function readLines(workTree: string, args: string[], options: GitOptions): Promise<string[]> {
  const text = (await executeGit(workTree, args, options)).toString('utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}
