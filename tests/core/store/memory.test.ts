import { createMemoryStore, emptyMemory } from '../../../src/store/memory.js';
import { sampleCodec, steppingClock } from './sample.js';
import { storeSuite } from './suite.js';

storeSuite('in-memory store', () => {
  const memory = emptyMemory();
  const store = createMemoryStore({ codec: sampleCodec, clock: steppingClock(), memory });
  return {
    store,
    put: store.put,
    state: (stream) => memory.states.get(stream) ?? null,
    setState: (stream, text) => void (text === null ? memory.states.delete(stream) : memory.states.set(stream, text)),
    journal: (stream) => Buffer.from(memory.journals.get(stream) ?? ''),
    setJournal: (stream, bytes) => void memory.journals.set(stream, Buffer.from(bytes)),
    guarding: () => [...memory.guards.keys()],
    untouched: () => [memory.states, memory.journals, memory.objects, memory.documents].every((map) => map.size === 0),
  };
});
