import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_LAYOUT, RUNS } from './layout.js';

/** Describes the runs of a root without reading them. The text changes if a run was added, changed or removed. */
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
    // A directory that cannot be read now shows up as a change once it can be.
    return [];
  }
}

function describe(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.size} ${stats.mtimeMs}`;
}
