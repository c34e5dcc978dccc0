import { existsSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock, Ids } from '../base/clock.js';
import { DevCliError } from '../base/errors.js';
import { clearUp } from './clear-up.js';
import { nativeCrc32 } from './crc.js';
import { diskPlaces, diskReading } from './disk-reading.js';
import { freeName, placeDocuments, removeEmpty, removeFile } from './documents.js';
import { makeDirectories, replaceFile, syncAncestors, syncDirectory, syncMade } from './durable.js';
import { seeToRules } from './gitignore.js';
import { grown } from './grown.js';
import { homeOf } from './home.js';
import { ioError, withIoErrors } from './io.js';
import { readTail } from './journal.js';
import { appendToJournal, cutJournal, hasJournal, withJournal } from './journal-file.js';
import { lock, lockNow, type Taker } from './lock.js';
import { rootMarks } from './marks.js';
import type { Medium } from './medium.js';
import { writeObjects } from './objects.js';
import { runPath } from './paths.js';
import { thisProcess } from './process.js';
import { writeSession } from './sessions.js';

export interface DiskOptions {
  /** Absolute. */
  root: string;
  clock: Clock;
  ids: Ids;
  /** How long to wait for a lock, in milliseconds. */
  lockWaitMs: number;
  /** What locks are taken for; shown to whoever has to wait. */
  purpose: string;
  /** Whether git tracks a file, by its absolute path. Asked only of ignore rules that an earlier version wrote. */
  isTracked: (path: string) => boolean;
}

/**
 * The directory `<root>/.dev` (storage.md, Layout).
 * @throws DevCliError `IO`; every method too
 */
export function diskMedium(options: DiskOptions): Medium {
  const { clock, ids, purpose, isTracked } = options;
  const places = diskPlaces(options.root);
  const { root, home, inside, inRun, at } = places;
  const waiting = { waitMs: options.lockWaitMs, root };

  let identity: Taker['identity'] | undefined;
  function taker(): Taker {
    identity ??= thisProcess();
    return { identity, clock, ids, purpose };
  }

  function underRootLock(change: () => void): void {
    withIoErrors(home, root, () => {
      const directory = inside('.dev');
      syncMade(makeDirectories(directory));
      const held = lockNow(join(directory, 'lock'), taker(), waiting);
      try {
        change();
      } finally {
        held.release();
      }
    });
  }

  function guards(stream: string): boolean {
    return at(stream, 'events.jsonl', (path) =>
      withJournal(path, root, (bytes) => readTail(bytes, nativeCrc32).last?.marks?.guarded ?? false),
    );
  }

  /**
   * The lock first: a commit that began after it was found free adds its line again under the root's lock. A run that
   * cannot be read may guard: it keeps its line, and holds no other run back.
   */
  function mayGuard(stream: string): boolean {
    try {
      return existsSync(inRun(stream, 'lock')) || guards(stream);
    } catch (error) {
      if (error instanceof DevCliError) return true;
      throw error;
    }
  }
  const marks = rootMarks({ root, underRootLock, mayGuard, guards });

  /**
   * @param at the directory of the lock, made where it is not there; one that nothing came into is removed again
   * @param shown the directory, for messages
   */
  async function whileLocked<T>(at: () => string, file: string, shown: string, work: () => T | Promise<T>): Promise<T> {
    let made: string[] = [];
    try {
      // Else a root that has vanished would be made anew.
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
      throw ioError(error, shown, root);
    } finally {
      removeEmpty(made);
    }
  }

  return {
    ...diskReading(places),

    locked: (stream, work) => whileLocked(() => inRun(stream), 'lock', join(root, runPath(stream)), work),

    alone: (kind, work) => whileLocked(() => inside('.dev'), `lock.${kind}`, home, work),

    async grown(stream, size, wait) {
      await at(stream, 'events.jsonl', (path) => grown(path, size, wait));
    },

    cut(stream, size) {
      at(stream, 'events.jsonl', (path) => cutJournal(path, size));
    },

    keepStateAside(stream) {
      return at(stream, 'state.json', (path) => {
        const aside = freeName((n) => `${path}.aside-${n}`);
        renameSync(path, aside);
        return basename(aside);
      });
    },

    stage(stream, contents, paths) {
      const files: string[] = [];
      const directories: string[] = [];
      const undo = (): void => {
        for (const file of files) clearUp(() => removeFile(file));
        removeEmpty(directories);
      };
      const make = (path: string): string => {
        const made = makeDirectories(path);
        directories.unshift(...made);
        syncMade(made);
        return path;
      };
      try {
        at(stream, 'objects', () => {
          seeToRules(inside('.dev'), { root, isTracked, made: files });
          for (const path of paths) make(inside(dirname(path)));
          if (contents.size > 0) writeObjects(make(inside(runPath(stream, 'objects'))), contents, files);
        });
      } catch (error) {
        undo();
        throw error;
      }
      return undo;
    },

    append(stream, text, size) {
      at(stream, 'events.jsonl', (path) => appendToJournal(path, root, text, size));
    },

    place(stream, placements) {
      at(stream, '', (directory) => {
        placeDocuments(root, placements);
        // The first append makes the run's own directory reachable; documents without a commit have to do it themselves.
        if (!hasJournal(join(directory, 'events.jsonl'))) syncAncestors(directory, root);
      });
    },

    replaceState(stream, text) {
      at(stream, 'state.json', (path) => {
        replaceFile(path, text, root);
        syncDirectory(dirname(path));
      });
    },

    guard(stream, seq) {
      withIoErrors(join(home, 'guard'), root, () => marks.guard(stream, seq));
    },

    movePointer(stream, move) {
      withIoErrors(join(home, 'active-spec'), root, () => marks.movePointer(stream, move));
    },

    setActive(stream) {
      withIoErrors(join(home, 'active-spec'), root, () => marks.setActive(stream));
    },

    bindSession(id, stream) {
      underRootLock(() => writeSession(root, id, stream));
    },

    home(stream) {
      return at(stream, '', homeOf);
    },
  };
}
