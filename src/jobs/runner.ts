import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, formatInstant, type Ids } from '../base/clock.js';
import { OWN_MARK } from '../base/harness-mark.js';
import { ENDING_SIGNALS } from '../base/signals.js';
import { claimPath } from '../store/claim.js';
import { writeDurably } from '../store/durable.js';
import { identifyProcess } from '../store/process.js';
import { endProcessGroup, readStartTime } from '../work/processes.js';
import { Log } from './log.js';
import type { Pipes } from './pipes.js';
import {
  type ExitRecord,
  getClaimFile,
  getCommandFile,
  getExitFile,
  getLogFile,
  getStartedFile,
  isClosed,
  isWithdrawn,
  type ProcessSpec,
  readSpec,
  type StartedRecord,
} from './records.js';

/** The detached runner: a process that starts external commands and records how each ends (protocol.md §4). */

/** Waits for a line on descriptor 3, then becomes the command, so that no command runs before its start is recorded. */
const GATE = 'read -r DEV_CLI_GATE <&3 || exit 125; exec 3<&-; exec "$@"';

/** Milliseconds to wait for output after the group has ended; a process outside it may keep the pipe open forever. */
const DRAIN_MS = 1_000;
/** Milliseconds between two checks whether the run has withdrawn the command. */
const WITHDRAWN_MS = 250;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Surroundings {
  /**
   * The environment for commands. A command inherits all of it except dev-cli's own variables (`DEV_CLI_…`); of these
   * it gets only `OWN_MARK`, by which dev-cli recognizes what its own sessions start. Never written to disk.
   */
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  ids: Ids;
  /** Pipes for the commands' output. */
  pipes: Pipes;
}

/** A process that waits at the gate and then becomes the command. */
interface Gated {
  pgid: number;
  /** Lets the command run. */
  open(): void;
  /** Ends the process without running the command. */
  dismiss(): void;
  ended: Promise<{ exit: number | null; signal: string | null }>;
  /** Standard output and standard error, through one pipe. */
  output: Socket;
}

type JobEnd = Pick<ExitRecord, 'exit' | 'signal' | 'timedOut' | 'error' | 'reason'>;

/**
 * Runs the command of a `command.json`: writes `started.json` and `command.log` beside it, and at the end `exit.json`,
 * which replaces `started.json` and `command.json`. Starts a command at most once: if another runner has the claim, or
 * has begun and died, returns without doing anything.
 * @param specFile absolute path of `command.json`
 * @throws DevCliError `IO` if the records cannot be written; nothing runs before `started.json` is written
 */
export async function runCommandFile(specFile: string, { env, clock, ids, pipes }: Surroundings): Promise<void> {
  const directory = dirname(specFile);
  const mine = claimPath(getClaimFile(directory), { clock, ids, purpose: 'an external command' });
  if (mine === null) return;
  try {
    // Read only under the claim, because until then another runner may run the command, or the run may withdraw it.
    const spec = readSpec(directory);
    if (isClosed(directory) || spec === 'absent' || spec === 'damaged') return;
    const startedAt = clock.now();
    const log = new Log(getLogFile(directory));
    const ending = await runGated(spec, directory, log, { env, clock, pipes });
    log.close();
    const at = clock.now();
    const record: ExitRecord = {
      key: spec.key,
      argv: spec.argv,
      tree: spec.tree ?? null,
      ...(log.failure === undefined ? {} : { error: 'log', reason: log.failure }),
      ...ending,
      startedAt: formatInstant(startedAt),
      at: formatInstant(at),
      durationMs: Math.max(0, at - startedAt),
      logBytes: log.bytes,
    };
    writeDurably(getExitFile(directory), JSON.stringify(record));
    clearBeginning(directory);
  } finally {
    mine.release();
  }
}

/** Removes the records that `exit.json` supersedes, so that only that file and the log remain. */
function clearBeginning(directory: string): void {
  try {
    for (const path of [getCommandFile(directory), getStartedFile(directory)]) rmSync(path, { force: true });
  } catch {
    // A failure is harmless: once `exit.json` exists, nothing reads these files any more.
  }
}

