import { DevCliError } from './errors.js';

/** Facts about the file at a path; links out of the root are not followed. */
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
   * Returns the content, or null if there is no file.
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
   * Set if the document is a rendering. It can be rendered again from the journal's entries and the snapshot, so no
   * entry stores its text. `whole`: `content` is the whole file; `end`: `content` is appended to the file.
   */
  rendered?: 'whole' | 'end';
}

/** Reads text files by absolute path, inside the root or not: recipes, prompts and agent definitions. */
export interface FileReader {
  /**
   * Returns the text, or null if there is no file.
   * @throws DevCliError `IO` for any other failure
   */
  read(path: string): string | null;
  /** Names (not paths) of a directory's entries, sorted; empty when there is no such directory. */
  list(directory: string): string[];
}

/** A YAML file below a directory, or an entry there that was not searched or used. */
export interface FoundFile {
  /** Relative to the directory, with `/`; empty for the directory itself. */
  path: string;
  /** Why it was not used: a link to a directory, a directory this user may not read, or an ending such as `.YAML`. */
  closed?: 'link' | 'unreadable' | 'ending';
}

/** Finds files on this machine by absolute path. */
export interface FileFinder {
  /** The user's home directory, absolute; null if the environment names none. */
  home: string | null;
  /** The directory of the settings of the user's programs (XDG_CONFIG_HOME), absolute; null if unknown. */
  settings: string | null;
  /**
   * Lists the YAML files below a directory at any depth, sorted by depth and then by path; empty if the directory does
   * not exist. Leaves out hidden entries and node_modules; lists links to directories, but never follows them.
   */
  find(directory: string): FoundFile[];
  /** Returns the path with every link resolved; null if it does not exist. */
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

/** Builds the error, with its fix, for a path where the file found cannot be used as a document. */
export function buildUnusableError(path: string, why: keyof typeof PROBLEMS): DevCliError {
  return new DevCliError('EVIDENCE_INVALID', `${path} ${PROBLEMS[why]}.`, {
    details: [{ target: path, problem: PROBLEMS[why] }],
    fix: `Put a regular file of at most 8 MiB at ${path}, then repeat the same call.`,
  });
}
