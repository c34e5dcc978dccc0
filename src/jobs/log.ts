import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { writeAllBytes } from '../store/durable.js';

/** Maximum number of bytes kept of a command's output. */
export const LOG_LIMIT = 10 * 1024 * 1024;

/**
 * A command's output on disk, limited in size. The first half of the limit is written as it arrives. The most recent
 * output beyond it, up to the other half, is kept in memory and written when the command has ended, after a mark that
 * says how much was cut out between the two.
 */
export class Log {
  /** Bytes that the command has written, kept or not. */
  bytes = 0;
  /** Why the log is incomplete, if writing failed. */
  failure: string | undefined;
  private readonly half: number;
  private fd: number | null = null;
  /** A circular buffer, allocated once the first half is full. */
  private ring: Buffer | undefined;
  private ringBytes = 0;

  constructor(path: string, limit: number = LOG_LIMIT) {
    this.half = Math.floor(limit / 2);
    // A link at this path must not be followed, and a fifo must not block.
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
    this.attempt(() => {
      this.fd = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o644);
    });
  }

  /** Adds a chunk of output. */
  add(chunk: Buffer): void {
    const room = Math.max(0, this.half - this.bytes);
    this.bytes += chunk.length;
    this.write(chunk.subarray(0, room));
    if (chunk.length > room) this.keep(chunk.subarray(room));
  }

  /** Writes the end of the output, then flushes and closes the file. */
  close(): void {
    const cut = Math.max(0, this.ringBytes - this.half);
    if (cut > 0) this.write(Buffer.from(`\n[dev-cli: ${cut} bytes of output were cut out here]\n`));
    if (this.ring) {
      const next = this.ringBytes % this.half;
      if (cut > 0) this.write(this.ring.subarray(next));
      this.write(this.ring.subarray(0, cut > 0 ? next : this.ringBytes));
    }
    const { fd } = this;
    if (fd === null) return;
    this.attempt(() => fsyncSync(fd));
    closeSync(fd);
    this.fd = null;
  }

  /** Records why output was lost; the first reason stays. */
  fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error.message : String(error);
  }

  private keep(chunk: Buffer): void {
    this.ring ??= Buffer.alloc(this.half);
    const end = chunk.subarray(Math.max(0, chunk.length - this.half));
    const at = (this.ringBytes + chunk.length - end.length) % this.half;
    const copied = end.copy(this.ring, at);
    end.copy(this.ring, 0, copied);
    this.ringBytes += chunk.length;
  }

  private write(bytes: Buffer): void {
    const { fd } = this;
    if (fd !== null && this.failure === undefined) this.attempt(() => writeAllBytes(fd, bytes));
  }

  /** Catches write errors, since a full disk must not end the command, whose exit code still counts. */
  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }
}
