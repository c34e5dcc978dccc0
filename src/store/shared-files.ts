import { fchmodSync, fchownSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock, Ids } from '../base/clock.js';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { clearEmptyDirectories, removeFile } from './documents.js';
import { makeDirectories, syncDirectory, syncMade, writeSynced } from './durable.js';
import { isMissing, readRegular, resolvePath } from './inside.js';
import { ignoreFailure, replaceErrorPath, toIoError, withIoErrors } from './io.js';
import { type Lock, type LockOwner, lock, removeOrphans } from './lock.js';
import { identifyProcess } from './process.js';

/**
 * Reads and writes files that other programs use as well (storage.md, Files that others write, too). They have no
 * journal; the files themselves are the truth. While a program changes one, a lock file lies beside it.
 */

/** Milliseconds that a call waits for a lock, and the age at which another program's lock counts as abandoned. */
const PATIENCE_MS = 5_000;
const FOREIGN_MS = 30_000;

/** The largest file that is read or written, in bytes. */
const LARGEST = 64 * 1024 * 1024;

interface Options {
  /** Absolute, without links. Paths are relative to it. */
  root: string;
  clock: Clock;
  ids: Ids;
  /** The purpose of the locks, shown to calls that have to wait for them. */
  purpose: string;
  /** Once it aborts, a call stops waiting for locks and changes nothing. */
  signal?: AbortSignal | undefined;
}

/** A file's content: null if it is missing, `unusable` if it is not a regular file or is too large. */
export type Content = Buffer | null | 'unusable';

/** A change to one file: its new content, or null to remove it. */
export interface SharedFileChange {
  path: string;
  content: string | null;
}

/** The writes to make under the locks, in this order; each is on the disk before the next begins. */
export interface SharedFilesDecision<T> {
  answer: T;
  changes: readonly SharedFileChange[];
}

/**
 * Reads and changes files below a root.
 * @throws DevCliError `IO` for a path that leads out of the root
 */
export interface SharedFiles {
  /** @throws DevCliError `IO` */
  read(path: string): Content;
  /**
   * Returns whether a path stays in a directory once links are followed.
   * @throws DevCliError `IO`
   */
  isInside(directory: string, path: string): boolean;
  /**
   * Takes the locks of some files, in this order, and applies the changes that `decide` returns.
   * @param decide if it throws, no file is changed
   * @throws DevCliError `LOCKED`, `IO`, `INTERRUPTED`; any error of `decide`
   */
  change<T>(locked: readonly string[], decide: () => SharedFilesDecision<T>): Promise<T>;
}

/** Opens the shared files of a directory. Writes nothing yet. */
export function openSharedFiles({ root, clock, ids, purpose, signal }: Options): SharedFiles {
  const taker: LockOwner = { identity: identifyProcess(), clock, ids, purpose, foreignMs: FOREIGN_MS };
  const inside = (path: string): string => {
    const found = resolvePath(root, join(root, path));
    if (found.kind === 'inside') return found.path;
    throw new DevCliError('IO', `${path} leads out of the project through a symbolic link.`, {
      details: [{ target: path, problem: 'it leads out of the project' }],
      fix: 'Replace the link with a file or directory, then repeat the same call.',
    });
  };
  const guarded = <T>(path: string, work: (absolute: string) => T): T => {
    const absolute = withIoErrors(join(root, path), root, () => inside(path));
    return withIoErrors(absolute, root, () => work(absolute));
  };

  const put = ({ path, content }: SharedFileChange, made: string[]): void =>
    guarded(path, (absolute) => {
      if (content === null) {
        if (!removeFile(absolute)) return;
      } else {
        const directories = makeDirectories(dirname(absolute));
        made.unshift(...directories);
        syncMade(directories);
        // Named like a lock's temporary files, so that `removeOrphans` also removes the leftovers of a killed call.
        const beside = `${absolute}.lock`;
        removeOrphans(beside, taker.identity);
        replace(absolute, content, `${beside}.${taker.identity.pid}.${ids.hex(16)}`);
      }
      syncDirectory(dirname(absolute));
    });

  return {
    read: (path) =>
      guarded(path, (absolute) => {
        try {
          return readRegular(absolute, LARGEST) ?? 'unusable';
        } catch (error) {
          if (isMissing(error)) return null;
          if (getSystemCode(error) === 'ELOOP') return 'unusable';
          throw error;
        }
      }),
    isInside: (directory, path) =>
      guarded(directory, (absolute) => resolvePath(absolute, join(root, path)).kind === 'inside'),
    async change(locked, decide) {
      const made: string[] = [];
      const held: Lock[] = [];
      const until = clock.now() + PATIENCE_MS;
      try {
        for (const path of locked) {
          const file = guarded(path, (absolute) => `${absolute}.lock`);
          const waiting = { waitMs: Math.max(0, until - clock.now()), root };
          const prepare = (): void => {
            if (signal?.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
            made.unshift(...makeDirectories(dirname(file)));
          };
          held.push(await lock(file, taker, waiting, prepare));
        }
        const { answer, changes } = decide();
        for (const change of changes) requireSize(change);
        if (changes.length > 0) syncMade(made);
        for (const change of changes) put(change, made);
        return answer;
      } catch (error) {
        throw toIoError(error, root, root);
      } finally {
        for (const one of held.reverse()) one.release();
        clearEmptyDirectories(made);
      }
    },
  };
}

/** Replaces a file. The new file keeps the mode and owner of the old one, as far as the system permits. */
function replace(path: string, content: string, temporary: string): void {
  try {
    const before = statSync(path, { throwIfNoEntry: false });
    writeSynced(temporary, Buffer.from(content), (descriptor) => {
      if (before === undefined) return;
      ignoreFailure(() => fchownSync(descriptor, before.uid, before.gid));
      ignoreFailure(() => fchmodSync(descriptor, before.mode));
    });
    renameSync(temporary, path);
  } catch (error) {
    ignoreFailure(() => removeFile(temporary));
    throw replaceErrorPath(error, path);
  }
}

/**
 * Refuses content that would be too large to be read again.
 * @throws DevCliError `IO`
 */
function requireSize({ path, content }: SharedFileChange): void {
  if (content === null || Buffer.byteLength(content) <= LARGEST) return;
  throw new DevCliError('IO', `${path} would have more than 64 MiB.`, {
    details: [{ target: path, problem: 'it would be too large' }],
    fix: 'Move old entries out of it by hand, then repeat the same call.',
  });
}
