import { dirname } from 'node:path';
import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { canonicalJson, isRecord } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import type { QueuedCommand } from '../run/engine.js';
import type { RunState } from '../run/state.js';
import { recordEntry, type Transaction } from '../run/transaction.js';
import type { TreeState } from '../work/git.js';
import { inspectJob, prepareRunner } from './detached.js';
import { type CommandJob, getRecordsPath, getWorkTree } from './job.js';
import { awaitProcess, getJobDirectory, hasBegun, type JobCall, launchOnce, type ProcessEnding } from './launch.js';
import { type ExitRecord, getLogFile, isWholeLog, readJobText, readLogEnd } from './records.js';

/**
 * Runs the commands of recipes and plans. A command that has already passed on the same tree does not run again
 * (protocol.md §4).
 */

/** How a command ended, from the run's point of view. */
export type CommandEnding =
  /** `answer`: the document that a command of dev-cli itself printed; null for any other command. */
  | { kind: 'exit'; exit: ExitRecord; answer: Record<string, unknown> | null }
  | Extract<ProcessEnding, { kind: 'interrupted' }>
  /**
   * The command passed earlier on this tree. `exit` and `log` are those of that earlier run of the command; `log` is
   * relative to the run's directory.
   */
  | { kind: 'reused'; tree: string; exit: number; log: string };

export interface CommandEnded {
  kind: 'command';
  job: CommandJob;
  ending: CommandEnding;
  /**
   * Of an acceptance's command, the whole log if the command failed or its output has to be searched. Of a block's
   * command, the end of the log if the command failed. Otherwise empty.
   */
  output: string;
  /** The work tree's state after an acceptance's command; null for a block's command, or without git. */
  after: TreeState | null;
}

/**
 * Characters read from the end of a failed block command's output. Enough to include the first line of a private key at
 * the end, by which the key is recognized and masked.
 */
const BLOCK_OUTPUT_END = 20_000;

/**
 * Waits for a command for as long as the call has time; launches it if it has not begun.
 * @returns null while it is running
 * @throws DevCliError `INTERRUPTED`, `IO`, `COMMAND_FAILED`, `GIT_FAILED`, `RUN_UNTRUSTED`
 */
export async function awaitCommand(job: CommandJob, call: JobCall): Promise<CommandEnded | null> {
  const found = await findCommandEnding(job, call);
  if (found === null) return null;
  const directory = getJobDirectory(job, call);
  if (job.acceptance === null) {
    const passed = found.kind === 'reused' || hasExitCode(found, 0);
    const output = passed ? '' : readLogEnd(directory, BLOCK_OUTPUT_END);
    return { kind: 'command', job, ending: found, output, after: null };
  }
  const read = addOutput(found, directory, job.acceptance);
  return { kind: 'command', job, ...read, after: await readTreeNow(job, call) };
}

/**
 * Returns the result of an earlier run of the same command, if it passed on the work tree as it is now. Does not read
 * the work tree again, but relies on the call's last reading.
 * @param state the run as it is now
 * @returns null if the command has to be awaited
 */
export function findReusedCommand(job: CommandJob, state: RunState, call: JobCall): CommandEnded | null {
  const tree = call.repositories.getTree(getWorkTree(call.context, job)) ?? null;
  const kept = tree === null ? null : findKeptResult(job, call, state, tree.state.digest);
  if (tree === null || kept === null) return null;
  const ending = { kind: 'reused', tree: tree.state.digest, ...kept } as const;
  return { kind: 'command', job, ending, output: '', after: job.acceptance === null ? null : tree.state };
}

async function findCommandEnding(job: CommandJob, call: JobCall): Promise<CommandEnding | null> {
  refuseLinkOut(job, call);
  const directory = getJobDirectory(job, call);
  if (!hasBegun(directory)) {
    const begun = await beginCommand(job, call, directory);
    if (begun === 'wait') return null;
    if (begun === 'vanished') return { kind: 'interrupted', vanished: true };
    if (begun !== 'launched') return begun;
  }
  call.repositories.forgetTrees();
  const ending = await awaitProcess(directory, call);
  return ending?.kind === 'exit' ? { ...ending, answer: isOwn(job, call) ? readAnswer(directory) : null } : ending;
}

