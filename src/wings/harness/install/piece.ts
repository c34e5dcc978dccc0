import type { Addition } from './settings.js';

/** What is installed, as data: files of dev-cli's own, and additions to settings (harness.md, Install). */

export type Scope = 'project' | 'user';

/** A file that is dev-cli's alone. */
export interface OwnFile {
  kind: 'file';
  /** Relative to the project, or to the home directory. */
  path: string;
  content: string;
  /** What it is for, in a word or two. */
  what: string;
  /** The same under a name of its own, for where somebody else has that place. */
  otherwise?: OwnFile;
  /** A file that would give somebody else's the same name. */
  rival?: string;
  /** A copy of what ships, which nobody edits: written over and removed whatever it says. */
  isCopy?: true;
}

/** Additions to a file that others share. */
export interface SharedFile {
  kind: 'settings' | 'lines';
  path: string;
  /** Into lists of a JSON file. */
  additions?: readonly Addition[];
  /** Lines at the end of a text. */
  lines?: readonly string[];
  what: string;
}

export type Piece = OwnFile | SharedFile;
