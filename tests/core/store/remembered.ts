import type { StoreLayout } from '../../../src/store/layout.js';
import type { MemoryStore, MemoryStoreData } from '../../../src/store/memory.js';
import type { Sample } from './sample.js';
import type { Subject } from './suite.js';

/** Wraps a store in memory as a subject for the tests of suite.ts. */
export function subjectOf<T extends Pick<MemoryStore<Sample>, 'put'> & Subject['store']>(
  memory: MemoryStoreData,
  layout: StoreLayout,
  store: T,
): Subject & { store: T } {
  const { snapshots, journals, objects, documents } = memory;
  return {
    layout,
    store,
    put: store.put,
    state: (stream) => snapshots.get(stream) ?? null,
    setState: (stream, text) => void (text === null ? snapshots.delete(stream) : snapshots.set(stream, text)),
    journal: (stream) => Buffer.from(journals.get(stream) ?? ''),
    setJournal: (stream, bytes) => void journals.set(stream, Buffer.from(bytes)),
    untouched: () => [snapshots, journals, objects, documents].every((map) => map.size === 0),
  };
}
