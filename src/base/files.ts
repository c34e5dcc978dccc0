import { DevCliError } from './errors.js';

/** What is at a path, seen without following a link out of the root. */
export type FileFacts =
  | { kind: 'file'; size: number; mtimeMs: number; ctimeMs: number; inode: number }
  | { kind: 'missing' }
  | { kind: 'directory' }
  /** A link, or a path through one, that leads out of the root. */
  | { kind: 'outside' }
  /** A fifo, socket or device. */
  | { kind: 'special' };

/**
 * A run's documents as they are now. Paths use `/`, are relative to the run's directory, and with a leading `/` to the
 * root. A path that would leave the root is refused, never followed.
 */
export interface DocumentReader {
  /**
   * The content, or null where nothing is.
   * @throws DevCliError `IO`; `EVIDENCE_INVALID` for anything but a regular file inside the root, and for one over 8 MiB
   */
  read(path: string): Buffer | null;
  facts(path: string): FileFacts;
  /** Names (not paths) of the entries of a directory, sorted; empty when there is none. */
  list(directory: string): string[];
}

/** A document to put in place with a commit. `content` null deletes it. */
export interface FileChange {
  path: string;
  content: string | Uint8Array | null;
}

/** Reads text files anywhere by absolute path; used for recipes, prompts and agent definitions. */
export interface FileReader {
  /** The text, or null where nothing is. Throws DevCliError `IO` for anything else that goes wrong. */
  read(path: string): string | null;
  /** Names of the entries of a directory, sorted; empty when there is none. */
  list(directory: string): string[];
}

/** What a reader of documents takes at most, in bytes; a larger one could never be read back. */
export const MAX_DOCUMENT = 8 * 1024 * 1024;

const PROBLEMS = {
  outside: 'leads out of the project',
  directory: 'is a directory',
  special: 'is no regular file',
  large: 'is larger than 8 MiB',
};

/** The error of `Files.read` for anything but a document. */
export function buildUnusableError(path: string, why: keyof typeof PROBLEMS): DevCliError {
  return new DevCliError('EVIDENCE_INVALID', `${path} ${PROBLEMS[why]}.`, {
    details: [{ target: path, problem: PROBLEMS[why] }],
    fix: `Put a regular file of at most 8 MiB at ${path}, then repeat the same call.`,
  });
}
