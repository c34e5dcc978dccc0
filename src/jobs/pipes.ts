import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file descriptors of a pipe's two ends. Whoever takes the pipe must close both. */
interface Pipe {
  /** The end that the command writes to. */
  input: number;
  /** The end that the runner reads. */
  output: number;
}

/** Number of pipes made at a time, since one `mkfifo` process makes several as fast as one. */
const AT_A_TIME = 4;

/**
 * Pipes for the output of commands. Node would use a socket, which on Linux a command cannot open as /dev/stdout or
 * /dev/stderr. Each command gets its own pipe, so that processes it leaves behind cannot write into the next command's
 * log.
 */
export class Pipes {
  private ready: Pipe[] = [];

  /** Returns a pipe; null without a usable temporary directory or mkfifo, in which case the caller uses a socket. */
  take(): Pipe | null {
    this.prepare();
    return this.ready.pop() ?? null;
  }

  /** Makes pipes ready, where possible. */
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

/**
 * Makes named pipes and opens them. They lie in a temporary directory, since not every project's file system supports
 * them.
 */
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
