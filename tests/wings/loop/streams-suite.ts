import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Replay } from '../../../src/store/store.js';
import { EMPTY_LOOP } from '../../../src/wings/loop/state.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { LOOP, type Streams } from '../../../src/wings/loop/streams.js';

/** Streams under test, with what shows that they are whole. */
export interface StreamsSubject {
  streams: Pick<Streams, 'read' | 'transact'>;
  /** A document as the stream has it. */
  document(path: string): Promise<string | null>;
  /** What the store's own comparison says of the stream as a directory, and how many entries it has. */
  replay(): Promise<Pick<Replay<LoopState>, 'equal' | 'entries' | 'objects' | 'differences'>>;
}

/** A change that a test tells from others: a goal begun once more. */
export function begin(goal: string, documents: { path: string; content: string }[] = []) {
  return (state: LoopState) => {
    const n = (state.goals[goal]?.n ?? 0) + 1;
    return {
      answer: n,
      state: { ...state, goals: { ...state.goals, [goal]: { n, counted: n, notes: [] } } },
      entry: { type: 'begun', data: { goal, n } },
      documents,
    };
  };
}

/** What the loop relies on, wherever its stream lies (loop-core.md, Bounds; fleet.md, A stream in PostgreSQL). */
export function streamsSuite(where: string, open: () => StreamsSubject | Promise<StreamsSubject>): void {
  describe(`streams over ${where}`, () => {
    it('are empty before the first commit, and an answer alone makes none', async () => {
      const { streams, replay } = await open();
      expect(await streams.read(LOOP)).toEqual(EMPTY_LOOP);
      expect(await streams.transact(LOOP, ({ seq }) => ({ answer: `seen ${seq}` }))).toBe('seen 0');
      expect(await streams.read(LOOP)).toEqual(EMPTY_LOOP);
      expect(await replay()).toMatchObject({ equal: true, entries: 0 });
    });

    it('keep state, entry and documents together, and number the commits', async () => {
      const { streams, document, replay } = await open();
      const path = 'attempts/a/1/verdict.json';
      expect(await streams.transact(LOOP, begin('a', [{ path, content: '{"ü": 1}\n' }]))).toBe(1);
      expect(await streams.transact(LOOP, begin('a', [{ path, content: '{}\n' }]))).toBe(2);
      expect(await streams.transact(LOOP, begin('b'))).toBe(1);
      expect(await streams.read(LOOP)).toMatchObject({ seq: 3, goals: { a: { n: 2 }, b: { n: 1 } } });
      expect([await document(path), await document('attempts/b/1/verdict.json')]).toEqual(['{}\n', null]);
      expect(await replay()).toMatchObject({ equal: true, entries: 3 });
    });

    it('keep what is large in a file of its own, once', async () => {
      const { streams, document, replay } = await open();
      const content = 'large\n'.repeat(20_000);
      await streams.transact(LOOP, begin('a', [{ path: 'attempts/a/1/prompt.md', content }]));
      await streams.transact(LOOP, begin('a', [{ path: 'attempts/a/2/prompt.md', content }]));
      expect(await document('attempts/a/2/prompt.md')).toBe(content);
      expect(await replay()).toMatchObject({ equal: true, entries: 2, objects: 1 });
    });

    it('keep nothing of a change that fails', async () => {
      const { streams, replay } = await open();
      await streams.transact(LOOP, begin('a'));
      const failing = streams.transact(LOOP, () => {
        throw new Error('not so');
      });
      await expect(failing).rejects.toThrow('not so');
      expect(await streams.transact(LOOP, begin('a'))).toBe(2);
      expect(await replay()).toMatchObject({ equal: true, entries: 2 });
    });

    it('lose nothing when many change them at once', async () => {
      const { streams, replay } = await open();
      const goals = Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? 'a' : 'b'));
      const numbers = await Promise.all(goals.map((goal) => streams.transact(LOOP, begin(goal))));
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, at) => 1 + (at >> 1)));
      expect(await streams.read(LOOP)).toMatchObject({ seq: 24, goals: { a: { n: 12 }, b: { n: 12 } } });
      expect(await replay()).toMatchObject({ equal: true, entries: 24 });
    });

    it('ask nobody to decide for a claim that was never given', async () => {
      const { streams } = await open();
      const decide = () => {
        throw new Error('was asked');
      };
      await expect(streams.transact(LOOP, decide, { claim: 'QCLM_000000000bad' })).rejects.toMatchObject({
        code: 'CLAIM_REFUSED',
      });
    });

    it('are equal to what was done, whatever was done', async () => {
      const text = fc.string({ unit: 'binary', maxLength: 40 });
      const change = fc.record({
        goal: fc.constantFrom('a', 'b', 'ü'),
        document: fc.option(fc.record({ n: fc.integer({ min: 1, max: 3 }), content: text })),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
          const { streams, document, replay } = await open();
          const expected = new Map<string, string>();
          for (const { goal, document: one } of changes) {
            const documents = one ? [{ path: `attempts/a/${one.n}/verdict.json`, content: one.content }] : [];
            for (const { path, content } of documents) expected.set(path, content);
            await streams.transact(LOOP, begin(goal, documents));
          }
          for (const [path, content] of expected) expect(await document(path)).toBe(content);
          expect(await replay()).toMatchObject({ equal: true, entries: changes.length });
          expect((await streams.read(LOOP)).seq).toBe(changes.length);
        }),
        { numRuns: 15 },
      );
    });
  });
}
