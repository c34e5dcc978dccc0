import { basename } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { endCommand, inspectJob, type JobRequest, launchDetached, waitFinished } from '../../../jobs/detached.js';
import { type ExitRecord, getLogFile, readJobText } from '../../../jobs/records.js';
import type { RunnerProcesses } from '../../../jobs/runner-process.js';
import { writeDurably } from '../../../store/durable.js';
import { findProgram } from '../../../work/processes.js';
import { boundResult, HEAD_BYTES } from './bounds.js';
import { type Sandbox, wrapInSandbox } from './sandbox.js';
import { BASH_MS } from './specs.js';
import { type CallPlan, ToolRefusal, type ToolResult, type ToolScope } from './tool.js';

/** How commands are run. */
export interface CommandSite {
  sandbox: Sandbox | null;
  /** The environment of commands, before `hidden` is removed. */
  env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that hold the runtime's keys. */
  hidden: readonly string[];
  /** Absolute path of the detached runner's bundle (run/context.ts). */
  runner: string;
  /** The runners of the calling process; whoever created them releases them. */
  runners: RunnerProcesses;
}

/** Milliseconds until a runner that has not started is launched again, and the maximum number of launches. */
const AGAIN_MS = 10_000;
const TRIES = 6;
/** Maximum bytes of one argument on Linux, including its NUL. */
const LONGEST = 128 * 1024;
const LONG = 2 ** 31 - 1;

type BashInput = { command: string; timeout?: number };

/** Plans the execution of a command. @throws ToolRefusal, system errors */
export function planBash({ command, timeout = BASH_MS }: BashInput, site: ToolScope, how: CommandSite): CallPlan {
  if (process.platform === 'win32') throw new ToolRefusal('bash runs on Linux and macOS only, not on Windows');
  if (command.trim() === '' || command.includes('\0')) throw new ToolRefusal('the command is empty or contains a NUL');
  if (Buffer.byteLength(command) >= LONGEST) throw new ToolRefusal('the command is longer than 128 KiB; use a file');
  const shell = findProgram('bash', { searchPath: how.env['PATH'] ?? '', cwd: '/' }) ? 'bash' : 'sh';
  const argv = [shell, '-c', '--', command];
  const request: JobRequest = {
    ...{ key: basename(site.directory), shell: false, cwd: site.workTree, timeoutSeconds: timeout / 1_000 },
    argv: how.sandbox === null ? argv : wrapInSandbox(argv, site, how.sandbox),
    ...{ directory: site.directory, runner: how.runner, env: buildEnvironment(how) },
  };
  return { kind: 'command', run: async () => toResult(await runOnce(request, site, how.runners), timeout, site) };
}

/**
 * Builds the environment of a command. `AI_AGENT` marks everything that the command starts as an agent, never a person
 * (protocol.md §1).
 */
function buildEnvironment({ env, hidden, sandbox }: CommandSite): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !hidden.includes(name));
  return { ...Object.fromEntries(kept), AI_AGENT: 'dev-cli', ...(sandbox !== null && { TMPDIR: '/tmp' }) };
}

/**
 * Starts a command unless its directory shows that it was started, and waits for it. The command outlives the calling
 * process.
 * @returns null if the command's end was not recorded
 * @throws DevCliError `INTERRUPTED`, while the command continues; `IO`, `COMMAND_FAILED`, `LOCKED`
 */
async function runOnce(request: JobRequest, { signal }: ToolScope, runners: RunnerProcesses) {
  const { directory } = request;
  for (let tries = 0; ; ) {
    const seen = inspectJob(directory);
    if (seen.state === 'finished') return seen.exit;
    if (seen.state === 'interrupted') {
      await endCommand(directory);
      return null;
    }
    const hasBegun = seen.state === 'running';
    if (!hasBegun) {
      if (tries++ === TRIES) {
        await endCommand(directory);
        throw new DevCliError('COMMAND_FAILED', 'The command could not be started.');
      }
      launchDetached(request, runners);
    }
    await waitFinished([directory], { milliseconds: hasBegun ? LONG : AGAIN_MS, signal });
  }
}

/** Builds the result for the model. The log file itself is cleaned first, because the result names its path. */
function toResult(exit: ExitRecord | null, timeout: number, site: ToolScope): ToolResult {
  const log = getLogFile(site.directory);
  const raw = readJobText(log);
  const clean = site.clean(raw ?? '');
  if (raw !== null && raw !== clean) writeDurably(log, clean);
  const output = boundResult(clean.replace(/\n+$/, ''), site, { head: HEAD_BYTES, whole: log });
  const timedOut = exit?.timedOut === true;
  const parts = exit === null ? ['interrupted; it may have run in part', output] : [output, describeEnd(exit, timeout)];
  return {
    output: parts.filter((part) => part !== '').join('\n') || '(no output)',
    isError: exit === null || timedOut || exit.error === 'spawn',
    data: { output, exitCode: exit?.exit ?? null, timedOut, log },
  };
}

/** Describes how a command ended; empty if it simply succeeded. */
function describeEnd({ exit, signal, timedOut, error, reason }: ExitRecord, timeout: number): string {
  if (error === 'spawn') return '[it could not be started]';
  const notes = error === 'log' ? [`[the output is incomplete: ${reason}]`] : [];
  if (timedOut) notes.push(`[ended after ${timeout} ms, with every process it had started]`);
  else if (exit !== 0) notes.push(exit === null ? `[ended by ${signal}]` : `[exit ${exit}]`);
  return notes.join('\n');
}
