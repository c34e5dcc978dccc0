import { DevCliError } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import type { HarnessId } from '../harness.js';
import { readText, removeText, writeText } from './disk.js';
import type { Undo } from './settings.js';

/** What `install` wrote, so that `uninstall` removes exactly that (harness.md, Install). */

/** A file that is dev-cli's alone: its digest as written. */
interface FileRecord {
  kind: 'file';
  sha256: string;
}

/** A file that others share: its digest before and after, and how it is changed back where nobody has changed it since. */
export interface SharedRecord {
  kind: 'settings' | 'lines';
  /** Null where there was no file. */
  before: string | null;
  after: string;
  undo: Undo[];
}

export type PieceRecord = FileRecord | SharedRecord;

/** A harness; or what a project needs whichever it is. */
export type PartId = HarnessId | 'project';

export interface Manifest {
  version: 1;
  /** The version of dev-cli that wrote it. */
  cli: string;
  /** By part and path, relative to the project or the home directory. */
  harnesses: Partial<Record<PartId, Record<string, PieceRecord>>>;
  /** Absolute directories that were made. */
  directories: string[];
  /** The ignore rules of `.dev` were made with it. */
  ignoreRules?: boolean;
}

/**
 * Reads the manifest; null where nothing is installed.
 * @throws DevCliError `DATA_MALFORMED` for a manifest that cannot be read: what it says is never guessed
 */
export function readManifest(path: string): Manifest | null {
  const text = readText(path);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (isRecord(value) && value['version'] === 1 && isRecord(value['harnesses']) && Array.isArray(value['directories']))
    return value as unknown as Manifest;
  throw new DevCliError('DATA_MALFORMED', `${path} does not say what was installed.`, {
    fix: 'Move it away. The next install takes up what is there.',
  });
}

/** Writes the manifest, or removes it where nothing is installed any more. Returns the directories that had to be made. */
export function writeManifest(path: string, manifest: Manifest): string[] {
  if (Object.keys(manifest.harnesses).length > 0) return writeText(path, `${JSON.stringify(manifest, null, 2)}\n`);
  removeText(path);
  return [];
}
