import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReadRuns } from '../../../src/project/runs.js';
import { diskSubject, temporaryRoot } from './disk.js';
import { codeOf, sampleCodec, step, steppingClock } from './sample.js';

function reader(root: string) {
  return createReadRuns({ root, codec: sampleCodec, clock: steppingClock() });
}

/** Creates a run of two commits; `before` is the snapshot after the first. */
async function two() {
  const subject = diskSubject();
  await subject.store.transact('run', step({ body: 'a' }));
  const before = subject.state('run');
  await subject.store.transact('run', step({ body: 'b', files: [{ path: 'DRAFT.md', content: 'second' }] }));
  return { ...subject, before, reading: reader(subject.root) };
}

describe('a store that only reads', () => {
  it('answers from a current snapshot although the last line is damaged, which the whole store tells', async () => {
    const { store, reading, journal, setJournal, setState, before } = await two();
    const bad = journal('run');
    // The damage is in the checksum; the line is still valid JSON.
    bad[bad.length - 8] = (bad[bad.length - 8] ?? 0) ^ 1;
    setJournal('run', bad);
    expect((await reading.read('run')).snapshot?.body).toBe('b');
    expect(await codeOf(() => store.read('run'))).toBe('JOURNAL_CORRUPT');
    // With the older snapshot the line is needed, so its checksum is verified, and the commit counts as torn.
    setState('run', before);
    expect((await reading.read('run')).snapshot?.body).toBe('a');
  });

  it('is not led out of the root by a link, at any depth, nor by one that comes later', async () => {
    const { reading, at, put } = await two();
    const { files } = await reading.read('run');
    put('run', 'analysis/a.md', 'ours');
    expect(files.facts('analysis/a.md').kind).toBe('file');
    expect(files.facts('findings/deep/a.md').kind).toBe('missing');
    symlinkSync(temporaryRoot(), at('.dev/specs/run/findings'));
    expect(files.facts('findings').kind).toBe('outside');
    expect(files.facts('findings/deep/a.md').kind).toBe('outside');
    expect(await codeOf(() => files.read('findings/a.md'))).toBe('EVIDENCE_INVALID');
  });
});
