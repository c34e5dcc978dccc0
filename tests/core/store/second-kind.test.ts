import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { openDirectory } from '../../../src/store/directory.js';
import type { StoreLayout } from '../../../src/store/layout.js';
import type { Marker } from '../../../src/store/medium.js';
import { createMemoryStore, createMemoryStoreData } from '../../../src/store/memory.js';
import { subjectIn, temporaryRoot } from './disk.js';
import { subjectOf } from './remembered.js';
import { countingIds, sampleCodec, step, steppingClock } from './sample.js';
import { cutShort, storeSuite } from './suite.js';

/** The layout of streams that are not runs: letters of a mailbox, in another directory, without marks. */
const LETTERS: StoreLayout = {
  noun: 'letter',
  home: 'post',
  streams: 'post/box/in',
  names: { snapshot: 'now.txt', journal: 'log', objects: 'enclosures', lock: 'held' },
  isName: (text) => /^[a-z]{1,8}$/.test(text),
  checkedName(text) {
    if (LETTERS.isName(text)) return text;
    throw new DevCliError('NAME_INVALID', `${text} cannot name a letter.`);
  },
  isReserved: () => false,
  taken: (stream) => new DevCliError('USAGE', `The letter ${stream} is sealed.`),
};

function inDirectory(marker: Marker | null = null, lockWaitMs = 10_000) {
  const root = temporaryRoot();
  const { store } = openDirectory({
    root,
    layout: LETTERS,
    codec: sampleCodec,
    clock: steppingClock(),
    ids: countingIds(),
    lockWaitMs,
    ...(marker === null ? {} : { marker }),
  });
  return subjectIn(root, LETTERS, store);
}

function inMemory() {
  const memory = createMemoryStoreData();
  const store = createMemoryStore({ layout: LETTERS, codec: sampleCodec, clock: steppingClock(), memory });
  return subjectOf(memory, LETTERS, store);
}

storeSuite('letters in a directory', () => inDirectory(), { marks: null });
storeSuite('letters in memory', inMemory, { marks: null });

describe('a store of another kind of stream', () => {
  it('lies where its layout says, and nowhere else', async () => {
    const { store, at } = inDirectory();
    await store.transact('run', step({ files: [{ path: 'text.md', content: 't'.repeat(70_000) }], marks: null }));
    expect(readdirSync(at('.'))).toEqual(['post']);
    expect(readdirSync(at('post'))).toEqual(['box']);
    expect(readdirSync(at('post/box/in/run')).sort()).toEqual(['enclosures', 'log', 'now.txt', 'text.md']);
    const [entry] = readFileSync(at('post/box/in/run/log'), 'utf8').split('\n');
    expect(JSON.parse(entry ?? '')).not.toHaveProperty('marks');
  });

  it('is told of in its own words', async () => {
    const { store, setState, setJournal, at } = inDirectory(null, 0);
    await store.transact('run', step({ marks: null }));
    const problem = async (work: Promise<unknown>) =>
      work.then(
        () => null,
        (error: DevCliError) => [error.message, error.fix, error.details.map(({ target }) => target)],
      );
    setJournal('run', Buffer.from('{}\n{}\n'));
    const told = [await problem(store.journal('run'))];
    setJournal('run', Buffer.alloc(0));
    setState('run', '{');
    told.push(
      await problem(store.read('run')),
      (await store.replay('run')).differences.map(({ path }) => path ?? ''),
    );
    symlinkSync('nowhere', at('post/box/in/run/held'));
    told.push(await problem(store.place('run', () => ({ answer: null, files: [] }))));
    expect(JSON.stringify(told)).toMatch(/post\/box\/in\/run\/log.*the letter can go on.*post\/box\/in\/run\/now\.txt/);
    expect(JSON.stringify(told)).not.toMatch(/\.dev|specs|state\.json|events\.jsonl|\bruns?\b(?!\/)/);
  });

  it('calls its marker at the moments of a commit, and of what a crash left of one', async () => {
    const calls: string[] = [];
    const subject = inDirectory({
      prepare(stream, marks, { seq, before }) {
        calls.push(`prepare ${stream} ${JSON.stringify(marks)} ${seq} after ${JSON.stringify(before)}`);
        if (marks === undefined) return {};
        return {
          undo: () => void calls.push(`undo ${stream}`),
          follow: () => void calls.push(`follow ${stream}`),
          settle: () => void calls.push(`settle ${stream}`),
        };
      },
      settle: (stream) => void calls.push(`settle ${stream}`),
    });
    const { store } = subject;
    const seen = () => calls.splice(0);
    await store.transact('run', step({ marks: { stamp: 1 } }));
    expect(seen()).toEqual(['prepare run {"stamp":1} 1 after undefined', 'follow run', 'settle run']);
    await cutShort(subject, () => store.transact('run', step({ marks: { seal: true } })));
    expect(seen()).toEqual(['prepare run {"seal":true} 2 after {"stamp":1}', 'follow run', 'settle run']);
    await store.transact('run', () => ({ answer: null }));
    expect(seen()).toEqual(['prepare run {"seal":true} 2 after {"seal":true}', 'follow run', 'settle run']);
    const refused = store.transact('run', () => {
      throw new DevCliError('USAGE', 'refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(seen()).toEqual(['settle run']);
    await store.transact('run', step({ marks: null }));
    expect(seen()).toEqual(['prepare run undefined 3 after {"seal":true}', 'settle run']);
    await store.transact('run', step({ marks: null }));
    expect(seen()).toEqual(['prepare run undefined 4 after undefined']);
  });
});
