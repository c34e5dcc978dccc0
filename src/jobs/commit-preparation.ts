import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOrNull } from '../base/json.js';
import { ensureDirectory, writeDurably } from '../store/durable.js';
import { buildCommitCommand, buildCommitFiles, type CommitPlan, type HeadPosition } from '../work/commit.js';
import type { LeftPath } from '../work/commit-paths.js';
import type { CommitJob } from './job.js';
import { readJobText } from './records.js';

/** Handles the files from which a runner makes a commit; they lie beside the runner's records. */

const MESSAGE = 'message.txt';
const PATHS = 'paths';
const PLAN = 'plan.json';

/**
 * Builds the command that makes the prepared commit.
 * @param directory absolute path of the job's records, as in all functions of this file
 */
export function buildPreparedCommand(directory: string): string[] {
  return buildCommitCommand(join(directory, MESSAGE), join(directory, PATHS));
}

/**
 * Writes the paths of a commit. Must be called before the index changes, so that a call that later withdraws the commit
 * knows which index entries to undo.
 */
export function writeCommitPaths(directory: string, paths: readonly string[]): void {
  writeFileSync(join(directory, PATHS), paths.map((path) => `${path}\0`).join(''));
}

/** Writes all files that the runner's git reads or that are needed to judge its result. @throws DevCliError `IO` */
export function writePreparation(
  directory: string,
  { message, key }: CommitJob,
  { paths, left, at }: Extract<CommitPlan, { kind: 'ready' }>,
): void {
  ensureDirectory(directory);
  writeDurably(join(directory, MESSAGE), buildCommitFiles(message, key, paths).message);
  writeCommitPaths(directory, paths);
  writeDurably(join(directory, PLAN), JSON.stringify({ left, at }));
}

/** Removes the files from which a commit was made. Called once its end is recorded. */
export function clearPreparation(directory: string): void {
  for (const name of [MESSAGE, PATHS, PLAN]) rmSync(join(directory, name), { force: true });
}

/**
 * Reads back those files of the preparation that still exist.
 * @returns `paths` and `at` are null if they are missing or incomplete
 * @throws DevCliError `IO`
 */
export function readPreparation(directory: string): {
  paths: string[] | null;
  left: LeftPath[];
  at: HeadPosition | null;
} {
  const paths = readJobText(join(directory, PATHS));
  const plan = (parseOrNull(readJobText(join(directory, PLAN))) ?? {}) as Partial<Preparation>;
  return {
    paths: paths?.endsWith('\0') ? paths.slice(0, -1).split('\0') : null,
    left: plan.left ?? [],
    at: plan.at ?? null,
  };
}

/** The content of `plan.json`. */
interface Preparation {
  left: LeftPath[] | null;
  at: HeadPosition | null;
}
