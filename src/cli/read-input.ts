import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { CallEnvironment } from '../app/environment.js';
import { blockFor } from '../base/clock.js';
import { DevCliError, getSystemCode } from '../base/errors.js';

/**
 * Maximum size of an input in bytes. No document of a run is larger, so a larger input is a mistake (protocol.md §1).
 */
const INPUT_LIMIT = 8 * 1024 * 1024;

/**
 * Creates the function that reads an input named on the command line: a file, or standard input, which can be read only
 * once. A relative path is resolved against the current directory, but a path below `.dev/` against the root or,
 * failing that, against the nearest ancestor directory that has the file.
 * @returns a function that throws DevCliError `DATA_MISSING`, `DATA_MALFORMED`, `USAGE` or `IO`
 */
export function createInputReader(at: {
  cwd: string;
  root: string | null;
  /** The descriptor of standard input. */
  stdin: number;
  stdinIsTerminal: boolean;
}): CallEnvironment['readInput'] {
  let stdinTaken = false;
  return (source) => {
    if (source !== '-') return readFile(findPath(source.file, at.cwd, at.root), source.file);
    if (at.stdinIsTerminal) {
      throw new DevCliError('DATA_MISSING', 'Standard input is a terminal; nothing was piped in.', {
        fix: 'Pipe the data in, or name a file with @FILE.',
      });
    }
    if (stdinTaken) {
      throw new DevCliError('USAGE', 'Standard input can be read for one option only.', {
        fix: 'Write one of the two into a file and name it with @FILE.',
      });
    }
    stdinTaken = true;
    return readLimited(at.stdin, 'standard input');
  };
}

function findPath(file: string, cwd: string, root: string | null): string {
  const here = resolve(cwd, file);
  if (isAbsolute(file) || !file.startsWith('.dev/')) return here;
  const bases = [...(root === null ? [] : [root]), ...listAncestors(cwd)];
  return bases.map((base) => resolve(base, file)).find((path) => existsSync(path)) ?? here;
}

function listAncestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...listAncestors(parent)];
}

function readFile(path: string, shown: string): Buffer {
  try {
    // Opened without blocking, so a fifo without a writer counts as empty.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readLimited(descriptor, shown);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw explainReadError(error, shown);
  }
}

function readLimited(descriptor: number, shown: string): Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const length = readSome(descriptor, chunk, shown);
    if (length === 0) return Buffer.concat(chunks, size);
    chunks.push(chunk.subarray(0, length));
    size += length;
    if (size > INPUT_LIMIT) {
      throw new DevCliError('DATA_MALFORMED', `${shown} has more than 8 MiB, the limit for data.`, {
        details: [{ target: shown, problem: 'larger than 8 MiB' }],
        fix: 'Give only the data itself, not the material it was made from.',
      });
    }
  }
}

function readSome(descriptor: number, chunk: Buffer, shown: string): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if (getSystemCode(error) === 'EOF') return 0;
      if (getSystemCode(error) !== 'EAGAIN') throw explainReadError(error, shown);
      blockFor(5);
    }
  }
}

function explainReadError(error: unknown, shown: string): unknown {
  const code = getSystemCode(error);
  if (error instanceof DevCliError || code === undefined) return error;
  const details = [{ target: shown, problem: code }];
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new DevCliError('DATA_MISSING', `There is no file ${JSON.stringify(shown)}.`, {
      details,
      fix: 'Write the file first, then run the same command again.',
    });
  }
  if (code === 'EISDIR') {
    return new DevCliError('DATA_MALFORMED', `${JSON.stringify(shown)} is a directory.`, {
      details,
      fix: 'Name a file.',
    });
  }
  return new DevCliError('IO', `${JSON.stringify(shown)} cannot be read (${code}).`, { details, cause: error });
}
