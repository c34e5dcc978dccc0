import { DevCliError } from './errors.js';

/** What is at a path; a link out of the root is not followed. */
export type FileFacts =
  | { kind: 'file'; size: number; mtimeMs: number; ctimeMs: number; inode: number }
  | { kind: 'missing' }
  | { kind: 'directory' }
  /** A link, or a path through one, that leads out of the root. */
  | { kind: 'outside' }
  /** A fifo, socket or device. */
  | { kind: 'special' };

/**
 * Reads a run's documents as they are now. Paths use `/`; they are relative to the run's directory, or with a leading
 * `/` to the root. A path that would leave the root is refused, never followed.
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

/** A document that a commit writes or deletes. */
export interface FileChange {
  path: string;
  /** Null deletes the document. */
  content: string | Uint8Array | null;
  /**
   * Set for a rendering: its owner can make the document anew from entries and snapshot, so that no entry holds it. `whole`:
   * `content` is all of it; `end`: it is added at the end of what is there.
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

/** A YAML file below a directory, or what could not be looked into there. */
export interface FoundFile {
  /** Relative to the directory, with `/`; empty for the directory itself. */
  path: string;
  /** Why what lies there was not looked at: a link to a directory, one that this user may not read, or `.YAML`. */
  closed?: 'link' | 'unreadable' | 'ending';
}

/** Finds files of this machine by absolute path. */
export interface FileFinder {
  /** The user's home directory, absolute; null where the environment names none. */
  home: string | null;
  /** Where the user's programs keep their settings (XDG_CONFIG_HOME), absolute; null where nothing says so. */
  settings: string | null;
  /**
   * Lists the YAML files below a directory at any depth, those that lie higher first, then by path; empty when there is no such
   * directory. Hidden ones and node_modules are left out; links to directories are named, never followed.
   */
  find(directory: string): FoundFile[];
  /** The path with every link followed; null when nothing is there. */
  real(path: string): string | null;
}

/** Largest document, in bytes. Nothing larger is written, because it could not be read back. */
export const MAX_DOCUMENT = 8 * 1024 * 1024;

const PROBLEMS = {
  outside: 'leads out of the project',
  directory: 'is a directory',
  special: 'is no regular file',
  large: 'is larger than 8 MiB',
};

/** Builds the error for a path that holds anything but a document, with how to mend it. */
export function buildUnusableError(path: string, why: keyof typeof PROBLEMS): DevCliError {
  return new DevCliError('EVIDENCE_INVALID', `${path} ${PROBLEMS[why]}.`, {
    details: [{ target: path, problem: PROBLEMS[why] }],
    fix: `Put a regular file of at most 8 MiB at ${path}, then repeat the same call.`,
  });
}
