import { dirname, relative, resolve } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { isRecord } from '../../../base/json.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import { HARNESSES } from '../harness.js';
import { readFileText, removeText, writeText } from './disk.js';
import type { SharedFile } from './piece.js';
import { isUndo, type Undo } from './settings.js';

/** Records what `install` wrote, so that `uninstall` removes exactly that (harness.md, Install). */

/** A file that only dev-cli writes, with its digest. */
interface FileRecord {
  kind: 'file';
  sha256: string;
}

/**
 * A file shared with others: its digests before and after the additions, and the changes that take the additions out
 * again, which apply only if nobody has changed the file since.
 */
export interface SharedRecord {
  kind: SharedFile['kind'];
  /** The file's digest before `install` changed it; null if there was no file. */
  before: string | null;
  after: string;
  undo: Undo[];
  /** Content equal to ours that was there before, and so belongs to somebody else: lines, or values as JSON. */
  theirs?: string[];
}

export type PieceRecord = (FileRecord | SharedRecord) & {
  /** During an update: the record of the previous state. */
  earlier?: FileRecord | SharedRecord;
};

/** A harness, or `project` for the pieces that a project needs with any harness. */
export type PartId = HarnessId | 'project';

/** The record of everything that `install` has written, so that all of it can be updated and removed. */
export interface Manifest {
  version: 1;
  /** The version of dev-cli that wrote the manifest. */
  cli: string;
  /** The records of all installed files, by part and then by path relative to the project or the home directory. */
  harnesses: Partial<Record<PartId, Record<string, PieceRecord>>>;
  /**
   * Directories that `install` created. Those below the project or the home directory are relative, so that the project
   * can be moved; others are absolute.
   */
  directories: string[];
  /** Whether `install` created the ignore rules of `.dev`. */
  ignoreRules?: boolean;
  /** The extras requested by `--with`. */
  with?: readonly string[];
}

/**
 * Reads the manifest; null if nothing is installed.
 * @throws DevCliError `DATA_MALFORMED` for an invalid manifest: dev-cli never guesses at its content
 */
export function readManifest(path: string): Manifest | null {
  const text = readFileText(path);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (isManifest(value)) return value;
  throw new DevCliError('DATA_MALFORMED', `${path} is not a valid record of what was installed.`, {
    fix: 'Move it away. The next install records what is there.',
  });
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || value['version'] !== 1 || !isRecord(value['harnesses'])) return false;
  const { directories, harnesses, with: extras = [] } = value;
  if (!areTexts(directories) || !areTexts(extras)) return false;
  return Object.values(harnesses).every(
    (records) => isRecord(records) && Object.entries(records).every(([path, one]) => isOurPlace(path) && isPiece(one)),
  );
}

/**
 * Returns whether any version installs to this path. A manifest may come from a stranger, as in a clone, so it must not
 * lead to any other path.
 */
function isOurPlace(path: string): boolean {
  const [top = ''] = path.split('/');
  const isOfHarness = Object.values(HARNESSES).some(({ directory, skills, ignoreFile, extras }) =>
    path === top
      ? [ignoreFile, extras?.instructions, extras?.servers.path].includes(path)
      : [directory, dirname(skills)].includes(top),
  );
  return (isOfHarness || /^(?:\.dev\/schemas\/|\.prettierignore$)/.test(path)) && !path.split('/').includes('..');
}

function isPiece(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, sha256, before, after, undo, earlier, theirs } = value;
  if (earlier !== undefined && !isPiece(earlier)) return false;
  if (kind === 'file') return typeof sha256 === 'string';
  if (kind !== 'settings' && kind !== 'lines' && kind !== 'regions') return false;
  return (
    (before === null || typeof before === 'string') &&
    typeof after === 'string' &&
    Array.isArray(undo) &&
    undo.every(isUndo) &&
    (theirs === undefined || areTexts(theirs))
  );
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/**
 * Returns the absolute paths of the created directories; ignores entries that neither lie below `base` nor contain the
 * manifest.
 */
export function listCreatedDirectories({ directories }: Manifest, base: string, path: string): string[] {
  return directories
    .map((one) => resolve(base, one))
    .filter((one) => (one.startsWith(`${base}/`) || path.startsWith(`${one}/`)) && one !== base);
}

/** Returns created directories as the manifest stores them. */
export function renderMade(made: readonly string[], base: string): string[] {
  return [...new Set(made)].map((one) => (one.startsWith(`${base}/`) ? relative(base, one) : one));
}

/** Writes the manifest, or removes it if nothing is installed any more. @throws DevCliError `IO` */
export function writeManifest(path: string, manifest: Manifest): void {
  if (Object.keys(manifest.harnesses).length > 0) writeText(path, `${JSON.stringify(manifest, null, 2)}\n`);
  else removeText(path);
}
