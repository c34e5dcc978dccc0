import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json.js';
import type { StoreLayout } from '../../../src/store/layout.js';
import { BEGINNING, type JournalCursor, type Store } from '../../../src/store/store.js';
import { rebooted } from '../../support/entries.js';
import { codeOf, type Sample, step as stepOf } from './sample.js';

/** A store under test, with the means to simulate a crash, an agent or a careless edit. */
export interface Subject {
  layout: StoreLayout;
  store: Store<Sample>;
  /** Writes a document outside any commit, as an agent would. */
  put(stream: string, path: string, content: string): void;
  /** Returns the stored snapshot. */
  state(stream: string): string | null;
  setState(stream: string, text: string | null): void;
  journal(stream: string): Buffer;
  setJournal(stream: string, bytes: Uint8Array): void;
  /** Whether nothing was ever written. */
  untouched(): boolean;
}

/** Commits, then undoes everything that the commit did after writing the journal, as if it had been cut short. */
export async function cutShort(
  subject: Pick<Subject, 'state' | 'setState'>,
  commit: () => Promise<unknown>,
): Promise<void> {
  const state = subject.state('run');
  await commit();
  subject.setState('run', state);
}

/**
 * Tests the rules that hold for every store, whatever its medium and its streams (storage.md, A commit).
 * @param marks the marks for commits whose test gives none; null: no marks
 */
