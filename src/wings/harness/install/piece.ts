import type { Markers } from '../../../documents/region.js';
import type { Addition } from './settings.js';

/** The types of installed content: files of dev-cli's own, and additions to shared files (harness.md, Install). */

export type Scope = 'project' | 'user';

/** A file that only dev-cli writes. */
export interface OwnFile {
  kind: 'file';
  /** Relative to the project or the home directory. */
  path: string;
  content: string;
  /** What the file is for, in a word or two. */
  what: string;
  /** The same file under another name, if somebody else's file has this path. */
  otherwise?: OwnFile;
  /** The path at which somebody else's file would define the same slash command. */
  rival?: string;
  /** True for a mere copy of a shipped file; it is overwritten and removed even if it was edited. */
  isCopy?: true;
}

/** Additions to a file shared with others. */
export interface SharedFile {
  kind: 'settings' | 'lines' | 'regions';
  path: string;
  /** Values added to a JSON file. */
  additions?: readonly Addition[];
  /** Lines added at the end of a text. */
  lines?: readonly string[];
  /** Marked blocks added at the end of a text. */
  regions?: readonly Region[];
  what: string;
}

/** A block between markers of dev-cli, which also identify it in a clone. */
export interface Region {
  markers: Markers;
  body: string;
  /** For TOML, the table that the body defines; if somebody else has defined that table, theirs stays. */
  table?: readonly string[];
}

export type InstallPiece = OwnFile | SharedFile;
