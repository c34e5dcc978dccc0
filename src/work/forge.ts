import { constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { isRecord, parseOrNull } from '../base/json.js';
import { isAddress } from '../base/visible.js';
import { isReachable } from './commit-head.js';
import { executeGit, findRepository, type GitOptions, nullIfRefused } from './git-command.js';
import { executeFile } from './processes.js';

/** Sends queries and requests to a forge through `gh`, and checks its output before using it. */

/** The text of a pull request. */
export interface PullRequest {
  title: string;
  body: string;
}

/** An issue, as the forge returns it. */
export interface ForgeIssue {
  url: string;
  title: string;
  /** Markdown written by any author; may be empty. */
  body: string;
}

/** Seconds that `gh` may take to read an issue. */
const ISSUE_TIMEOUT = 30;

/**
 * Reads the title and the body of an issue, without comments.
 * @param workTree absolute path
 * @param issue.repository `OWNER/REPO`, or `HOST/OWNER/REPO`; null for the repository of the work tree
 * @throws DevCliError as `findPullRequest`
 */
export async function readIssue(
  workTree: string,
  { number, repository }: { number: string; repository: string | null },
  options: GitOptions = {},
): Promise<ForgeIssue> {
  const where = repository === null ? [] : ['--repo', repository];
  const args = ['issue', 'view', number, ...where, '--json', 'title,body,url'];
  const byHand = 'write the goal into a file and pass it with --goal @FILE';
  const said = await gh(workTree, args, '', { timeoutSeconds: ISSUE_TIMEOUT, ...options }, byHand);
  const value = parseOrNull(said);
  const { url, title, body } = isRecord(value) ? value : {};
  if (isAddress(url) && typeof title === 'string' && title.trim() !== '' && typeof body === 'string')
    return { url, title, body };
  const shown = toPlainLine(said);
  throw new DevCliError('COMMAND_FAILED', `gh issue view did not return an issue: ${shown || 'nothing'}.`, {
    fix: `Ask the user whether this is the right gh, or to ${byHand}.`,
  });
}

const STATES = ['open', 'closed', 'merged'] as const;

/** A pull request of a branch, as the forge knows it. */
export interface ExistingPullRequest {
  url: string;
  state: (typeof STATES)[number];
  draft: boolean;
}

/** Time limit of a `gh` call in seconds, including the network. */
export const GH_TIMEOUT = 120;
/** Time limit in seconds for `gh` to report who is signed in. */
const STATUS_TIMEOUT = 5;
const MAX_OUTPUT = 16 * 1024 * 1024;
/** How many characters of gh's output are shown. */
const SAID = 500;
/** Matches gh's output if nobody is signed in; any other failure means that gh could not find out. */
const SIGNED_OUT = /not logged in|failed to log in|gh auth login/i;

/**
 * Finds the pull request of a branch: the open one, else the latest closed or merged one, else null.
 * @param workTree absolute path
 * @param address URL that the branch is pushed to; a branch of the same name in another person's repository does not
 * count
 * @throws DevCliError `COMMAND_FAILED` if `gh` is missing, refuses or prints something unexpected; `INTERRUPTED`
 */
export async function findPullRequest(
  workTree: string,
  branch: string,
  address: string,
  options: GitOptions = {},
): Promise<ExistingPullRequest | null> {
  const fields = 'url,state,isDraft,isCrossRepository,headRepositoryOwner';
  const args = ['pr', 'list', '--head', branch, '--state', 'all', '--limit', '100', '--json', fields];
  const said = (await gh(workTree, args, '', options)).trim();
  if (said === '') return null;
  const rows = parseOrNull(said);
  if (!Array.isArray(rows)) throw buildUnreadableError('gh pr list', said);
  const known = rows.filter((row) => isOurs(row, address)).flatMap(parseRequest);
  return known.find(({ state }) => state === 'open') ?? known[0] ?? null;
}

/**
 * Opens a draft pull request for a pushed branch.
 * @returns its URL
 * @throws DevCliError as `findPullRequest`
 */
export async function openDraft(
  workTree: string,
  branch: string,
  address: string,
  { title, body }: PullRequest,
  options: GitOptions = {},
): Promise<string> {
  // The body goes through stdin: it may exceed the maximum length of an argument.
  const args = ['pr', 'create', '--draft', '--head', branch, '--title', title, '--body-file', '-'];
  const said = await gh(workTree, args, body, options);
  const url = said.trim().split(/\s+/).findLast(isAddress);
  const known = url ?? (await findPullRequest(workTree, branch, address, options))?.url;
  if (known === undefined) throw buildUnreadableError('gh pr create', said);
  return known;
}

/**
 * Replaces the text of a pull request.
 * @throws DevCliError as `findPullRequest`
 */
export async function updatePullRequestText(
  workTree: string,
  url: string,
  { title, body }: PullRequest,
  options: GitOptions = {},
): Promise<void> {
  await gh(workTree, ['pr', 'edit', url, '--title', title, '--body-file', '-'], body, options);
}

/**
 * Returns why `gh` could not open a pull request: it is not signed in, or does not answer. Waits at most five seconds.
 * @returns null if it could
 * @throws DevCliError `INTERRUPTED`
 */
export async function findSignInProblem(workTree: string, options: GitOptions = {}): Promise<string | null> {
  const answer = await ask(workTree, ['auth', 'status'], '', { ...options, timeoutSeconds: STATUS_TIMEOUT });
  switch (answer.kind) {
    case 'done':
      return null;
    case 'refused':
      // If one account has a problem, gh exits with 1 even though another account is signed in.
      if (/\bLogged in to\b/.test(answer.said)) return null;
      return SIGNED_OUT.test(answer.said) ? `gh is not signed in: ${answer.said}` : answer.message;
    case 'missing':
    case 'silent':
      return answer.message;
  }
}

/** Builds the environment of `gh`, in which it neither prompts nor prints colours. */
export function buildForgeEnvironment(inherited: NonNullable<GitOptions['env']>): NonNullable<GitOptions['env']> {
  const { GH_FORCE_TTY: _tty, CLICOLOR_FORCE: _colours, ...env } = inherited;
  return { ...env, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
}

/** How a call of `gh` ended. `said`: its output on one line. */
type GhAnswer =
  | { kind: 'done'; stdout: string }
  | { kind: 'missing' | 'refused' | 'silent'; said: string; message: string; cause: Error };

/** @throws DevCliError `COMMAND_FAILED`, `INTERRUPTED` */
async function gh(
  cwd: string,
  args: string[],
  input: string,
  options: GitOptions,
  byHand = 'open the pull request by hand',
): Promise<string> {
  const answer = await ask(cwd, args, input, options);
  if (answer.kind === 'done') return answer.stdout;
  const first = answer.kind === 'missing' ? 'install gh and to sign in with it' : 'solve the problem';
  throw new DevCliError('COMMAND_FAILED', answer.message, {
    fix: `Ask the user to ${first}, or to ${byHand}.`,
    cause: answer.cause,
  });
}

async function ask(cwd: string, args: string[], input: string, options: GitOptions): Promise<GhAnswer> {
  const { timeoutSeconds = GH_TIMEOUT, signal } = options;
  const env = buildForgeEnvironment(options.env ?? process.env);
  const limits = { timeoutSeconds, maxBuffer: MAX_OUTPUT, killSignal: 'SIGKILL' } as const;
  const { error, stdout, stderr } = await executeFile('gh', args, { cwd, env, signal, input, ...limits });
  if (error === null) return { kind: 'done', stdout: stdout.toString('utf8') };
  return classifyFailure(error, args, toPlainLine(`${stderr} ${stdout}`), timeoutSeconds);
}

function classifyFailure(cause: Error & { killed?: boolean }, args: string[], said: string, seconds: number): GhAnswer {
  const asked = `gh ${args.slice(0, 2).join(' ')}`;
  const code = getSystemCode(cause);
  if (code === 'ENOENT') return { kind: 'missing', said, message: 'gh is not on the PATH.', cause };
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return { kind: 'silent', said, message: `${asked} printed more than ${MAX_OUTPUT} bytes.`, cause };
  }
  if (code !== undefined) return { kind: 'missing', said, message: `${asked} could not be run (${code}).`, cause };
  if (cause.killed === true) {
    return { kind: 'silent', said, message: `${asked} gave no answer in ${seconds} seconds.`, cause };
  }
  return { kind: 'refused', said, message: `${asked} failed: ${said || 'it gave no reason'}.`, cause };
}

function buildUnreadableError(asked: string, said: string): DevCliError {
  const shown = toPlainLine(said);
  return new DevCliError('COMMAND_FAILED', `${asked} did not say which pull request it is: ${shown || 'nothing'}.`, {
    fix: 'Ask the user to check the pull requests of the branch, and whether this is the right gh.',
  });
}

/** Turns a program's output into one short line without colours and invisible characters. */
function toPlainLine(output: string): string {
  const line = output
    .slice(0, 20 * SAID)
    .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > SAID ? `${line.slice(0, SAID)}…` : line;
}

function isOurs(row: unknown, address: string): boolean {
  if (!isRecord(row) || row['isCrossRepository'] !== true) return true;
  const owner = isRecord(row['headRepositoryOwner']) ? row['headRepositoryOwner']['login'] : null;
  if (typeof owner !== 'string' || owner === '') return false;
  return [`/${owner}/`, `:${owner}/`].some((part) => address.toLowerCase().includes(part.toLowerCase()));
}

function parseRequest(row: unknown): ExistingPullRequest[] {
  if (!isRecord(row) || !isAddress(row['url'])) return [];
  const state = STATES.find((each) => each.toUpperCase() === row['state']);
  return state === undefined ? [] : [{ url: row['url'], state, draft: row['isDraft'] === true }];
}

/** Problems that would prevent a pull request and that can be found without asking the forge. */
interface ForgeAccess {
  /** Why nothing can be pushed; null if the repository has a remote. */
  remote: string | null;
  /** Why the forge cannot be asked; null if `gh` is on the PATH. */
  gh: string | null;
}

/**
 * Checks for a remote and for `gh`. A repository that git refuses to read counts as having no remote.
 * @param workTree absolute path
 * @throws DevCliError `IO` if the directory is gone; `INTERRUPTED`
 */
export async function checkForgeAccess(workTree: string, options: GitOptions = {}): Promise<ForgeAccess> {
  const path = (options.env ?? process.env)['PATH'] ?? '';
  const found = await Promise.all(
    path.split(delimiter).map((directory) => isReachable(join(directory || '.', 'gh'), constants.X_OK)),
  );
  return {
    remote: await findRemoteProblem(workTree, options),
    gh: found.includes(true) ? null : 'gh is not on the PATH',
  };
}

async function findRemoteProblem(workTree: string, options: GitOptions): Promise<string | null> {
  const place = await nullIfRefused(findRepository(workTree, options));
  if (place?.kind === 'no-git') return 'git is not on the PATH';
  if (place?.kind === 'no-repository') return 'there is no git repository here';
  const remotes = place === null ? null : await nullIfRefused(executeGit(workTree, ['remote'], options));
  if (remotes === null) return 'git cannot read the repository';
  return remotes.length === 0 ? 'the repository has no remote' : null;
}
