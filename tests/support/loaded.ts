import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BINARY, CHECKOUT } from './project.mjs';

/** What one call of dev-cli loaded and did, in figures that are the same on every machine. */
export interface Loaded {
  /** Modules of Node that a bare process does not load. */
  builtins: string[];
  /** The paths of the JavaScript files that were loaded, relative to the checkout. */
  files: string[];
  /** Bytes of those files. */
  bytes: number;
  /** Files that were opened, including those above. */
  opened: number;
  processes: number;
  fsyncs: number;
}

/** Preloaded into a call, this module appends a record of the call to the file that `DEV_CLI_TEST_LOADED` names. */
export const COUNTER = join(CHECKOUT, 'tests/support/loaded.cjs');

/** Reads and removes all records, and returns those of a program's calls, without those of background processes. */
export function takeLoaded(notes: string, program = BINARY): Loaded[] {
  if (!existsSync(notes)) return [];
  const lines = readFileSync(notes, 'utf8').trim().split('\n');
  rmSync(notes);
  return lines
    .map((line) => JSON.parse(line) as Omit<Loaded, 'bytes'> & { program: string })
    .filter((one) => one.program === program)
    .map(({ program: _, files, ...rest }) => {
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      return { ...rest, files: files.map((file) => relative(CHECKOUT, file)), bytes };
    });
}
