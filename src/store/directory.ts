import type { Clock, Ids } from '../base/clock.js';
import { createStore } from './core.js';
import { diskMedium } from './disk.js';
import { diskPlaces, diskReading } from './disk-reading.js';
import { createFinder, tailOfSnapshot } from './find.js';
import { createReadStore } from './read-store.js';
import type { Codec, Numbered, ReadStore, Store } from './store.js';

/** What is enough to read. */
export interface DirectoryReadOptions<S extends Numbered> {
  /** The root of the runs, absolute; they lie in `<root>/.dev/specs`. */
  root: string;
  codec: Codec<S>;
  clock: Clock;
}

/** Options of the directory store. */
export interface DirectoryStoreOptions<S extends Numbered> extends DirectoryReadOptions<S> {
  ids: Ids;
  /** How long to wait for a lock, in milliseconds. Default 10,000. */
  lockWaitMs?: number;
  /** What locks are taken for; shown to whoever has to wait. Default `a commit`. */
  purpose?: string;
  /** Whether git tracks a file, by its absolute path: such ignore rules are not mended. Default: none is. */
  isTracked?: (path: string) => boolean;
}

/**
 * The store that lies in a directory (storage.md). It writes nothing before the first commit.
 * @throws DevCliError `IO` when the root is not there
 */
export function createDirectoryStore<S extends Numbered>(options: DirectoryStoreOptions<S>): Store<S> {
  const { root, codec, clock, ids, lockWaitMs = 10_000, purpose = 'a commit', isTracked = () => false } = options;
  return createStore({ medium: diskMedium({ root, clock, ids, lockWaitMs, purpose, isTracked }), codec, clock });
}

/**
 * The same for who only reads.
 * @throws DevCliError `IO` when the root is not there
 */
export function createDirectoryReadStore<S extends Numbered>(options: DirectoryReadOptions<S>): ReadStore<S> {
  const { root, codec, clock } = options;
  const medium = diskReading(diskPlaces(root));
  return createReadStore(medium, createFinder({ medium, codec, clock }, tailOfSnapshot));
}
