import { join, relative } from 'node:path';
import type { Clock, Ids } from '../base/clock.js';
import { openDirectory } from '../store/directory.js';
import { removeEmpty, removeFile } from '../store/documents.js';
import { makeDirectories } from '../store/durable.js';
import { clearUp, toIoError, withIoErrors } from '../store/io.js';
import type { Codec, Store, WithSeq } from '../store/store.js';
import { ensureIgnoreRules } from './gitignore.js';
import { HOME, RUN_LAYOUT } from './layout.js';
import { climb, isDirectory } from './root.js';
import { computePlaceDigest } from './runs.js';
import { findMainWorkTree } from './work-trees.js';

interface Options<S extends WithSeq> {
  /** Absolute. */
  root: string;
  /** The streams lie in it, below `.dev`; left out: in `.dev` itself. */
  directory?: string;
  /** What one stream is called in messages, and what its lock is taken for. */
  noun: string;
  /** Whether others may read it as they may read the project: who is at work beside a transaction would be kept from that, too. */
  readable?: true;
  codec: Codec<S>;
  clock: Clock;
  ids: Ids;
}

/** The streams of a wing. They have no marks. */
export interface WingStreams<S extends WithSeq>
  extends Pick<Store<S>, 'read' | 'streams' | 'scan' | 'transact' | 'replay'> {
  /**
   * A digest of where the stream lies, as `Runs.home` gives it of a run. The stream is there, or locked.
   * @throws DevCliError `IO`
   */
  place(stream: string): string;
}

/** Only the user may look into the streams of a wing. */
const PRIVATE = 0o077;

/**
 * Opens a wing's streams below `.dev`. Nothing is written before the first commit, which also writes the ignore rules of `.dev`.
 * @throws DevCliError `IO` when the root is not there
 */
export function openWingStreams<S extends WithSeq>({
  directory,
  noun,
  readable,
  ...options
}: Options<S>): WingStreams<S> {
  const home = directory === undefined ? HOME : `${HOME}/${directory}`;
  /** The permissions that the user takes away from new files; null while they hold. */
  let users: number | null = null;
  const asUser = <T>(work: () => T): T => {
    if (users === null) return work();
    const before = process.umask(users);
    try {
      return work();
    } finally {
      process.umask(before);
    }
  };
  const { store, medium } = openDirectory({
    ...options,
    purpose: noun,
    layout: { ...RUN_LAYOUT, noun, home, streams: home, isReserved: () => false },
    marker: {
      prepare() {
        const { root, inside } = medium.places;
        const made: string[] = [];
        const undo = (): void => {
          for (const file of made) clearUp(() => removeFile(file));
        };
        try {
          asUser(() => ensureIgnoreRules(inside(HOME), { root, made }));
        } catch (error) {
          undo();
          throw toIoError(error, join(root, HOME), root);
        }
        return { undo };
      },
      settle() {},
    },
  });
  const { places } = medium;
  return {
    read: store.read,
    streams: store.streams,
    scan: store.scan,
    replay: store.replay,
    async transact(stream, decide) {
      // `.dev` itself is not the wing's: whoever may read the project may read it.
      const made = withIoErrors(join(places.root, HOME), places.root, () => makeDirectories(places.inside(HOME)));
      if (readable) return store.transact(stream, decide).finally(() => removeEmpty(made));
      users = process.umask(PRIVATE);
      try {
        // What is decided may write into the project, which is not the wing's either.
        return await store.transact(stream, (...given) => asUser(() => decide(...given)));
      } finally {
        process.umask(users);
        users = null;
        removeEmpty(made);
      }
    },
    place: (stream) => places.at(stream, '', computePlaceDigest),
  };
}

/**
 * Finds the root of a wing's directory: the same for all work trees of a clone. In a linked work tree that is where the call's root lies
 * in the main one, or a directory nearer to the call that has the wing's there.
 * @param root absolute, of the call
 * @param cwd absolute, where the call was made
 * @returns absolute; the call's root where the main work tree has no such directory
 * @throws DevCliError `IO`
 */
export function findWingRoot(root: string, cwd: string, directory: string): string {
  const main = findMainWorkTree(root);
  if (main === null) return root;
  const { top } = climb(root);
  if (top === null) return root;
  const toMain = (path: string): string => join(main, relative(top, path));
  const { passed } = climb(cwd);
  const nearer = passed.slice(0, Math.max(0, passed.indexOf(root))).map(toMain);
  const found = nearer.find((path) => isDirectory(join(path, HOME, directory))) ?? toMain(root);
  return isDirectory(found) ? found : root;
}
