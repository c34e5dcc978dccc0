import { statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { findHarnessMark, OWN_MARK } from '../base/harness-mark.js';
import type { Instruction } from '../base/invocation.js';
import { stripInvisible } from '../base/visible.js';
import { SANDBOX_RULES } from '../generated/harnesses.js';
import { type Conversation, type Execution, executeFile, executeFileNow } from './processes.js';

/** Options for every call of git. */
export interface GitOptions {
  /** Default: the environment of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Seconds that one call of git may take; default 120. */
  timeoutSeconds?: number;
  /** The standard input of git. */
  input?: string | Buffer;
  /** Talks with git while it runs, instead of `input`; has no effect in `runGitQuerySync`. */
  converse?: Conversation;
  /** Runs git in its own process group, so that Ctrl-C does not end it halfway. */
  apart?: boolean;
  /** Makes git use this index and object directory instead of the repository's, which git then only reads. */
  aside?: { index: string; objects?: { directory: string; beside: string } };
}

/** Whether a directory is in a repository, and at which place in it. */
export type RepositoryLookup =
  | { kind: 'no-git' | 'no-repository' }
  /**
   * `prefix`: path from the repository's top to the directory, ending in `/`, or empty. `top`: the path back up.
   * `places`: paths of the requested files of the git directory; null if a line feed in one makes the answer ambiguous.
   */
  | { kind: 'repository'; prefix: Buffer; top: string; places: string[] | null };

interface GitQuestion {
  directory: string;
  args: string[];
  /** A parent directory at which git stops looking for a repository. */
  ceiling?: string;
}

/**
 * A sequence of questions to git; yields null where it may be interrupted. `runGitQuery` answers them asynchronously,
 * `runGitQuerySync` blocks this process, for use inside a transaction, which cannot await.
 */
export type GitQuery<T> = Generator<GitQuestion | null, T, GitAnswer | 'no-git'>;

interface GitAnswer {
  exit: number;
  stdout: Buffer;
  stderr: string;
}

const TIMEOUT = 120;
const MAX_OUTPUT = 512 * 1024 * 1024;
const MAX_STDERR = 2_000;

/** Variables that would point git at another repository, or change the meaning of a path. */
const REDIRECTING = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_REPLACE_REF_BASE',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
];

/**
 * Finds the repository that contains a directory. A `.git` file that points nowhere is an error, not a missing
 * repository. A bare repository, or the inside of `.git`, counts as no repository because it has no work tree.
 * @param directory absolute path
 * @param files names of files in the git directory; their paths are returned as `places`
 * @throws DevCliError `GIT_FAILED`, `IO` (the directory is gone), `INTERRUPTED`
 */
export function findRepository(
  directory: string,
  options: GitOptions,
  files: readonly string[] = [],
): Promise<RepositoryLookup> {
  return runGitQuery(lookUpRepository(directory, files), options);
}

/** Asks git the questions of `findRepository`. @throws DevCliError as `findRepository` */
export function* lookUpRepository(directory: string, files: readonly string[] = []): GitQuery<RepositoryLookup> {
  const asked = files.flatMap((file) => ['--git-path', file]);
  // --show-prefix comes last, since the path that it prints may contain a line feed.
  const args = ['rev-parse', '--is-inside-work-tree', '--show-cdup', ...asked, '--show-prefix'];
  const answer = yield { directory, args };
  if (answer === 'no-git') return { kind: 'no-git' };
  if (answer.exit !== 0) {
    if (answer.stderr.includes('not a git repository (or any')) return { kind: 'no-repository' };
    throw buildGitFailure(args, answer);
  }
  const lines = answer.stdout.toString('latin1').split('\n');
  const [inside = '', top = ''] = lines;
  if (inside !== 'true') return { kind: 'no-repository' };
  const before = lines.slice(0, 2 + files.length);
  const prefix = answer.stdout.subarray(before.join('\n').length + 1, -1);
  // A line feed in one of the places shifts the lines after it, so that `prefix` and `top` differ in depth.
  if (files.length > 0 && countSlashes(prefix.toString('latin1')) !== countSlashes(top)) {
    const plain = yield* lookUpRepository(directory);
    return plain.kind === 'repository' ? { ...plain, places: null } : plain;
  }
  const places = before.slice(2).map((place) => resolve(directory, Buffer.from(place, 'latin1').toString('utf8')));
  return { kind: 'repository', top, prefix, places };
}

