import { describe, expect, it } from 'vitest';
import type { RunStore } from '../../../src/project/runs.js';
import { type Sample, step } from '../store/sample.js';
import { cutShort, type Subject } from '../store/suite.js';

/** A store of runs under test. */
export interface RunSubject extends Subject {
  store: RunStore<Sample>;
  /** Returns the names of the guarded runs. */
  guarding(): string[];
}

/** Tests what runs do and other streams do not: a run's commits leave marks in `.dev` (storage.md, Layout). */
export function runsSuite(name: string, open: () => RunSubject): void {
  describe(`${name}: marks and sessions`, () => {
    it('moves the active pointer with the commit, and clears only its own', async () => {
      const { store } = open();
      await store.transact('one', step({ marks: { guarded: true, pointer: 'set' } }));
      expect(await store.active()).toBe('one');
      await store.transact('two', step({ marks: { guarded: false, pointer: 'clear' } }));
      expect(await store.active()).toBe('one');
      await store.transact('one', step({ marks: { guarded: false, pointer: 'clear' } }));
      expect(await store.active()).toBeNull();
      await store.setActive('two');
      expect(await store.active()).toBe('two');
      await store.setActive(null);
      expect(await store.active()).toBeNull();
    });

    it('guards from the commit that says so to the commit that no longer does', async () => {
      const subject = open();
      await subject.store.transact('one', step({ marks: { guarded: true } }));
      await subject.store.transact('two', step({ marks: { guarded: true } }));
      await subject.store.transact('one', step({ marks: { guarded: true } }));
      expect(subject.guarding()).toEqual(['one', 'two']);
      await subject.store.transact('one', step({ marks: { guarded: false } }));
      expect(subject.guarding()).toEqual(['two']);
    });

    it('binds sessions whatever their ids look like', async () => {
      const { store } = open();
      await store.transact('run', step({}));
      for (const id of ['s-1', '../../x', 'a/b', '', 'ü'.repeat(300)]) {
        expect(await store.session(id)).toBeNull();
        await store.changeSession(id, { becomes: 'bound', run: 'run', before: [] });
        expect(await store.session(id)).toBe('run');
        await store.changeSession(id, { becomes: 'forgotten' });
        expect(await store.session(id)).toBeNull();
      }
    });

    it('knows of a session what hooks, calls and its end have told', async () => {
      const { store } = open();
      await store.transact('one', step({}));
      const of = (id: string) => store.sessionMark(id);
      const heard = (id: string) => store.changeSession(id, { becomes: 'heard' });
      expect(await of('a')).toBeNull();
      await store.changeSession('a', { becomes: 'told' });
      expect(await of('a')).toEqual({ run: null, heard: false, before: [] });
      await store.changeSession('a', { becomes: 'bound', run: 'one', before: [] });
      await store.changeSession('a', { becomes: 'told' });
      expect(await of('a')).toEqual({ run: 'one', heard: false, before: [] });
      await heard('a');
      await store.changeSession('a', { becomes: 'bound', run: 'two', before: ['one'] });
      expect(await of('a')).toEqual({ run: 'two', heard: true, before: ['one'] });
      await store.changeSession('a', { becomes: 'bound', run: 'one', before: ['two'] });
      expect(await of('a')).toEqual({ run: 'one', heard: true, before: ['two'] });
      await heard('b');
      expect(await of('b')).toEqual({ run: null, heard: true, before: [] });
      await store.changeSession('a', { becomes: 'left', runId: 'id-2' });
      expect(await of('a')).toEqual({ run: null, heard: false, before: ['two'] });
      await heard('a');
      expect(await of('a')).toEqual({ run: null, heard: true, before: ['two'] });
      expect(await store.session('a')).toBeNull();
    });

    it('has one session go on with a run that another has left, by its id', async () => {
      const { store } = open();
      await store.transact('one', step({}));
      const goOn = (id: string, runId = 'id-1') => store.changeSession(id, { becomes: 'successor', run: 'one', runId });
      expect(await goOn('b')).toBe(false);
      await store.changeSession('a', { becomes: 'bound', run: 'one', before: [] });
      expect(await goOn('b')).toBe(false);
      await store.changeSession('a', { becomes: 'left', runId: 'id-1' });
      expect(await goOn('b', 'id-2')).toBe(false);
      await store.changeSession('b', { becomes: 'heard' });
      expect(await goOn('b')).toBe(true);
      expect(await store.sessionMark('b')).toEqual({ run: 'one', heard: true, before: [] });
      expect(await store.sessionMark('a')).toBeNull();
      expect(await goOn('c')).toBe(false);
      await store.changeSession('b', { becomes: 'left', runId: 'id-1' });
      expect(await goOn('b')).toBe(true);
    });

    it('finishes what a crash left undone of a commit, not before the lock is held', async () => {
      const subject = open();
      const { store } = subject;
      await store.transact('run', step({}));
      await cutShort(subject, () => store.transact('run', step({ marks: { guarded: true, pointer: 'set' } })));
      await store.setActive(null);
      expect((await store.read('run')).snapshot?.count).toBe(2);
      expect(await store.active()).toBeNull();
      await store.transact('run', () => ({ answer: null }));
      expect([await store.active(), subject.guarding()]).toEqual(['run', ['run']]);
    });

    it('finishes a first commit, with nothing to tell', async () => {
      const subject = open();
      const { store } = subject;
      await cutShort(subject, () => store.transact('run', step({ marks: { guarded: true, pointer: 'set' } })));
      await store.setActive(null);
      expect(await store.transact('run', (head) => ({ answer: head.notices }))).toEqual([]);
      expect([await store.active(), subject.guarding()]).toEqual(['run', ['run']]);
    });
  });

  it(`${name}: no document may lie where marks do`, async () => {
    const { store, untouched } = open();
    for (const path of ['/.dev/guard', '/.dev/active-spec', '/.dev/sessions/s', '/.dev/guard.new']) {
      await expect(store.transact('run', step({ files: [{ path, content: '' }] })), path).rejects.toThrow(
        'no document',
      );
    }
    expect(untouched()).toBe(true);
  });
}
