import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RUN_LAYOUT } from '../../../src/project/layout.js';
import { createRuns, type RunStore } from '../../../src/project/runs.js';
import { type StoreLayout, streamPath, toRootRelative } from '../../../src/store/layout.js';
import type { Store } from '../../../src/store/store.js';
import { scratchDirectory } from '../../support/scratch.js';
import type { RunSubject } from '../project/suite.js';
import { countingIds, type Sample, sampleCodec, steppingClock } from './sample.js';
import type { Subject } from './suite.js';

/** Creates a directory that is removed after the tests. */
export function temporaryRoot(): string {
  return scratchDirectory('store-');
}

export function openStore(root: string, lockWaitMs?: number): RunStore<Sample> {
  const wait = lockWaitMs === undefined ? {} : { lockWaitMs };
  return createRuns({ root, codec: sampleCodec, clock: steppingClock(), ids: countingIds(), ...wait });
}

interface OnDisk {
  root: string;
  at: (path: string) => string;
}

/** Wraps a store in a directory as a subject for the tests of suite.ts. */
export function subjectIn<T extends Store<Sample>>(
  root: string,
  layout: StoreLayout,
  store: T,
): Subject & OnDisk & { store: T } {
  const { names } = layout;
  const at = (path: string): string => join(root, path);
  const inStream = (stream: string, name: string): string => at(streamPath(layout, stream, name));
  return {
    root,
    at,
    layout,
    store,
    put(stream, path, content) {
      const file = at(toRootRelative(layout, stream, path) ?? '');
      mkdirSync(dirname(file), { recursive: true });
      // Removes the file first, because agents replace a file by renaming, so that it gets a new inode.
      rmSync(file, { force: true });
      writeFileSync(file, content);
    },
    state: (stream) =>
      existsSync(inStream(stream, names.snapshot)) ? readFileSync(inStream(stream, names.snapshot), 'utf8') : null,
    setState(stream, text) {
      if (text === null) unlinkSync(inStream(stream, names.snapshot));
      else writeFileSync(inStream(stream, names.snapshot), text);
    },
    journal: (stream) => readFileSync(inStream(stream, names.journal)),
    setJournal: (stream, bytes) => writeFileSync(inStream(stream, names.journal), bytes),
    untouched: () => readdirSync(root).length === 0,
  };
}

/** Creates a store of runs in a new root. */
export function diskSubject(root = temporaryRoot()): RunSubject & OnDisk {
  const subject = subjectIn(root, RUN_LAYOUT, openStore(root));
  return {
    ...subject,
    guarding() {
      const [, ...lines] = readFileSync(subject.at('.dev/guard'), 'utf8').trimEnd().split('\n');
      return lines.map((line) => line.split(' ')[0] ?? '');
    },
  };
}
