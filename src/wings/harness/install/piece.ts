import type { Markers } from '../../../documents/region.js';
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
  kind: 'settings' | 'lines' | 'regions';
  path: string;
  /** Into a JSON file. */
  additions?: readonly Addition[];
  /** Lines at the end of a text. */
  lines?: readonly string[];
  /** Marked blocks at the end of a text. */
  regions?: readonly Region[];
  what: string;
}

/** A block between marks of dev-cli, by which it is known in a clone, too. */
export interface Region {
  markers: Markers;
  body: string;
  /** The text is TOML, and this the table that the body is; where somebody else has it, that one stays. */
  table?: readonly string[];
}

export type Piece = OwnFile | SharedFile;
