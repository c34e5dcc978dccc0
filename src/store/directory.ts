import { existsSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock, Ids } from '../base/clock.js';
import { createStore } from './core.js';
import { createReadMedium, createStorePaths, type OpenOptions, type StorePaths } from './directory-reading.js';
import { clearEmptyDirectories, findFreeName, removeFile, writeDocuments, writeObjects } from './documents.js';
import { makeDirectories, replaceFile, syncAncestors, syncMade } from './durable.js';
import { ignoreFailure, toIoError, withIoErrors } from './io.js';
import { appendToJournal, cutJournal, waitForGrowth } from './journal-file.js';
import { streamPath } from './layout.js';
import { type LockOwner, lock, lockSync } from './lock.js';
import type { Marker, Medium } from './medium.js';
import { identifyProcess } from './process.js';
import type { Store, WithSeq } from './store.js';

/** The options for creating the medium of a directory. */
export interface DirectoryOptions {
  places: StorePaths;
  clock: Clock;
  ids: Ids;
  /** How long to wait for a lock, in milliseconds. Default 10,000. */
  lockWaitMs?: number;
  /** The purpose of the locks, shown to calls that have to wait. Default `a commit`. */
  purpose?: string;
}

/** A directory as a store's medium, with the additional methods that a `Marker` (see medium.ts) needs. */
export interface DirectoryMedium extends Medium {
  readonly places: StorePaths;
  /**
   * Changes files in `StoreLayout.home` under the lock that all streams share. A caller that also needs a stream's own
   * lock must take that one first. Waiting for the shared lock blocks this process.
   * @throws DevCliError `LOCKED`, `IO`; any error of `change`
   */
  exclusively(change: () => void): void;
  /** Returns whether a stream's lock file exists, be it held or abandoned. Throws system errors. */
  isLocked(stream: string): boolean;
}

/** The store of a directory, with the medium that a `Marker` needs. */
export interface OpenedDirectory<S extends WithSeq> {
  store: Store<S>;
  medium: DirectoryMedium;
}

/**
 * Opens the streams of a layout below a directory. Nothing is written before the first commit.
 * @throws DevCliError `IO` when the root does not exist
 */
export function openDirectory<S extends WithSeq>(
  options: Omit<DirectoryOptions, 'places'> & OpenOptions<S> & { marker?: Marker },
): OpenedDirectory<S> {
  const { root, layout, codec, clock, marker } = options;
  const medium = createDirectoryMedium({ ...options, places: createStorePaths(root, layout) });
  return { store: createStore({ layout, medium, codec, clock, marker }), medium };
}

/**
 * Creates the medium of a directory. It writes nothing before the first commit.
 * @throws every method: DevCliError `IO`
 */
function createDirectoryMedium(options: DirectoryOptions): DirectoryMedium {
  const { places, clock, ids, lockWaitMs = 10_000, purpose = 'a commit' } = options;
  const { layout, root, home, inside, inStream, at } = places;
  const { names } = layout;
  const waiting = { waitMs: lockWaitMs, root };

  let identity: LockOwner['identity'] | undefined;
  function taker(): LockOwner {
    identity ??= identifyProcess();
    return { identity, clock, ids, purpose };
  }

  function exclusively(change: () => void): void {
    withIoErrors(home, root, () => {
      const directory = inside(layout.home);
      syncMade(makeDirectories(directory));
      const held = lockSync(join(directory, names.lock), taker(), waiting);
      try {
        change();
      } finally {
        held.release();
      }
    });
  }

  /**
   * Runs `work` while holding a lock file.
   * @param at returns the lock's directory, which is created if missing and removed again if it stays empty
   * @param shown the directory, for messages
   */
  async function whileLocked<T>(at: () => string, file: string, shown: string, work: () => T | Promise<T>): Promise<T> {
    let made: string[] = [];
    try {
      // Throws if the root has vanished, which `makeDirectories` would otherwise create again.
      statSync(root);
      const directory = at();
      const held = await lock(join(directory, file), taker(), waiting, () => {
        const now = makeDirectories(directory);
        if (now.length > 0) made = now;
      });
      try {
        return await work();
      } finally {
        held.release();
      }
    } catch (error) {
      throw toIoError(error, shown, root);
    } finally {
      clearEmptyDirectories(made);
    }
  }

  return {
    ...createReadMedium(places),
    places,
    exclusively,
    isLocked: (stream) => existsSync(inStream(stream, names.lock)),

    locked: (stream, work) =>
      whileLocked(() => inStream(stream), names.lock, join(root, streamPath(layout, stream)), work),

    hold(kind) {
      return withIoErrors(home, root, () => {
        const held = lockSync(join(inside(layout.home), `${names.lock}.${kind}`), taker(), waiting);
        return () => held.release();
      });
    },

    async grown(stream, size, wait) {
      await at(stream, names.journal, (path) => waitForGrowth(path, size, wait));
    },

    cut(stream, size) {
      at(stream, names.journal, (path) => cutJournal(path, size));
    },

    keepSnapshotAside(stream) {
      return at(stream, names.snapshot, (path) => {
        const aside = findFreeName((n) => `${path}.aside-${n}`);
        renameSync(path, aside);
        return basename(aside);
      });
    },

    stage(stream, large, placements) {
      const files: string[] = [];
      const directories: string[] = [];
      const undo = (): void => {
        for (const file of files) ignoreFailure(() => removeFile(file));
        clearEmptyDirectories(directories);
      };
      const make = (path: string, durable: boolean): string => {
        const made = makeDirectories(path);
        directories.unshift(...made);
        if (durable) syncMade(made);
        return path;
      };
      try {
        at(stream, names.objects, () => {
          for (const { path, content, durable, room } of placements) {
            if (content !== null || room) make(inside(dirname(path)), durable);
          }
          const objects = streamPath(layout, stream, names.objects);
          if (large.size > 0) writeObjects(make(inside(objects), true), large, files);
        });
      } catch (error) {
        undo();
        throw error;
      }
      return undo;
    },

    append(stream, text, size) {
      at(stream, names.journal, (path) => appendToJournal(path, root, text, size));
    },

    place(stream, placements) {
      at(stream, '', () => writeDocuments(root, placements));
    },

    reach(stream) {
      at(stream, '', (directory) => syncAncestors(directory, root));
    },

    replaceSnapshot(stream, text) {
      at(stream, names.snapshot, (path) => replaceFile(path, text, root, { durable: false }));
    },
  };
}
