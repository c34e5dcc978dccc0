import { RUN_LAYOUT } from '../../../src/project/layout.js';
import { createMemoryRuns, emptyProjectMemory } from '../../../src/project/memory.js';
import { type RunSubject, runsSuite } from '../project/suite.js';
import { subjectOf } from './remembered.js';
import { sampleCodec, steppingClock } from './sample.js';
import { storeSuite } from './suite.js';

function open(): RunSubject {
  const memory = emptyProjectMemory();
  const store = createMemoryRuns({ codec: sampleCodec, clock: steppingClock(), memory });
  return { ...subjectOf(memory, RUN_LAYOUT, store), guarding: () => [...memory.guards.keys()] };
}

storeSuite('in-memory store', open);
runsSuite('in-memory store', open);