export function storeSuite(
  name: string,
  open: () => Subject,
  { marks = { guarded: false } }: { marks?: JsonObject | null } = {},
): void {
  const step = (what: Parameters<typeof stepOf>[0]) => stepOf({ marks, ...what });
  const text = async (subject: Subject, stream: string, path: string): Promise<string | undefined> =>
    (await subject.store.read(stream)).files.read(path)?.toString();

  describe(`${name}: commits`, () => {
    it('knows nothing of a stream before its first commit', async () => {
      const { store } = open();
      const head = await store.read('run');
      expect([head.snapshot, head.seq, head.notices, head.files.read('DRAFT.md')]).toEqual([null, 0, [], null]);
      expect([await store.unfinished('run'), await store.journal('run'), await store.streams()]).toEqual([
        false,
        [],
        [],
      ]);
      expect(await store.replay('run')).toMatchObject({ equal: true, snapshot: null, entries: 0 });
    });

    it('gives back what was committed, with the seq it set', async () => {
      const { store } = open();
      const answer = await store.transact(
        'run',
        step({ files: [{ path: 'a/b.md', content: 'hello' }], body: { k: [1] } }),
      );
      const head = await store.read('run');
      expect(answer).toBe(1);
      expect(head.snapshot).toEqual({ seq: 1, count: 1, body: { k: [1] } });
      expect(head.seq).toBe(1);
      expect(head.files.read('a/b.md')?.toString()).toBe('hello');
      expect(head.files.list('a')).toEqual(['b.md']);
      expect(head.files.facts('a').kind).toBe('directory');
      expect(await store.streams()).toEqual(['run']);
    });

    it('lists a stream that has lost its journal: whoever reads it is told', async () => {
      const subject = open();
      await subject.store.transact('run', step({}));
      const state = subject.state('run');
      subject.setJournal('run', Buffer.alloc(0));
      expect(await subject.store.streams()).toEqual(['run']);
      expect(await codeOf(() => subject.store.read('run'))).toBe('JOURNAL_CORRUPT');
      expect(subject.state('run')).toBe(state);
    });

    it('writes a group of entries as one commit whose last entry carries patch, files and marks', async () => {
      const { store } = open();
      await store.transact(
        'run',
        step({ entries: ['one', 'two', 'three'], files: [{ path: 'x.md', content: 'x' }], marks: { colour: 'red' } }),
      );
      const entries = await store.journal('run');
      expect(entries.map(({ seq, type, more }) => [seq, type, more])).toEqual([
        [1, 'one', true],
        [2, 'two', true],
        [3, 'three', undefined],
      ]);
      expect(entries.map(({ patch, files }) => [patch.length > 0, files.length])).toEqual([
        [false, 0],
        [false, 0],
        [true, 1],
      ]);
      expect(entries.map((entry) => entry.marks)).toEqual([undefined, undefined, { colour: 'red' }]);
      expect(entries[2]?.files[0]).toMatchObject({ path: 'x.md', before: null });
      expect((await store.read('run')).snapshot?.seq).toBe(3);
    });

    it('are decided with the other streams in view as they are now', async () => {
      const { store } = open();
      await store.transact('other', step({ body: 1, files: [{ path: 'a.md', content: 'a' }] }));
      const seen = await store.transact('run', (_, { read, streams }) => {
        const { snapshot, files } = read('other');
        return { answer: [streams(), snapshot?.body, files.read('a.md')?.toString(), read('none').snapshot] };
      });
      expect(seen).toEqual([['other'], 1, 'a', null]);
      const refused = store.transact('run', (_, { read }) => ({ answer: read('../run') }));
      expect(await codeOf(() => refused)).toBe('NAME_INVALID');
    });

    it('leaves nothing behind when decide throws or wants nothing written', async () => {
      const subject = open();
      const thrown = subject.store.transact('run', () => {
        throw new Error('no');
      });
      await expect(thrown).rejects.toThrow('no');
      expect(await subject.store.transact('run', () => ({ answer: 'seen' }))).toBe('seen');
      expect(subject.untouched()).toBe(true);
    });

    it('changes nothing of an existing run when decide throws', async () => {
      const subject = open();
      await subject.store.transact('run', step({}));
      const before = [subject.state('run'), subject.journal('run').toString()];
      await subject.store
        .transact('run', () => {
          throw new Error('no');
        })
        .catch(() => undefined);
      expect([subject.state('run'), subject.journal('run').toString()]).toEqual(before);
    });

    it('shows every decide the newest head, also when many are asked for at once', async () => {
      const { store } = open();
      const answers = await Promise.all(Array.from({ length: 8 }, () => store.transact('run', step({}))));
      expect(answers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect((await store.read('run')).snapshot?.count).toBe(8);
    });

    it('keeps one journal over two runs of one name', async () => {
      const { store } = open();
      await store.transact('run', step({ body: { runId: 'first', steps: { a: 1 } } }));
      await store.transact('run', step({ body: { runId: 'second', other: true } }));
      expect((await store.journal('run')).map(({ seq }) => seq)).toEqual([1, 2]);
      expect((await store.read('run')).snapshot?.body).toEqual({ runId: 'second', other: true });
      expect((await store.replay('run')).equal).toBe(true);
    });

    it('removes a document whose content is null, and skips one that is as it should be', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: [{ path: 'a.md', content: 'a' }] }));
      const before = (await subject.store.read('run')).files.facts('a.md');
      await subject.store.transact('run', step({ files: [{ path: 'a.md', content: 'a' }] }));
      expect((await subject.store.read('run')).files.facts('a.md')).toEqual(before);
      await subject.store.transact('run', step({ files: [{ path: 'a.md', content: null }] }));
      expect(await text(subject, 'run', 'a.md')).toBeUndefined();
    });

    it('refuses paths out of the root, its own files, and two changes of one document', async () => {
      const subject = open();
      const { home, names } = subject.layout;
      for (const path of [
        '../../../../../../x',
        '/../x',
        names.snapshot,
        `./${names.journal}`,
        `${names.journal}.aside-1`,
        `${names.objects}/x`,
        names.lock,
        `/${home}/${names.lock}`,
        `/${home}/${names.lock}.kind`,
        'a\0b',
      ]) {
        await expect(subject.store.transact('run', step({ files: [{ path, content: '' }] })), path).rejects.toThrow();
      }
      const twice = ['a.md', './a.md'].map((path) => ({ path, content: '' }));
      await expect(subject.store.transact('run', step({ files: twice }))).rejects.toThrow('two changes');
      expect(subject.untouched()).toBe(true);
    });

    it('refuses a document that could never be read back', async () => {
      const subject = open();
      const content = Buffer.alloc(8 * 1024 * 1024 + 1);
      expect(await codeOf(() => subject.store.transact('run', step({ files: [{ path: 'a.md', content }] })))).toBe(
        'DATA_MALFORMED',
      );
      expect(subject.untouched()).toBe(true);
    });

    it('checks names before anything is touched', async () => {
      const subject = open();
      for (const bad of ['../x', '', 'a/b', 'x'.repeat(65), '.hidden']) {
        expect(await codeOf(() => subject.store.read(bad)), bad).toBe('NAME_INVALID');
        expect(await codeOf(() => subject.store.transact(bad, step({}))), bad).toBe('NAME_INVALID');
      }
      expect(subject.untouched()).toBe(true);
    });
  });

  describe(`${name}: the journal alone`, () => {
    it('rebuilds the snapshot byte for byte, whatever it holds', async () => {
      const key = fc.oneof(
        fc.string(),
        fc.constantFrom('__proto__', 'constructor', 'prototype', '', '-', '0', 'a/b', '~'),
      );
      const { value } = fc.letrec<{ value: Json }>((tie) => ({
        value: fc.oneof(
          { depthSize: 'small' },
          fc.constantFrom(null, true, 0, -1.5, 'x', '\u2028"'),
          fc.array(tie('value'), { maxLength: 4 }),
          fc.dictionary(key, tie('value'), { maxKeys: 4 }),
        ),
      }));
      const bodies = fc.array(value, { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(bodies, async (sequence) => {
          const subject = open();
          for (const body of sequence) await subject.store.transact('run', step({ body }));
          const replay = await subject.store.replay('run');
          expect(replay.equal).toBe(true);
          expect(replay.entries).toBe(sequence.length);
        }),
        { numRuns: 25 },
      );
    });

    it('sees a snapshot that is not what the journal says', async () => {
      const subject = open();
      await subject.store.transact('run', step({ body: 'true' }));
      subject.setState('run', subject.state('run')?.replace('true', 'fake') ?? '');
      expect((await subject.store.replay('run')).equal).toBe(false);
    });

    it('rebuilds a missing snapshot and says so', async () => {
      const subject = open();
      for (const body of [1, 2, 3]) await subject.store.transact('run', step({ body }));
      const whole = subject.state('run');
      subject.setState('run', null);
      expect((await subject.store.read('run')).snapshot).toEqual({ seq: 3, count: 3, body: 3 });
      expect(subject.state('run')).toBeNull();
      const notices = await subject.store.transact('run', (head) => ({ answer: head.notices }));
      expect(notices.join()).toContain(`${subject.layout.names.snapshot} was missing`);
      expect(subject.state('run')).toBe(whole);
    });

    it.each(['', '{"seq":', '{"seq":1}', 'null'])(
      'keeps an unusable snapshot aside and rebuilds it: %j',
      async (bad) => {
        const subject = open();
        await subject.store.transact('run', step({ files: [{ path: 'a.md', content: 'committed' }] }));
        const whole = subject.state('run');
        subject.put('run', 'a.md', 'edited since');
        subject.setState('run', bad);
        expect(await subject.store.unfinished('run')).toBe(bad !== '{"seq":1}');
        const head = await subject.store.read('run');
        expect([head.snapshot?.count, head.notices.length, subject.state('run')]).toEqual([1, 1, bad]);
        const notices = await subject.store.transact('run', ({ notices }) => ({ answer: notices }));
        expect(notices.join()).toContain(`${subject.layout.names.snapshot}.aside-1`);
        expect(subject.state('run')).toBe(whole);
        expect(await text(subject, 'run', `${subject.layout.names.snapshot}.aside-1`)).toBe(bad);
        expect(await text(subject, 'run', 'a.md')).toBe('edited since');
        expect((await subject.store.read('run')).notices).toEqual([]);
      },
    );

    it('rebuilds a snapshot that the next patches do not fit', async () => {
      const subject = open();
      await subject.store.transact('run', step({ body: { deep: { a: 1, b: 1 } } }));
      const first = subject.state('run');
      await subject.store.transact('run', step({ body: { deep: { a: 2, b: 1 } } }));
      const whole = subject.state('run');
      subject.setState('run', first?.replace('"deep"', '"other"') ?? '');
      expect((await subject.store.read('run')).snapshot?.body).toEqual({ deep: { a: 2, b: 1 } });
      await subject.store.transact('run', () => ({ answer: null }));
      expect(subject.state('run')).toBe(whole);
    });

    it('does not touch a run of a newer version', async () => {
      const subject = open();
      await subject.store.transact('run', step({}));
      const newer = subject.state('run')?.replace('{', '{"newer":true,') ?? '';
      subject.setState('run', newer);
      expect(await codeOf(() => subject.store.read('run'))).toBe('STATE_NEWER');
      expect(await codeOf(() => subject.store.transact('run', step({})))).toBe('STATE_NEWER');
      expect(subject.state('run')).toBe(newer);
    });

    it('cannot do anything without a usable snapshot and without a journal', async () => {
      const subject = open();
      await subject.store.transact('run', step({}));
      subject.setState('run', '{');
      subject.setJournal('run', Buffer.alloc(0));
      expect(await codeOf(() => subject.store.read('run'))).toBe('STATE_CORRUPT');
      expect(await codeOf(() => subject.store.transact('run', step({})))).toBe('STATE_CORRUPT');
      expect(subject.state('run')).toBe('{');
    });
  });

  describe(`${name}: a torn or damaged journal`, () => {
    async function three(): Promise<Subject> {
      const subject = open();
      for (const body of ['a', 'b']) await subject.store.transact('run', step({ body }));
      return subject;
    }

    it('never saw a commit that lost its end, and goes on after it', async () => {
      const subject = await three();
      const before = [subject.state('run'), subject.journal('run')] as const;
      await subject.store.transact('run', step({ entries: ['x', 'y'], body: 'c' }));
      const whole = subject.journal('run');
      for (const lost of [1, 2, 30, 200]) {
        subject.setState('run', before[0]);
        subject.setJournal('run', whole.subarray(0, whole.length - lost));
        expect((await subject.store.read('run')).snapshot?.body, `${lost} bytes lost`).toBe('b');
        expect(await subject.store.unfinished('run')).toBe(false);
        const notices = await subject.store.transact('run', (head) => ({ answer: head.notices }));
        expect(notices.join()).toContain('torn');
        expect(subject.journal('run').equals(before[1])).toBe(true);
      }
    });

    it('takes a bad checksum in the last line for torn only while the snapshot does not know of it', async () => {
      const subject = await three();
      const state = subject.state('run');
      const journal = subject.journal('run');
      await subject.store.transact('run', step({ body: 'c' }));
      const bad = subject.journal('run');
      bad[bad.length - 40] = (bad[bad.length - 40] ?? 0) ^ 1;
      subject.setJournal('run', bad);
      expect(await codeOf(() => subject.store.transact('run', () => ({ answer: null })))).toBe('JOURNAL_CORRUPT');
      expect(await codeOf(() => subject.store.read('run'))).toBe('JOURNAL_CORRUPT');
      expect(subject.journal('run').equals(bad)).toBe(true);
      subject.setState('run', state);
      await subject.store.transact('run', () => ({ answer: null }));
      expect(subject.journal('run').equals(journal)).toBe(true);
    });

    it('adds nothing once any byte of what the snapshot knows is damaged', async () => {
      const subject = await three();
      await subject.store.transact('run', step({ entries: ['x', 'y'], body: 'c' }));
      const [state, good] = [subject.state('run'), subject.journal('run')];
      for (let i = 0; i < good.length; i++) {
        const bad = Buffer.from(good);
        bad[i] = (bad[i] ?? 0) ^ 2;
        subject.setJournal('run', bad);
        expect(await codeOf(() => subject.store.transact('run', step({}))), `byte ${i}`).toBe('JOURNAL_CORRUPT');
        expect([subject.state('run'), subject.journal('run').equals(bad)], `byte ${i}`).toEqual([state, true]);
      }
      subject.setJournal('run', good);
      expect(await subject.store.transact('run', step({}))).toBe(4);
    });

    it('stops at a damaged line elsewhere, names it and touches nothing', async () => {
      const subject = await three();
      const bad = subject.journal('run');
      bad[20] = (bad[20] ?? 0) ^ 1;
      subject.setJournal('run', bad);
      const before = [subject.state('run'), subject.journal('run').toString()];
      for (const use of [
        () => subject.store.journal('run'),
        () => subject.store.replay('run'),
        () => subject.store.transact('run', step({})),
      ]) {
        expect(await codeOf(use)).toBe('JOURNAL_CORRUPT');
      }
      await expect(subject.store.journal('run')).rejects.toThrow('line 1');
      expect([subject.state('run'), subject.journal('run').toString()]).toEqual(before);
    });

    it('stops when the journal ends before the snapshot, or has lost a line', async () => {
      const subject = await three();
      const lines = subject.journal('run').toString().split('\n');
      subject.setJournal('run', Buffer.from(`${lines[0]}\n`));
      expect(await codeOf(() => subject.store.read('run'))).toBe('JOURNAL_CORRUPT');
      subject.setJournal('run', Buffer.from(`${lines[1]}\n`));
      expect(await codeOf(() => subject.store.journal('run'))).toBe('JOURNAL_CORRUPT');
    });
  });

  describe(`${name}: redo`, () => {
    it('shows a commit that was cut short as it will be, and finishes it under the lock', async () => {
      const subject = open();
      await subject.store.transact(
        'run',
        step({
          files: [
            { path: 'd/a.md', content: 'old' },
            { path: 'gone.md', content: 'x' },
          ],
        }),
      );
      await cutShort(subject, () =>
        subject.store.transact(
          'run',
          step({
            files: [
              { path: 'd/a.md', content: 'new' },
              { path: 'd/b.md', content: 'b' },
              { path: 'gone.md', content: null },
            ],
          }),
        ),
      );
      subject.put('run', 'd/a.md', 'old');
      expect(await subject.store.unfinished('run')).toBe(true);
      const head = await subject.store.read('run');
      expect(head.snapshot?.count).toBe(2);
      expect(head.files.read('d/a.md')?.toString()).toBe('new');
      expect(head.files.facts('d/a.md')).toMatchObject({ kind: 'file', size: 3 });
      expect(head.files.list('d')).toEqual(['a.md', 'b.md']);
      expect(head.files.facts('gone.md').kind).toBe('missing');

      await subject.store.transact('run', () => ({ answer: null }));
      expect(await subject.store.unfinished('run')).toBe(false);
      expect(await text(subject, 'run', 'd/a.md')).toBe('new');
      expect((await subject.store.replay('run')).equal).toBe(true);
    });

    it('keeps aside what was written in between, and says so', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: [{ path: 'a.md', content: 'old' }] }));
      await cutShort(subject, () => subject.store.transact('run', step({ files: [{ path: 'a.md', content: 'new' }] })));
      subject.put('run', 'a.md', 'precious');
      expect((await subject.store.read('run')).notices.join()).toContain('a.md.aside-2');
      const notices = await subject.store.transact('run', (head) => ({ answer: head.notices }));
      expect(notices.join()).toContain('a.md.aside-2');
      expect(await text(subject, 'run', 'a.md')).toBe('new');
      expect(await text(subject, 'run', 'a.md.aside-2')).toBe('precious');
    });

    it('follows a document through several commits', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: [{ path: 'a.md', content: '1' }] }));
      const early = subject.state('run');
      for (const content of ['2', '3'])
        await subject.store.transact('run', step({ files: [{ path: 'a.md', content }] }));
      subject.setState('run', early);
      subject.put('run', 'a.md', '2');
      await subject.store.transact('run', (head) => ({ answer: expect(head.notices).toEqual([]) }));
      expect(await text(subject, 'run', 'a.md')).toBe('3');
    });

    it('finishes a first commit, with nothing to tell', async () => {
      const subject = open();
      await cutShort(subject, () => subject.store.transact('run', step({ files: [{ path: 'a.md', content: 'a' }] })));
      expect(await subject.store.transact('run', (head) => ({ answer: head.notices }))).toEqual([]);
      expect((await subject.store.read('run')).snapshot?.count).toBe(1);
    });
  });

  describe(`${name}: another boot`, () => {
    /** Simulates that the machine stopped after the last commit and booted again. */
    function reboot(subject: Subject): void {
      subject.setJournal('run', rebooted(subject.journal('run')));
    }

    it('is told, to readers and under the lock, until the next commit', async () => {
      const subject = open();
      const seen = () => subject.store.transact('run', (head) => ({ answer: head.rebooted }));
      expect((await subject.store.read('run')).rebooted).toBe(false);
      await subject.store.transact('run', step({}));
      expect([(await subject.store.read('run')).rebooted, await seen()]).toEqual([false, false]);
      reboot(subject);
      expect([(await subject.store.read('run')).rebooted, await seen(), await seen()]).toEqual([true, true, true]);
      await subject.store.transact('run', step({}));
      expect([(await subject.store.read('run')).rebooted, await seen()]).toEqual([false, false]);
    });

    it.each([
      ['older', (states: string[]) => states[0] ?? ''],
      ['gone', () => null],
      ['empty', () => ''],
      ['zeros', (states: string[]) => '\0'.repeat(states[2]?.length ?? 0)],
      ['torn', (states: string[]) => states[2]?.slice(0, 20) ?? ''],
    ])('rebuilds a snapshot that is %s, and keeps nothing aside that says nothing', async (what, lost) => {
      const subject = open();
      const states: string[] = [];
      for (const body of [1, 2, 3]) {
        await subject.store.transact('run', step({ body }));
        states.push(subject.state('run') ?? '');
      }
      reboot(subject);
      subject.setState('run', lost(states));
      expect((await subject.store.read('run')).snapshot?.body).toBe(3);
      const notices = await subject.store.transact('run', (head) => ({ answer: head.notices }));
      expect(notices.length > 0).toBe(what !== 'older');
      expect(subject.state('run')).toBe(states[2]);
      const { files } = await subject.store.read('run');
      const aside = files.facts(`${subject.layout.names.snapshot}.aside-1`).kind;
      expect(aside).toBe(what === 'torn' ? 'file' : 'missing');
    });

    it('has effects outside the stream of the last commit alone put in place again', async () => {
      const subject = open();
      await subject.store.transact('run', step({}));
      const first = subject.state('run');
      const files = (text: string) => [{ path: '/docs/a.md', content: text }];
      for (const content of ['one', 'two']) await subject.store.transact('run', step({ files: files(content) }));
      subject.put('run', '/docs/a.md', 'one');
      subject.setState('run', first);
      reboot(subject);
      await subject.store.transact('run', () => ({ answer: null }));
      expect(await text(subject, 'run', '/docs/a.md')).toBe('two');
    });

    it('leaves documents to the owner, who finds every content in the journal', async () => {
      const subject = open();
      const contents = ['one', 'long '.repeat(1000), 'x'.repeat(70_000)];
      for (const content of contents) await subject.store.transact('run', step({ files: [{ path: 'a.md', content }] }));
      const first = subject.state('run');
      await subject.store.transact('run', step({}));
      subject.put('run', 'a.md', '');
      subject.setState('run', first);
      reboot(subject);
      const { past } = await subject.store.read('run');
      const found = await subject.store.transact('run', (head) => {
        const digests: string[] = [];
        head.past.scan(({ files }) => void digests.push(...files.flatMap(({ after }) => after ?? [])));
        return { answer: { digests, read: head.past.contents([...digests, 'f'.repeat(64)]) } };
      });
      expect(found.digests.map((digest) => found.read.get(digest)?.toString())).toEqual(contents);
      expect(past.contents(found.digests)).toEqual(found.read);
      expect(await text(subject, 'run', 'a.md')).toBe('');
    });
  });

  describe(`${name}: renderings`, () => {
    const whole = (content: string) => [{ path: 'notes.md', content, rendered: 'whole' as const }];
    const end = (content: string) => [{ path: 'notes.md', content, rendered: 'end' as const }];

    it('are put in place, named in the entry, and in no entry', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: whole('one,') }));
      await subject.store.transact('run', step({ files: [...end('two'), { path: 'a.md', content: 'a' }] }));
      expect(await text(subject, 'run', 'notes.md')).toBe('one,two');
      const entries = await subject.store.journal('run');
      expect(entries.map(({ rendered, files }) => [rendered, files.map(({ path }) => path)])).toEqual([
        [['notes.md'], []],
        [['notes.md'], ['a.md']],
      ]);
      expect(subject.journal('run').toString()).not.toContain('two');
    });

    it('are told as stale after a commit that was cut short, until they are in place', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: whole('one,') }));
      await cutShort(subject, () => subject.store.transact('run', step({ files: end('two') })));
      subject.put('run', 'notes.md', 'one,t');
      const cut = subject.state('run');
      const seen = () => subject.store.transact('run', ({ stale, seq }) => ({ answer: [stale, seq] }));
      expect(await subject.store.read('run')).toMatchObject({ stale: ['notes.md'], unfinished: true });
      expect([await seen(), await seen()]).toEqual(Array(2).fill([['notes.md'], 2]));
      expect(subject.state('run')).toBe(cut);
      const renderings = whole('one,two');
      await subject.store.transact('run', () => ({ answer: null, renderings }));
      expect([await text(subject, 'run', 'notes.md'), await seen()]).toEqual(['one,two', [[], 2]]);
      expect(await subject.store.read('run')).toMatchObject({ stale: [], unfinished: false });
      expect((await subject.store.replay('run')).equal).toBe(true);
    });

    it('are in place after the next commit, if that has them', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: whole('one') }));
      await cutShort(subject, () => subject.store.transact('run', step({ files: whole('two') })));
      await subject.store.transact('run', step({ files: whole('three') }));
      expect(await subject.store.read('run')).toMatchObject({ stale: [], unfinished: false, snapshot: { count: 3 } });
      expect(await text(subject, 'run', 'notes.md')).toBe('three');
    });

    it('that are added to what is not there are left to whoever misses them', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: end('two') }));
      expect(await text(subject, 'run', 'notes.md')).toBeUndefined();
    });

    it('may not be where a document may not, nor become too large, nor be changed twice', async () => {
      const subject = open();
      const half = 'x'.repeat(5 * 1024 * 1024);
      const files = [...whole(''), { path: './notes.md', content: '' }];
      await expect(subject.store.transact('run', step({ files }))).rejects.toThrow('two changes');
      const reserved = [{ path: subject.layout.names.snapshot, content: '', rendered: 'whole' as const }];
      await expect(subject.store.transact('run', step({ files: reserved }))).rejects.toThrow('no document');
      await subject.store.transact('run', step({ files: whole(half) }));
      expect(await codeOf(() => subject.store.transact('run', step({ files: end(half) })))).toBe('DATA_MALFORMED');
    });

    it('are compared with what the owner says they are, as a note', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: [{ path: 'notes.md', content: 'zero' }] }));
      await subject.store.transact('run', step({ files: whole('one') }));
      const look = { renderings: () => new Map([['notes.md', Buffer.from('one')]]) };
      expect(await subject.store.replay('run', look)).toMatchObject({ equal: true, notes: [] });
      subject.put('run', 'notes.md', 'edited');
      expect(await subject.store.replay('run', look)).toMatchObject({
        equal: true,
        notes: [{ path: 'notes.md', problem: 'was changed since it was rendered' }],
      });
      expect((await subject.store.rewind('run', 1))?.documents.has('notes.md')).toBe(true);
      expect((await subject.store.rewind('run', 2))?.documents.has('notes.md')).toBe(false);
    });
  });

  describe(`${name}: looking back`, () => {
    const seqsFrom = async ({ store }: Subject, from: JournalCursor, most = Number.POSITIVE_INFINITY) => {
      const seqs: number[] = [];
      const scanned = await store.scan('run', from, ({ seq }) => seqs.push(seq) < most);
      return { seqs, ...scanned };
    };

    it('hands out entries in pieces, from where it left off, whatever their size', async () => {
      const subject = open();
      const sizes = [10, 70_000, 200_000, 10];
      for (const size of sizes) {
        await subject.store.transact('run', step({ entries: ['one', 'two'], body: 'x'.repeat(size) }));
      }
      const first = await seqsFrom(subject, BEGINNING, 3);
      expect(first).toMatchObject({ seqs: [1, 2, 3], complete: false, behind: { seq: 3 } });
      const rest = await seqsFrom(subject, first.behind);
      expect(rest).toMatchObject({ seqs: [4, 5, 6, 7, 8], complete: true, torn: false });
      expect(rest.behind).toEqual({ seq: 8, offset: subject.journal('run').length });
      expect(await seqsFrom(subject, rest.behind)).toMatchObject({ seqs: [], complete: true });
    });

    it('stops before a torn end, and at damage, after what was good', async () => {
      const subject = open();
      for (const _ of [1, 2, 3]) await subject.store.transact('run', step({}));
      const whole = subject.journal('run');
      subject.setJournal('run', Buffer.concat([whole, Buffer.from('{"v":1')]));
      expect(await seqsFrom(subject, BEGINNING)).toMatchObject({ seqs: [1, 2, 3], torn: true, size: whole.length + 6 });
      subject.setJournal('run', Buffer.from(whole.toString().replace('"seq":2', '"seq":7')));
      const seqs: number[] = [];
      const scanning = subject.store.scan('run', BEGINNING, ({ seq }) => seqs.push(seq) > 0);
      await expect(scanning).rejects.toThrow('line 2');
      expect(seqs).toEqual([1]);
    });

    it('notices that what it has read is gone', async () => {
      const subject = open();
      await subject.store.transact('run', step({}));
      const { behind } = await seqsFrom(subject, BEGINNING);
      expect(await codeOf(() => seqsFrom(subject, { ...behind, offset: behind.offset + 1 }))).toBe('JOURNAL_CORRUPT');
    });

    it('rewinds to any commit, with the documents of then', async () => {
      const subject = open();
      await subject.store.transact('run', step({ files: [{ path: 'a.md', content: 'one' }] }));
      await subject.store.transact('run', step({ entries: ['x', 'y'], files: [{ path: 'a.md', content: 'two' }] }));
      await subject.store.transact('run', step({ files: [{ path: 'a.md', content: null }] }));
      const moments = await Promise.all([1, 2, 3, 4].map((seq) => subject.store.rewind('run', seq)));
      expect(moments.map((moment) => [moment?.first, moment?.last, moment?.snapshot.count])).toEqual([
        [1, 1, 1],
        [2, 3, 2],
        [2, 3, 2],
        [4, 4, 3],
      ]);
      const contents = moments.map((moment) => moment?.documents.get('a.md') ?? null);
      expect(contents[1]).toBe(contents[2]);
      expect(contents[3]).toBeNull();
      const [first = ''] = contents;
      const read = await subject.store.contents('run', [first ?? '', 'f'.repeat(64)]);
      expect([...read]).toEqual([[first, Buffer.from('one')]]);
      for (const seq of [0, 5]) expect(await subject.store.rewind('run', seq)).toBeNull();
    });

    it('waits for the journal to grow, until it does, the time is over or nobody waits any more', async () => {
      const subject = open();
      await subject.store.transact('run', step({}));
      const size = subject.journal('run').length;
      const waiting = new AbortController();
      const wait = { milliseconds: 60_000, signal: waiting.signal };
      await subject.store.grown('run', size - 1, wait);
      const growing = subject.store.grown('run', size, wait);
      await subject.store.transact('run', step({}));
      await growing;
      const now = subject.journal('run').length;
      await subject.store.grown('run', now, { ...wait, milliseconds: 1 });
      const given = subject.store.grown('run', now, wait);
      waiting.abort();
      await given;
    });
  });

  describe(`${name}: documents`, () => {
    it('reads relative to the stream, and with a leading / to the root; never outside', async () => {
      const subject = open();
      subject.put('run', 'in.md', 'in');
      subject.put('run', '/src/app.ts', 'app');
      const { files } = await subject.store.read('run');
      expect(files.read('in.md')?.toString()).toBe('in');
      expect(files.read(`/${subject.layout.streams}/run/../run/in.md`)?.toString()).toBe('in');
      expect(files.read('/src/app.ts')?.toString()).toBe('app');
      expect(files.list('/src')).toEqual(['app.ts']);
      expect(files.list('nowhere')).toEqual([]);
      expect(files.facts('in.md').kind).toBe('file');
      for (const path of ['../../../../../../x', '/..', '/../etc/passwd', 'a\0b']) {
        expect(files.facts(path).kind, path).toBe('outside');
        expect(await codeOf(() => files.read(path)), path).toBe('EVIDENCE_INVALID');
        expect(await codeOf(() => files.list(path)), path).toBe('EVIDENCE_INVALID');
      }
      expect(await codeOf(() => files.read('/src'))).toBe('EVIDENCE_INVALID');
    });

    it('may be there before the first commit, and not be placed past it afterwards', async () => {
      const subject = open();
      await subject.store.place('run', () => ({
        answer: null,
        files: [
          { path: 'plan/PLAN.md', content: 'p' },
          { path: 'none.md', content: null },
        ],
      }));
      expect(await text(subject, 'run', 'plan/PLAN.md')).toBe('p');
      expect(await subject.store.streams()).toEqual([]);
      await subject.store.transact('run', step({ files: [{ path: 'plan/PLAN.md', content: 'q' }] }));
      expect((await subject.store.journal('run'))[0]?.files[0]?.before).toMatch(/^[0-9a-f]{64}$/);
      const place = (stream: string, path: string) =>
        subject.store.place(stream, () => ({ answer: null, files: [{ path, content: 'x' }] }));
      expect(await codeOf(() => place('run', 'x.md'))).toBe(subject.layout.taken('run').code);
      for (const path of [subject.layout.names.snapshot, '/.git/hooks/post-commit', '/.GIT/config', '/lib/.git']) {
        await expect(place('new', path), path).rejects.toThrow('no document');
      }
    });

    it('shows a rewritten document as another one', async () => {
      const subject = open();
      subject.put('run', 'a.md', 'one');
      const before = (await subject.store.read('run')).files.facts('a.md');
      subject.put('run', 'a.md', 'two');
      expect((await subject.store.read('run')).files.facts('a.md')).not.toEqual(before);
    });
  });
}
