import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { inspectJob, type JobRequest, type JobStatus, launchDetached } from '../../../src/jobs/detached.js';
import type { ExitRecord, StartedRecord } from '../../../src/jobs/records.js';
import { RunnerProcesses } from '../../../src/jobs/runner-process.js';
import { readStartTime } from '../../../src/work/processes.js';

/** A place to run external commands: the shipped runner, and directories whose names break careless quoting. */
export interface Bench {
  /** Absolute path of the bundled runner. */
  runner: string;
  /** The working directory of commands. */
  cwd: string;
  directory(name: string): string;
  /** Launches a command; returns its directory. */
  start(name: string, argv: string[], more?: Partial<JobRequest>): string;
  remove(): void;
}

export async function createBench(): Promise<Bench> {
  const outer = mkdtempSync(join(realpathSync(tmpdir()), `it's a "bench" `));
  const runner = join(outer, 'runner.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, '../../../src/cli/runner.ts')],
    outfile: runner,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // The same replacement as in scripts/build.mjs.
    define: { 'import.meta.url': '__moduleUrl' },
    banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: 'error',
  });
  const directory = (name: string) => join(outer, 'actions', name);
  return {
    runner,
    cwd: outer,
    directory,
    start(name, argv, more = {}) {
      const spec = {
        key: name,
        argv,
        shell: false,
        cwd: outer,
        timeoutSeconds: 60,
        runner,
        directory: directory(name),
      };
      const runners = new RunnerProcesses();
      launchDetached({ ...spec, ...more }, runners);
      runners.release();
      return directory(name);
    },
    remove: () => rmSync(outer, { recursive: true, force: true }),
  };
}

/** Polls every few milliseconds until `found` returns a value; fails after `seconds`. */
export async function eventually<T>(found: () => T | false | null | undefined, seconds = 20): Promise<T> {
  const over = performance.now() + seconds * 1000;
  while (performance.now() < over) {
    const value = found();
    if (value !== false && value !== null && value !== undefined) return value;
    await sleep(10);
  }
  throw new Error(`not in ${seconds} s: ${found}`);
}

export function inState<S extends JobStatus['state']>(
  directory: string,
  state: S,
): Promise<Extract<JobStatus, { state: S }>> {
  return eventually(() => {
    const status = inspectJob(directory);
    return status.state === state && (status as Extract<JobStatus, { state: S }>);
  });
}

export async function finished(directory: string): Promise<ExitRecord> {
  return (await inState(directory, 'finished')).exit;
}

export function startedIn(directory: string): StartedRecord {
  return JSON.parse(readFileSync(join(directory, 'started.json'), 'utf8'));
}

export function logIn(directory: string): string {
  return readFileSync(join(directory, 'command.log'), 'utf8');
}

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  return readStartTime(pid) !== null;
}