function countSlashes(path: string): number {
  return path.split('/').length - 1;
}

/**
 * Runs git in a directory that is known to be in a repository, and returns its standard output.
 * @throws DevCliError `GIT_FAILED` with git's message, `IO`, `INTERRUPTED`
 */
export function executeGit(directory: string, args: string[], options: GitOptions): Promise<Buffer> {
  return runGitQuery(queryGit(directory, args), options);
}

/** Asks git the question of `executeGit`. @throws DevCliError as `executeGit` */
export function* queryGit(directory: string, args: string[]): GitQuery<Buffer> {
  const answer = yield { directory, args };
  if (answer === 'no-git') throw new DevCliError('GIT_FAILED', 'git is no longer on the PATH.');
  if (answer.exit !== 0) throw buildGitFailure(args, answer);
  return answer.stdout;
}

/** Answers `asking` by running git asynchronously. @throws every error of `asking`; DevCliError `INTERRUPTED` */
export async function runGitQuery<T>(asking: GitQuery<T>, options: GitOptions): Promise<T> {
  let step = asking.next(UNASKED);
  while (step.done !== true) {
    let answer: GitAnswer | 'no-git' = UNASKED;
    try {
      if (step.value === null) await pause(options);
      else answer = await runGit(step.value, options);
    } catch (error) {
      step = asking.throw(error);
      continue;
    }
    step = asking.next(answer);
  }
  return step.value;
}

/** Answers `asking` by running git synchronously, which blocks this process. @throws as `runGitQuery` */
export function runGitQuerySync<T>(asking: GitQuery<T>, options: GitOptions): T {
  let step = asking.next(UNASKED);
  while (step.done !== true) {
    let answer: GitAnswer | 'no-git' = UNASKED;
    try {
      if (step.value !== null) answer = runGitNow(step.value, options);
    } catch (error) {
      step = asking.throw(error);
      continue;
    }
    step = asking.next(answer);
  }
  return step.value;
}

/** A placeholder answer for a generator that has asked no question; the generator ignores it. */
const UNASKED = 'no-git';

async function pause({ signal }: GitOptions): Promise<void> {
  if (signal?.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
  await new Promise((resolve) => setImmediate(resolve));
}

/** Returns null if git failed, for questions where failure means "no". @throws DevCliError `IO`, `INTERRUPTED` */
export async function nullIfRefused<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return null;
    throw error;
  }
}

/** Returns the result of `work` or, if git failed, its message. @throws any other error */
export async function resultOrProblem<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    return [error.message, ...error.details.map(({ problem }) => problem)].join(' ');
  }
}

/** Throws if the directory is missing, which Node would report as a missing git. Synchronous: git starts at once. */
function requireDirectory(cwd: string): void {
  try {
    statSync(cwd);
  } catch (cause) {
    throw new DevCliError('IO', `${cwd} cannot be reached (${getSystemCode(cause) ?? 'unknown'}).`, { cause });
  }
}

async function runGit(question: GitQuestion, options: GitOptions): Promise<GitAnswer | 'no-git'> {
  const { args } = question;
  requireDirectory(question.directory);
  const execution = { ...buildExecution(question, options), converse: options.converse };
  const given = buildArguments(args);
  if (options.apart === true) {
    const { executeFileApart } = await import('./execute-apart.js');
    return toAnswer(args, options, await executeFileApart('git', given, execution));
  }
  return toAnswer(args, options, await executeFile('git', given, execution));
}

function runGitNow(question: GitQuestion, options: GitOptions): GitAnswer | 'no-git' {
  const { args } = question;
  requireDirectory(question.directory);
  const { signal: _, input: __, ...execution } = buildExecution(question, options);
  return toAnswer(args, options, executeFileNow('git', buildArguments(args), execution));
}

/** Disables git's file system monitor, since even a read-only question would start one that outlives the call. */
function buildArguments(args: string[]): string[] {
  return ['-c', 'core.quotepath=off', '-c', 'core.fsmonitor=false', ...args];
}

function buildExecution({ directory, ceiling }: GitQuestion, options: GitOptions) {
  const { env: inherited = process.env, signal, input = '', timeoutSeconds = TIMEOUT } = options;
  const env = buildQuestionEnvironment(inherited);
  if (ceiling !== undefined) {
    env['GIT_CEILING_DIRECTORIES'] = [ceiling, env['GIT_CEILING_DIRECTORIES']].filter(Boolean).join(delimiter);
  }
  if (options.aside !== undefined) Object.assign(env, nameAside(options.aside));
  return { cwd: directory, env, signal, input, timeoutSeconds, maxBuffer: MAX_OUTPUT };
}

