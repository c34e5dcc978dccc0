import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The two ends of a pipe: descriptors, of which the one who takes the pipe closes both. */
interface Pipe {
  /** What a command writes to. */
  input: number;
  /** What is read of it. */
  output: number;
}

/** How many pipes are made at a time: one process makes several as fast as one. */
const AT_A_TIME = 4;

/**
 * Pipes for the output of commands. Node would use a socket, which on Linux a command cannot open as /dev/stdout or /dev/stderr.
 * Each command gets its own: what it leaves behind must not write into the log of the next.
 */
export class Pipes {
  private ready: Pipe[] = [];

  /** @returns null if there is no temporary directory or no mkfifo; then a socket has to do */
  take(): Pipe | null {
    this.prepare();
    return this.ready.pop() ?? null;
  }

  /** Has a pipe ready, if one can be had. */
  prepare(): void {
    if (this.ready.length > 0) return;
    for (const parent of new Set([tmpdir(), '/tmp'])) {
      try {
        this.ready = makePipes(mkdtempSync(join(parent, 'dev-cli-')));
        return;
      } catch {
        // TMPDIR may name a directory that does not exist; the next one is tried.
      }
    }
  }
}

/** Makes named pipes and opens them. In a temporary directory, since not every project has a file system with such. */
function makePipes(directory: string): Pipe[] {
  try {
    const paths = Array.from({ length: AT_A_TIME }, (_, n) => join(directory, `${n}`));
    execFileSync('mkfifo', paths, { stdio: 'ignore' });
    return paths.map((path) => {
      const output = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      return { output, input: openSync(path, constants.O_WRONLY) };
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
