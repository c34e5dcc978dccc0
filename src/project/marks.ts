import { join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { isName } from '../base/name.js';
import { isOlderRun } from '../base/older-run.js';
import type { DirectoryMedium } from '../store/directory.js';
import { removeFile } from '../store/documents.js';
import { syncDirectory, writeDurably } from '../store/durable.js';
import { ignoreFailure, toIoError, withIoErrors } from '../store/io.js';
import { readTail } from '../store/journal.js';
import { nativeCrc32 } from '../store/line.js';
import type { MarkedCommit, PreparedMarks } from '../store/medium.js';
import { ensureIgnoreRules } from './gitignore.js';
import { DEV_DIRECTORY } from './layout.js';
import { getActivePath, readActive, readSmall } from './pointers.js';
import { unignoreDocuments } from './shared-documents.js';

/** The changes in `.dev` that accompany a run's commit (storage.md, Layout). */
export type RunMarks = {
  /** Whether the run is guarded after this commit. */
  guarded: boolean;
  /** `set` makes the run the active one; `clear` removes the pointer if it names this run. */
  pointer?: 'set' | 'clear';
  /** Documents that git no longer ignores, besides those of every run, relative to the run's directory. */
  shared?: string[];
};

/**
 * Prepares the marks of a run's commit (`Marker.prepare`): the ignore rules of `.dev` and of the run's shared
 * documents, the guard file, and the pointer to the active run. Takes the common lock to change a file that several
 * runs share.
 * @throws DevCliError `LOCKED`, `IO`
 */
export function prepareMarks(
  medium: DirectoryMedium,
  run: string,
  marks: JsonObject | undefined,
  { seq, before }: MarkedCommit,
): PreparedMarks {
  const { root, home } = medium.places;
  const guarded = marks?.['guarded'];
  const move = marks?.['pointer'];
  const isGuarding = before?.['guarded'] === true;
  const shared = marks?.['shared'];
  const made: string[] = [];
  let isFirst = false;
  const undo = (): void => {
    for (const file of made) ignoreFailure(() => removeFile(file));
    if (guarded === true && !isGuarding) guard(medium, run, null, false);
    if (isFirst) removeEmptyGuard(medium);
  };
  try {
    ensureIgnoreRules(medium.places.inside(DEV_DIRECTORY), { root, made });
    if (Array.isArray(shared)) unignoreDocuments(medium.places, run, shared, made);
    if (guarded === true) isFirst = guard(medium, run, seq, isGuarding);
  } catch (error) {
    ignoreFailure(undo);
    throw toIoError(error, home, root);
  }
  return {
    undo,
    ...(move === 'set' || move === 'clear' ? { follow: () => movePointer(medium, run, move) } : {}),
    ...(guarded === false ? { settle: () => guard(medium, run, null, false) } : {}),
  };
}

/** Removes a run that is no longer guarded from the guard file, if a crash left it there (`Marker.settle`). */
export function settleMarks(medium: DirectoryMedium, run: string, { guarded }: JsonObject): void {
  if (guarded === false) guard(medium, run, null, false);
}

/**
 * Records in the guard file that the run is guarded since `seq` or, for null, no longer guarded. Writes only changes.
 * @param isCommitted whether the run was already guarded at its last commit. If not, an existing line of the run may be
 * left over from a failed commit, so that another run's commit may remove it at any moment. The line is then checked
 * again under the common lock.
 * @returns whether there was no guard file before
 */
function guard(medium: DirectoryMedium, run: string, seq: number | null, isCommitted: boolean): boolean {
  const { root, home } = medium.places;
  const path = join(home, 'guard');
  const next = (text: string | null): string => {
    const lines = parseLines(text ?? '');
    const kept = [...lines].filter(([name]) => name !== run && mayGuard(medium, name));
    if (seq !== null) kept.push([run, lines.get(run) ?? seq]);
    return renderLines(new Map(kept.sort(([a], [b]) => (a < b ? -1 : 1))));
  };
  try {
    const found = readSmall(path);
    const holds = found === null ? seq === null : next(found) === found;
    if (holds && (seq === null || isCommitted)) return false;
    medium.exclusively(() => {
      const text = readSmall(path);
      const wanted = next(text);
      if (wanted !== text) writeDurably(path, wanted, root);
    });
    return found === null;
  } catch (error) {
    throw toIoError(error, path, root);
  }
}

function removeEmptyGuard(medium: DirectoryMedium): void {
  const path = join(medium.places.home, 'guard');
  medium.exclusively(() => {
    if (readSmall(path) === renderLines(new Map())) removeFile(path);
  });
}

/**
 * Returns whether another run may still be guarded, because its last commit says so or a commit is in progress. Checks
 * the lock of that run first: if a commit of it begins only after this check, the commit writes the run's line again,
 * under the common lock. A run that cannot be read keeps its line and does not block other runs.
 */
function mayGuard(medium: DirectoryMedium, run: string): boolean {
  try {
    if (medium.isLocked(run)) return true;
    return medium.journal(run, (bytes) => readTail(bytes, nativeCrc32).last?.marks?.['guarded'] === true);
  } catch (error) {
    if (error instanceof DevCliError) return !isOlderRun(error);
    throw error;
  }
}

/**
 * Makes the run the active one (`set`), or removes the pointer if it names this run (`clear`).
 * @throws DevCliError `LOCKED`, `IO`
 */
export function movePointer(medium: DirectoryMedium, run: string, move: 'set' | 'clear'): void {
  const { root, home } = medium.places;
  withIoErrors(getActivePath(home), root, () => {
    // For most commits the pointer is already right, so no lock is needed.
    if ((readActive(home) === run) === (move === 'set')) return;
    medium.exclusively(() => {
      if (move === 'set') writeActive(medium.places, run);
      else if (readActive(home) === run) writeActive(medium.places, null);
    });
  });
}

/**
 * Makes any run the active one, or (null) removes the pointer.
 * @throws DevCliError `LOCKED`, `IO`
 */
export function setPointer(medium: DirectoryMedium, run: string | null): void {
  const { root, home } = medium.places;
  withIoErrors(getActivePath(home), root, () => medium.exclusively(() => writeActive(medium.places, run)));
}

function writeActive({ root, home }: DirectoryMedium['places'], run: string | null): void {
  const path = getActivePath(home);
  if (run !== null) writeDurably(path, `${run}\n`, root);
  else if (removeFile(path)) syncDirectory(home);
}

/** Parses lines of the form `<name> <seq>`, from the second line on. Ignores any other line. */
function parseLines(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of text.split('\n').slice(1)) {
    const [name = '', seq = '', ...more] = line.split(' ');
    if (isName(name) && /^\d{1,15}$/.test(seq) && more.length === 0) lines.set(name, Number(seq));
  }
  return lines;
}

function renderLines(lines: ReadonlyMap<string, number>): string {
  return [lines.size > 0 ? 'ask' : 'open', ...[...lines].map(([name, seq]) => `${name} ${seq}`), ''].join('\n');
}
