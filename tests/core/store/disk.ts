import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { createDirectoryStore } from '../../../src/store/directory.js';
import { rootRelative } from '../../../src/store/paths.js';
import type { Store } from '../../../src/store/store.js';
import { countingIds, type Sample, sampleCodec, steppingClock } from './sample.js';
import type { Subject } from './suite.js';

const made: string[] = [];
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** A new directory that is removed after the tests of a file. */
export function temporaryRoot(): string {
  const directory = mkdtempSync(join(tmpdir(), 'dev-cli-store-'));
  made.push(directory);
  return directory;
}

export function openStore(root: string, lockWaitMs?: number): Store<Sample> {
  const wait = lockWaitMs === undefined ? {} : { lockWaitMs };
  return createDirectoryStore({ root, codec: sampleCodec, clock: steppingClock(), ids: countingIds(), ...wait });
}

/** A directory store in a new root, as the suite wants it. */
export function diskSubject(root = temporaryRoot()): Subject & { root: string; at: (path: string) => string } {
  const at = (path: string): string => join(root, path);
  const inRun = (stream: string, name: string): string => at(`.dev/specs/${stream}/${name}`);
  return {
    root,
    at,
    store: openStore(root),
    put(stream, path, content) {
      const file = at(rootRelative(stream, path) ?? '');
      mkdirSync(dirname(file), { recursive: true });
      // Agents write beside and rename: another file, as a rewritten document in memory is another version.
      rmSync(file, { force: true });
      writeFileSync(file, content);
    },
    state: (stream) =>
      existsSync(inRun(stream, 'state.json')) ? readFileSync(inRun(stream, 'state.json'), 'utf8') : null,
    setState(stream, text) {
      if (text === null) unlinkSync(inRun(stream, 'state.json'));
      else writeFileSync(inRun(stream, 'state.json'), text);
    },
    journal: (stream) => readFileSync(inRun(stream, 'events.jsonl')),
    setJournal: (stream, bytes) => writeFileSync(inRun(stream, 'events.jsonl'), bytes),
    guarding() {
      const [, ...lines] = readFileSync(at('.dev/guard'), 'utf8').trimEnd().split('\n');
      return lines.map((line) => line.split(' ')[0] ?? '');
    },
    untouched: () => readdirSync(root).length === 0,
  };
}
