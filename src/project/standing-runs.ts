import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_LAYOUT, RUNS } from './layout.js';

/** Returns a text that changes whenever a run of the root is added, changed or removed. Does not read the runs. */
export function describeRuns(root: string): string {
  const directory = join(root, RUNS);
  return list(directory)
    .flatMap((name) => [RUN_LAYOUT.names.journal, RUN_LAYOUT.names.snapshot, ''].map((file) => join(name, file)))
    .map((path) => `${path} ${describe(join(directory, path))}`)
    .join('\n');
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    // An unreadable directory counts as empty. The text changes as soon as the directory can be read.
    return [];
  }
}

function describe(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.size} ${stats.mtimeMs}`;
}
