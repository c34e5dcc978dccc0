import { DevCliError } from './errors.js';

/** What is at a path; links out of the root are not followed. */
export type FileFacts =
  | { kind: 'file'; size: number; mtimeMs: number; ctimeMs: number; inode: number }
  | { kind: 'missing' }
  | { kind: 'directory' }
  /** A link, or a path through a link, that leads out of the root. */
  | { kind: 'outside' }
  /** A fifo, socket or device. */
  | { kind: 'special' };

/**
 * Reads a run's documents as they are now. Paths use `/` and are relative to the run's directory, or to the root if
 * they begin with `/`. A path that would leave the root is refused, never followed.
 */
export interface DocumentReader {
  /**
   * The content, or null when there is no file.
   * @throws DevCliError `IO`; `EVIDENCE_INVALID` for anything but a regular file of at most 8 MiB inside the root
   */
  read(path: string): Buffer | null;
  facts(path: string): FileFacts;
  /** Names (not paths) of a directory's entries, sorted; empty when there is no such directory. */
  list(directory: string): string[];
}

/** A document that a transaction writes or deletes. */
export interface FileChange {
  path: string;
  /** Null deletes the document. */
  content: string | Uint8Array | null;
  /**
   * Set for a rendering: its owner can regenerate the document from entries and snapshot, so no entry stores it.
   * `whole`: `content` is the whole file; `end`: `content` is appended to the file.
   */
  rendered?: 'whole' | 'end';
}

/** Reads text files by absolute path, inside the root or not: recipes, prompts and agent definitions. */
export interface FileReader {
  /**
   * The text, or null when there is no file.
   * @throws DevCliError `IO` for any other failure
   */
  read(path: string): string | null;
  /** Names (not paths) of a directory's entries, sorted; empty when there is no such directory. */
  list(directory: string): string[];
}

/** A YAML file below a directory, or something there that was not searched. */
export interface FoundFile {
  /** Relative to the directory, with `/`; empty for the directory itself. */
  path: string;
  /** Why it was not searched: a link to a directory, a directory this user may not read, or the ending `.YAML`. */
  closed?: 'link' | 'unreadable' | 'ending';
}

/** Finds files of this machine by absolute path. */
export interface FileFinder {
  /** The user's home directory, absolute; null where the environment names none. */
  home: string | null;
  /** The directory where the user's programs keep settings (XDG_CONFIG_HOME), absolute; null where nothing names it. */
  settings: string | null;
  /**
   * Lists the YAML files below a directory at any depth, higher ones first, then by path; empty when the directory does
   * not exist. Hidden entries and node_modules are left out; links to directories are listed, never followed.
   */
  find(directory: string): FoundFile[];
  /** Returns the path with every link resolved; null when nothing is there. */
  real(path: string): string | null;
}

/** Size limit of a document, in bytes. Nothing larger is written, because it could not be read back. */
export const MAX_DOCUMENT = 8 * 1024 * 1024;

const PROBLEMS = {
  outside: 'leads out of the project',
  directory: 'is a directory',
  special: 'is not a regular file',
  large: 'is larger than 8 MiB',
};

/** Builds the error for a path that holds something other than a document, with the way to correct it. */
export function buildUnusableError(path: string, why: keyof typeof PROBLEMS): DevCliError {
  return new DevCliError('EVIDENCE_INVALID', `${path} ${PROBLEMS[why]}.`, {
    details: [{ target: path, problem: PROBLEMS[why] }],
    fix: `Put a regular file of at most 8 MiB at ${path}, then repeat the same call.`,
  });
}