/** Launches a command, unless it has already passed on this tree. */
async function beginCommand(
  job: CommandJob,
  call: JobCall,
  directory: string,
): Promise<'launched' | 'wait' | 'vanished' | Extract<CommandEnding, { kind: 'reused' }>> {
  if (call.repositories.getTree(getWorkTree(call.context, job)) === undefined && !isOfFinalTree(call)) {
    const prepare = () => prepareRunner({ directory, runner: call.context.runner }, call.runners);
    // Errors are ignored here, since the launch meets and reports the same errors.
    await call
      .requirePlace()
      .then(prepare)
      .catch(() => {});
  }
  const tree = (await readTreeNow(job, call))?.digest ?? null;
  const kept = inspectJob(directory).state === 'absent' ? findKeptResult(job, call, call.run.snapshot, tree) : null;
  if (tree !== null && kept !== null) return { kind: 'reused', tree, ...kept };
  await call.requirePlace();
  return launchOnce(job, call, {
    tree,
    directory,
    key: job.key,
    argv: resolveProgram(job, call),
    shell: job.shell,
    cwd: `${getWorkTree(call.context, job)}/${job.cwd}`,
    timeoutSeconds: job.timeout,
  });
}

async function readTreeNow(job: CommandJob, { context, repositories }: JobCall): Promise<TreeState | null> {
  return (await repositories.readTree(getWorkTree(context, job)))?.state ?? null;
}

/**
 * Returns whether the commands run for the final verification. Most of these have already passed on this very tree and
 * need no runner, so it would be a waste to start one before that is known.
 */
function isOfFinalTree({ run: { snapshot } }: JobCall): boolean {
  const job = snapshot.engine?.job;
  return job?.kind === 'commands' && job.todo === null;
}

/**
 * Returns the argument vector to run. A dev-cli command is run with this installation and on this root, regardless of
 * PATH.
 */
function resolveProgram(job: CommandJob, call: JobCall): readonly string[] {
  const { program, root } = call.context;
  return isOwn(job, call) ? [...program, ...job.argv.slice(1), '--root', root] : job.argv;
}

function isOwn({ argv, shell }: CommandJob, call: JobCall): boolean {
  return !shell && call.isOwn(argv);
}

/** Reads the document that a command of dev-cli printed; null if it printed something else. */
function readAnswer(directory: string): Record<string, unknown> | null {
  try {
    const answer: unknown = JSON.parse(readJobText(getLogFile(directory)) ?? '');
    return isRecord(answer) ? answer : null;
  } catch {
    return null;
  }
}

/**
 * Finds the result of the same command if it passed on the same tree in this run, its log still proves that, and
 * nothing has changed since, not even files that git ignores. Returns null during a retry or an invalidate, for which
 * the command always runs again (protocol.md §4).
 */
function findKeptResult(
  job: CommandJob,
  { context, repositories }: JobCall,
  state: RunState,
  tree: string | null,
): { exit: number; log: string } | null {
  const { name, pendingAction } = state;
  const { commandResults } = state;
  const again = pendingAction?.cause === 'retry' || pendingAction?.cause === 'invalidate';
  const { log, exit = 0 } = (tree === null || again ? undefined : commandResults[getResultKey(job, tree)]) ?? {};
  if (log === undefined) return null;
  const path = getRecordsPath(context, name, log);
  const text = readJobText(path);
  if (text === null || (job.acceptance !== null && findOutputFault(job.acceptance, text) !== null)) return null;
  const ended = inspectJob(dirname(path));
  if (ended.state !== 'finished') return null;
  return repositories.hasChangedSince(getWorkTree(context, job), Date.parse(ended.exit.at)) ? null : { exit, log };
}