async function runGated(
  spec: ProcessSpec,
  directory: string,
  log: Log,
  { env, clock, pipes }: Omit<Surroundings, 'ids'>,
): Promise<JobEnd> {
  let command: Gated;
  try {
    command = await startGated(spec, env, pipes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.add(Buffer.from(`dev-cli: the command could not be started: ${reason}\n`));
    return { exit: null, signal: null, timedOut: false, error: 'spawn', reason };
  }
  command.output.on('data', (chunk: Buffer) => log.add(chunk));
  command.output.on('error', (error) => log.fail(error));
  // Installed before the start record is written, because other calls send signals to the process named there.
  const stop = () => void endProcessGroup(command.pgid);
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  const record: StartedRecord = {
    pid: process.pid,
    start: readStartTime(process.pid),
    host: identifyProcess().host,
    pgid: command.pgid,
    groupStart: readStartTime(command.pgid),
    at: formatInstant(clock.now()),
  };
  try {
    writeDurably(getStartedFile(directory), JSON.stringify(record));
  } catch (error) {
    // Otherwise the gated process and this runner would wait forever.
    command.dismiss();
    throw error;
  }
  command.open();
  const ending = await awaitEnd(command, directory, spec.timeoutSeconds);
  for (const signal of ENDING_SIGNALS) process.off(signal, stop);
  return ending;
}

/** Starts the command's process in a group of its own, waiting at the gate. */
async function startGated(spec: ProcessSpec, env: Surroundings['env'], pipes: Pipes): Promise<Gated> {
  const [first] = spec.argv;
  if (first === undefined || (spec.shell && spec.argv.length > 1)) throw new Error('no usable command was given');
  const words = spec.shell ? ['/bin/sh', '-c', first] : spec.argv;
  const pipe = pipes.take();
  const output = pipe === null ? null : new Socket({ fd: pipe.output, readable: true, writable: false });
  let input: number | 'ignore' = 'ignore';
  try {
    if (spec.stdin !== undefined) input = openInput(spec.stdin);
    const child: ChildProcess = spawn('/bin/sh', ['-c', pipe === null ? `exec 2>&1; ${GATE}` : GATE, 'sh', ...words], {
      cwd: spec.cwd,
      env: Object.fromEntries(Object.entries(env).filter(([name]) => isHandedOn(name))),
      detached: true,
      stdio: pipe === null ? [input, 'pipe', 'ignore', 'pipe'] : [input, pipe.input, pipe.input, 'pipe'],
    });
    const ended = new Promise<Awaited<Gated['ended']>>((resolve) => {
      child.once('exit', (exit, signal) => resolve({ exit, signal }));
    });
    await once(child, 'spawn');
    const latch = child.stdio[3] as Writable;
    // Writing fails if the process is killed before it reads the line; its exit is then recorded as usual.
    latch.on('error', () => {});
    const open = () => void latch.end('\n');
    const dismiss = () => void latch.end();
    return { pgid: child.pid as number, open, dismiss, ended, output: output ?? (child.stdout as Socket) };
  } catch (error) {
    output?.destroy();
    throw error;
  } finally {
    if (pipe !== null) closeSync(pipe.input);
    if (typeof input === 'number') closeSync(input);
  }
}

/**
 * Returns whether a command inherits a variable. Variables that concern only this call of dev-cli are left out.
 * `OWN_MARK` has to reach every process that the command starts, so that none of them passes for a person.
 */
const isHandedOn = (name: string): boolean => name === OWN_MARK || !name.startsWith('DEV_CLI_');

/** Opens the file that a command is to read, without ever blocking on a fifo. */
function openInput(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new Error(`${path}, which it has to read, is not a file`);
}

/** Waits until the command ends or its time is up, then ends the remaining processes of its group. */
async function awaitEnd(command: Gated, directory: string, timeoutSeconds: number): Promise<JobEnd> {
  let timedOut = false;
  const limit = Math.min(timeoutSeconds * 1_000, LONGEST_TIMER_MS);
  const timer = setTimeout(() => {
    timedOut = true;
    void endProcessGroup(command.pgid);
  }, limit);
  // The call that withdrew the command normally ends it; this covers the case that the call died first.
  const look = setInterval(() => {
    if (!isWithdrawn(directory)) return;
    clearInterval(look);
    void endProcessGroup(command.pgid);
  }, WITHDRAWN_MS);
  const drained = new Promise((resolve) => command.output.once('close', resolve));
  const { exit, signal } = await command.ended;
  clearTimeout(timer);
  clearInterval(look);
  await endProcessGroup(command.pgid);
  await Promise.race([drained, sleep(DRAIN_MS, undefined, { ref: false })]);
  command.output.destroy();
  return { exit, signal, timedOut };
}
