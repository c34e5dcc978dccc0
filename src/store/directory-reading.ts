import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { getSystemCode } from '../base/errors.js';
import { createDiskFiles, readObject } from './documents.js';
import { isMissing, readRegular, resolveDirectory } from './inside.js';
import { pathError, withIoErrors } from './io.js';
import { withJournal } from './journal-file.js';
import { type StoreLayout, streamPath } from './layout.js';
import type { ReadMedium } from './medium.js';
import { readBootId, readUptime } from './process.js';
import { createReadStore, createStreamOpener, readTailBySnapshot } from './read-store.js';
import type { Codec, ReadStore, WithSeq } from './store.js';

/** Maximum size of a snapshot in bytes, far above any real one; a larger file is not read into memory. */
const LARGEST_SNAPSHOT = 256 * 1024 * 1024;

/** Where the streams of a layout lie on this machine's disk. */
export interface StorePaths {
  layout: StoreLayout;
  /** The root's real path: absolute, with every symbolic link resolved. */
  root: string;
  /** `StoreLayout.home`, absolute. It may be a link, and need not exist. */
  home: string;
  /** Resolves a directory below the root; throws if a link leads out of the root. */
  inside(path: string): string;
  /** Returns the path of a stream's directory, or of something in it. */
  inStream(stream: string, name?: string): string;
  /** Runs `work` on a path in the stream's directory; turns a system error into one that names the path. */
  at<T>(stream: string, name: string, work: (path: string) => T): T;
}

/** The options for opening the streams of a layout. */
export interface OpenOptions<S extends WithSeq> {
  /** Absolute. */
  root: string;
  layout: StoreLayout;
  codec: Codec<S>;
  clock: Clock;
}

/**
 * Opens the streams of a layout for reading only. To save time, does not verify the checksum of the journal's last line
 * if the snapshot is current.
 * @throws DevCliError `IO` when the root does not exist
 */
export function openDirectoryForReading<S extends WithSeq>({
  root,
  layout,
  codec,
  clock,
}: OpenOptions<S>): {
  store: ReadStore<S>;
  places: StorePaths;
} {
  const places = createStorePaths(root, layout, new Set());
  const options = { layout, medium: createReadMedium(places), codec, clock };
  return { store: createReadStore(options, createStreamOpener(options, readTailBySnapshot)), places };
}

/**
 * Creates the functions that find a layout's files below a root. They resolve a path anew at each use, since a
 * directory may meanwhile have been replaced by a link.
 * @param directory the root, absolute
 * @param known remembers directories that are no links, so that each is checked only once; for short calls that only
 * read, because such a directory may become a link later
 * @throws DevCliError `IO` if the root does not exist. The returned functions throw `IO` if a link leads out of the
 * root; all except `at` also throw system errors
 */
export function createStorePaths(directory: string, layout: StoreLayout, known?: Set<string>): StorePaths {
  const root = withIoErrors(directory, directory, () => realpathSync.native(directory));
  const inside = (path: string): string => resolveDirectory(root, path, known);
  const inStream = (stream: string, name = ''): string => join(inside(streamPath(layout, stream)), name);
  return {
    layout,
    root,
    home: join(root, layout.home),
    inside,
    inStream,
    at: (stream, name, work) =>
      withIoErrors(join(root, streamPath(layout, stream, name)), root, () => work(inStream(stream, name))),
  };
}

/**
 * Creates the medium through which a store only reads a directory.
 * @throws every method: DevCliError `IO`
 */
export function createReadMedium({ layout, root, inside, at }: StorePaths): ReadMedium {
  const { names, streams, noun } = layout;
  return {
    streams() {
      return withIoErrors(join(root, streams), root, () => {
        const directory = inside(streams);
        return listSubdirectories(directory)
          .filter((name) => layout.isName(name) && mayHoldStream(layout, join(directory, name)))
          .sort();
      });
    },

    snapshot(stream) {
      return at(stream, names.snapshot, (path) => {
        try {
          const content = readRegular(path, LARGEST_SNAPSHOT);
          if (content !== null) return content.toString('utf8');
          // A file too large to be dev-cli's snapshot is treated like one that does not parse.
          if (lstatSync(path).isFile()) return '';
        } catch (error) {
          if (getSystemCode(error) === 'ENOENT') return null;
          throw error;
        }
        throw pathError(path, root, 'it is not a regular file', 'Move what is there away, then repeat the same call.');
      });
    },

    journal(stream, use) {
      return at(stream, names.journal, (path) => withJournal(path, { root, noun }, use));
    },

    files(stream) {
      return createDiskFiles(root, layout, stream);
    },

    object(stream, digest) {
      return at(stream, names.objects, (directory) => readObject(directory, digest));
    },

    boot: { id: readBootId, uptime: readUptime },
  };
}

/**
 * Returns whether a directory may hold a stream; true also if its journal is lost, unreadable or not a file, since
 * reading the stream then reports the problem.
 */
function mayHoldStream({ names }: StoreLayout, directory: string): boolean {
  try {
    const journal = lstatSync(join(directory, names.journal), { throwIfNoEntry: false });
    if (journal !== undefined && (!journal.isFile() || journal.size > 0)) return true;
    return lstatSync(join(directory, names.snapshot), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (getSystemCode(error) === undefined) throw error;
    return true;
  }
}

/** Lists the names of the subdirectories, without links. */
function listSubdirectories(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch (error) {
    if (isMissing(error) && !existsSync(directory)) return [];
    throw error;
  }
}
