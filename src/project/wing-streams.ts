import { join, relative } from 'node:path';
import type { Clock, Ids } from '../base/clock.js';
import { openDirectory } from '../store/directory.js';
import { clearEmptyDirectories, removeFile } from '../store/documents.js';
import { makeDirectories } from '../store/durable.js';
import { ignoreFailure, toIoError, withIoErrors } from '../store/io.js';
import type { Codec, Store, WithSeq } from '../store/store.js';
import { ensureIgnoreRules } from './gitignore.js';
import { DEV_DIRECTORY, RUN_LAYOUT } from './layout.js';
import { isExistingDirectory, listAncestors } from './root.js';
import { computePlaceDigest } from './runs.js';
import { findMainWorkTree } from './work-trees.js';

interface Options<S extends WithSeq> {
  /** Absolute path. */
  root: string;
  /** The directory of the streams below `.dev`; if left out, `.dev` itself. */
  directory?: string;
  /** The name of one stream in messages, and the purpose of its lock. */
  noun: string;
  /**
   * Set if everybody who may read the project may read the streams. Otherwise, a transaction makes the process's umask
   * private, which also affects files that other code writes meanwhile.
   */
  readable?: true;
  codec: Codec<S>;
  clock: Clock;
  ids: Ids;
}

/** The streams of a wing, which is a part of dev-cli in src/wings/. Unlike runs, they have no guard file or pointer. */
export interface WingStreams<S extends WithSeq>
  extends Pick<Store<S>, 'read' | 'streams' | 'scan' | 'transact' | 'replay'> {
  /**
   * Computes a digest of the stream's directory, as `RunStore.home` does for a run. The stream has to exist or be
   * locked.
   * @throws DevCliError `IO`
   */
  place(stream: string): string;
}

/** The umask for streams that only the user may read. */
const PRIVATE = 0o077;

/**
 * Opens a wing's streams below `.dev`. Writes nothing before the first commit, which also writes ignore rules.
 * @throws DevCliError `IO` if the root does not exist
 */
export function openWingStreams<S extends WithSeq>({
  directory,
  noun,
  readable,
  ...options
}: Options<S>): WingStreams<S> {
  const home = directory === undefined ? DEV_DIRECTORY : `${DEV_DIRECTORY}/${directory}`;
  /** The user's own umask while the private one is in force; otherwise null. */
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
          for (const file of made) ignoreFailure(() => removeFile(file));
        };
        try {
          asUser(() => ensureIgnoreRules(inside(DEV_DIRECTORY), { root, made }));
        } catch (error) {
          undo();
          throw toIoError(error, join(root, DEV_DIRECTORY), root);
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
      // `.dev` itself is created before the umask changes, since everybody who may read the project may read it.
      const made = withIoErrors(join(places.root, DEV_DIRECTORY), places.root, () =>
        makeDirectories(places.inside(DEV_DIRECTORY)),
      );
      if (readable) return store.transact(stream, decide).finally(() => clearEmptyDirectories(made));
      users = process.umask(PRIVATE);
      try {
        // `decide` may write files of the project, which are not private either.
        return await store.transact(stream, (...given) => asUser(() => decide(...given)));
      } finally {
        process.umask(users);
        users = null;
        clearEmptyDirectories(made);
      }
    },
    place: (stream) => places.at(stream, '', computePlaceDigest),
  };
}

/**
 * Finds the root for a wing's directory, which all work trees of a clone share. For a call in a linked work tree, the
 * root is in the main work tree: usually the directory that corresponds to the call's root. But if a directory there
 * that corresponds to one between `root` and `cwd` already has the wing's directory, it is that one.
 * @param root the call's root, absolute
 * @param cwd the call's directory, absolute
 * @returns an absolute path; the call's root if the main work tree has no such directory
 * @throws DevCliError `IO`
 */
export function findWingRoot(root: string, cwd: string, directory: string): string {
  const main = findMainWorkTree(root);
  if (main === null) return root;
  const { top } = listAncestors(root);
  if (top === null) return root;
  const toMain = (path: string): string => join(main, relative(top, path));
  const { passed } = listAncestors(cwd);
  const nearer = passed.slice(0, Math.max(0, passed.indexOf(root))).map(toMain);
  const found = nearer.find((path) => isExistingDirectory(join(path, DEV_DIRECTORY, directory))) ?? toMain(root);
  return isExistingDirectory(found) ? found : root;
}