/**
 * Records in the state that a command passed on a tree, so that it need not run again.
 * @param result `log` is relative to the run's directory; `at` is when the command ended
 */
export function keepResult(
  { state }: Transaction,
  job: CommandJob,
  tree: string,
  { exit, log, at }: { exit: number | null; log: string; at: string },
): void {
  const other = exit === null || exit === 0 ? {} : { exit };
  state.commandResults[getResultKey(job, tree)] = { at, actionId: job.actionId, log, ...other };
}

/** Removes a command that has ended from the state, and records how it ended in the journal. */
export function recordCommandEnd(
  tx: Transaction,
  { key, block, argv, acceptance }: CommandJob,
  { exit, outcome, log, reused }: { exit: number | null; outcome: string; log: string; reused?: boolean },
): void {
  delete tx.state.commands[key];
  const about = acceptance === null ? {} : { todoId: acceptance.todo, id: acceptance.id };
  const again = reused === true ? { reused } : {};
  recordEntry(tx, 'command-finished', { key, block, argv: [...argv], exit, outcome, log, ...about, ...again });
}

/** Returns the key of a result: the same for the same command on the same tree with the same expectations. */
export function getResultKey({ argv, shell, cwd, expects }: CommandJob, tree: string): string {
  return sha256(canonicalJson({ argv, shell, cwd, tree, ...omitUndefined({ expects }) }));
}

/** Returns whether a command ended with this exit code, or one of these, and not by a signal or its timeout. */
export function hasExitCode(ending: CommandEnding, exitCode: number | readonly number[]): boolean {
  if (ending.kind !== 'exit') return false;
  const { exit, signal, timedOut } = ending.exit;
  return signal === null && !timedOut && exit !== null && [exitCode].flat().includes(exit);
}

/**
 * Finds the fault in a command's output: a required text that is missing, or a forbidden one that occurs; null if none.
 */
export function findOutputFault(
  { stdoutContains, stdoutLacks }: Pick<QueuedCommand, 'stdoutContains' | 'stdoutLacks'>,
  output: string,
): { kind: 'lacks' | 'holds'; text: string } | null {
  if (stdoutContains !== undefined && !output.includes(stdoutContains)) return { kind: 'lacks', text: stdoutContains };
  return stdoutLacks !== undefined && output.includes(stdoutLacks) ? { kind: 'holds', text: stdoutLacks } : null;
}

/**
 * Adds the output that an acceptance needs. If the output must be searched but is incomplete, the command counts as
 * interrupted, because it then proves nothing.
 */
function addOutput(
  ending: CommandEnding,
  directory: string,
  { exitCode, stdoutContains, stdoutLacks }: QueuedCommand,
): Pick<CommandEnded, 'ending' | 'output'> {
  if (ending.kind !== 'exit') return { ending, output: '' };
  const searched = stdoutContains !== undefined || stdoutLacks !== undefined;
  if (!searched && hasExitCode(ending, exitCode)) return { ending, output: '' };
  const path = getLogFile(directory);
  const output = readJobText(path) ?? '';
  const found = stdoutLacks === undefined && output.includes(stdoutContains ?? '');
  const isThere = !searched || found || isWholeLog(path, ending.exit);
  return { ending: isThere ? ending : { kind: 'interrupted', vanished: true }, output };
}

/** Throws if the directory for the command's records is a link or a file, because the runner would write elsewhere. */
function refuseLinkOut({ directory }: CommandJob, { run: { files } }: JobCall): void {
  const { kind } = files.facts(directory);
  if (kind === 'missing' || kind === 'directory') return;
  const problem = kind === 'outside' ? 'it leads out of the project' : 'it is not a directory';
  throw new DevCliError('IO', `${directory} of this run cannot hold the command's log: ${problem}.`, {
    details: [{ target: directory, problem }],
    fix: `Move what is at ${directory} away, then repeat the same call.`,
  });
}