/** Puts the object directory in quotes, because git splits the list of alternates at colons outside quotes. */
function nameAside({ index, objects }: NonNullable<GitOptions['aside']>): Record<string, string> {
  return {
    GIT_INDEX_FILE: index,
    ...(objects && {
      GIT_OBJECT_DIRECTORY: objects.directory,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects.beside.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`,
    }),
  };
}

function toAnswer(
  args: string[],
  { timeoutSeconds = TIMEOUT }: GitOptions,
  { error, stdout, stderr }: Execution,
): GitAnswer | 'no-git' {
  const answer = { exit: 0, stdout, stderr: toShownText(stderr) };
  if (error === null) return answer;
  if (error.code === 'ENOENT') return 'no-git';
  if (typeof error.code === 'number') return { ...answer, exit: error.code };
  throw new DevCliError('GIT_FAILED', `git ${findVerb(args)} ${describeEnding(error, timeoutSeconds)}.`, {
    fix: error.code === 'EPERM' || error.code === 'EACCES' ? FORBIDDEN : 'Repeat the same call.',
    cause: error,
  });
}

/** The fix if git must not be started: in a sandbox, just repeating the call would not help. */
const FORBIDDEN: Instruction = [
  'Something, such as a sandbox, forbids dev-cli to start git. Repeat the call on a line of its own that begins with dev-cli: no pipe, no `cd`, nothing before or after it. Only such a line may leave the sandbox, by the rule that ',
  { command: 'install', input: { harness: SANDBOX_RULES.map(({ id }) => id) } },
  ` writes for ${SANDBOX_RULES.map(({ name }) => name).join(' and ')}.`,
];

/** Returns the git subcommand among the arguments, such as `status` for `-c a=b status --short`. */
function findVerb(args: readonly string[]): string {
  let at = 0;
  while (args[at]?.startsWith('-')) at += args[at] === '-c' || args[at] === '-C' ? 2 : 1;
  return args[at] ?? '';
}

/** Variables that name a program to ask for a password. If a harness empties them, git does not use the user's own. */
const ASKPASS = ['GIT_ASKPASS', 'SSH_ASKPASS'];

/**
 * Builds an environment in which git uses its directory's repository and the user's own configuration. Under a harness
 * mark, removes what the harness imposes (protocol.md §1): Gemini CLI would disable identity, hooks and credentials.
 */
export function buildUserEnvironment(inherited: NonNullable<GitOptions['env']>): Record<string, string | undefined> {
  const env: Record<string, string | undefined> = { ...inherited };
  for (const name of REDIRECTING) delete env[name];
  // dev-cli's own harness mark does not count here: its sessions impose no configuration on git.
  if (findHarnessMark({ ...inherited, [OWN_MARK]: '' }) === null) return env;
  for (const name of Object.keys(env)) if (name.startsWith('GIT_CONFIG_')) delete env[name];
  for (const name of ASKPASS) if (env[name] === '') delete env[name];
  return env;
}

function buildQuestionEnvironment(inherited: NonNullable<GitOptions['env']>): Record<string, string | undefined> {
  // With optional locks, `git status` would rewrite the index. The C locale keeps git's messages recognizable.
  return { ...buildUserEnvironment(inherited), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}

function describeEnding(error: Error & { killed?: boolean; signal?: string | null }, timeoutSeconds: number): string {
  if (getSystemCode(error) !== undefined) return `could not be run (${getSystemCode(error)})`;
  return error.killed ? `gave no answer in ${timeoutSeconds} seconds` : `was ended by ${error.signal}`;
}

function buildGitFailure(args: readonly string[], answer: GitAnswer): DevCliError {
  return new DevCliError('GIT_FAILED', `git ${findVerb(args)} failed with exit ${answer.exit}.`, {
    details: [{ target: 'git', problem: answer.stderr || 'it gave no reason' }],
  });
}

/** Makes git's message safe to display: removes control characters, and cuts it at `MAX_STDERR` characters. */
function toShownText(stderr: Buffer): string {
  const text = stripInvisible(stderr.toString('utf8')).replace(/\s+/g, ' ').trim();
  return text.length > MAX_STDERR ? `${text.slice(0, MAX_STDERR)}…` : text;
}
