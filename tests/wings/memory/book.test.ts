import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addBookEntry,
  EMPTY_BOOK,
  ENTRY_KINDS,
  forgetEntry,
  getEntry,
  listEntries,
  MAX_ENTRIES_PER_KIND,
} from '../../../src/wings/memory/book.js';
import type { Book, Entries, EntryKind } from '../../../src/wings/memory/book-schema.js';

// memory.md, Where and Entries: how the book keeps entries, and how many of each kind

const base = { at: '2026-11-27T00:00:00.000Z', by: { kind: 'agent', via: 'cli' }, branch: 'main', head: null } as const;

const word = fc.constantFrom('a', 'b', 'c');
const made: { [K in EntryKind]: fc.Arbitrary<Entries[K]> } = {
  decision: word.map((text) => ({ ...base, text })),
  verification: fc
    .record({ command: word, how: fc.constantFrom('ran' as const, 'told' as const), cwd: fc.constantFrom('.', 'api') })
    .map((of) => ({ ...base, ...of, result: 'ok', outcome: 'passed' as const, content: null })),
  relevant: fc.record({ path: word, why: word }).map((of) => ({ ...base, ...of })),
  note: fc
    .record({ kind: fc.constantFrom('tried' as const, 'blocked' as const, 'risk' as const), text: word })
    .map((of) => ({ ...base, ...of })),
  next: word.map((text) => ({ ...base, text })),
  checkpoint: word.map((message) => ({ ...base, message, ref: 'refs/dev-cli/checkpoints/m1', content: 'c' })),
  handoff: word.map((summary) => ({ ...base, summary, status: 'failed' as const })),
};
type Call = { [K in EntryKind]: { kind: K; entry: Entries[K] } }[EntryKind];
const call = fc.oneof(
  ...ENTRY_KINDS.map((kind) => made[kind].map((entry: Entries[EntryKind]) => ({ kind, entry }) as Call)),
);

/** Returns the book after these calls, with one journal entry per call. */
function write(calls: readonly Call[], from: Book = EMPTY_BOOK): Book {
  return calls.reduce((book, { kind, entry }) => addBookEntry<EntryKind>(book, kind, entry, book.seq + 1).book, from);
}

const decide = (text: string): Call => ({ kind: 'decision', entry: { ...base, text } });

describe('a book', () => {
  it('keeps the newest of each kind, and changes no other kind', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), call, (calls, last) => {
        const before = write(calls);
        const frozen = JSON.stringify(before);
        const { book, stored, id, entry } = addBookEntry<EntryKind>(before, last.kind, last.entry, before.seq + 1);
        expect(JSON.stringify(before)).toBe(frozen);
        const all = listEntries(book, last.kind);
        expect(all.at(-1)).toEqual({ ...entry, id });
        expect(getEntry(book, last.kind, id)).toEqual(entry);
        expect(id).toBe(`m${stored === 'none' ? before.seq : before.seq + 1}`);
        expect(all.length).toBeLessThanOrEqual(MAX_ENTRIES_PER_KIND);
        if (stored === 'none') expect(book).toBe(before);
        for (const kind of ENTRY_KINDS) if (kind !== last.kind) expect(book[kind]).toBe(before[kind]);
      }),
    );
  });

  it('holds no two entries about the same', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const book = write(calls);
        const subjects = [
          ...listEntries(book, 'decision').map(({ text }) => `decision ${text}`),
          ...listEntries(book, 'verification').map(({ command, how, cwd }) => `verification ${command} ${how} ${cwd}`),
          ...listEntries(book, 'relevant').map(({ path }) => `relevant ${path}`),
          ...listEntries(book, 'note').map(({ kind, text }) => `note ${kind} ${text}`),
          ...listEntries(book, 'next').map(() => 'next'),
        ];
        expect(new Set(subjects).size).toBe(subjects.length);
      }),
    );
  });

  it('orders entries by the number of their id', () => {
    const book = write([...Array(12).keys()].map((n) => decide(`d${n}`)));
    expect(listEntries(book, 'decision').map(({ id }) => id)).toEqual([...Array(12).keys()].map((n) => `m${n + 1}`));
  });

  it.each(ENTRY_KINDS.filter((kind) => kind !== 'next'))('loses its oldest %s at one more than it keeps', (kind) => {
    const nth = (n: number): Call[] =>
      fc.sample(made[kind] as fc.Arbitrary<Entries[EntryKind]>, 1).map((entry) => ({
        kind,
        entry: { ...entry, text: `t${n}`, path: `p${n}`, command: `c${n}`, message: `m${n}`, summary: `s${n}` },
      })) as Call[];
    const full = write([...Array(MAX_ENTRIES_PER_KIND).keys()].flatMap(nth));
    expect(listEntries(full, kind)).toHaveLength(MAX_ENTRIES_PER_KIND);
    const over = write(nth(MAX_ENTRIES_PER_KIND), full);
    expect(listEntries(over, kind).map(({ id }) => id)).toEqual(
      [...Array(MAX_ENTRIES_PER_KIND).keys()].map((n) => `m${n + 2}`),
    );
  });

  it('moves a decision that is made again to the end', () => {
    const book = write([decide('a'), decide('b')]);
    const again = addBookEntry(book, 'decision', { ...base, text: 'a', reason: 'r' }, 3);
    expect(again).toMatchObject({ stored: 'replaced', id: 'm3' });
    expect(listEntries(again.book, 'decision').map(({ id, text }) => [id, text])).toEqual([
      ['m2', 'b'],
      ['m3', 'a'],
    ]);
  });

  it('stores nothing for what its last entry says, unless something came between', () => {
    const book = write([decide('a')]);
    const later = { ...base, text: 'a', at: '2026-11-28T00:00:00.000Z' };
    expect(addBookEntry(book, 'decision', later, 2)).toMatchObject({
      book,
      stored: 'none',
      id: 'm1',
      entry: { at: base.at },
    });
    expect(addBookEntry(book, 'decision', { ...later, branch: 'other' }, 2).stored).toBe('replaced');
    const between = write([{ kind: 'next', entry: { ...base, text: 'n' } }], book);
    expect(addBookEntry(between, 'decision', later, 3).stored).toBe('replaced');
  });

  it('records a command that ran each time, and a claim beside it', () => {
    const ran = {
      ...base,
      command: 'npm test',
      how: 'ran',
      result: 'exit 0',
      outcome: 'passed',
      content: 'c',
    } as const;
    const first = addBookEntry(EMPTY_BOOK, 'verification', ran, 1);
    expect(addBookEntry(first.book, 'verification', ran, 2).stored).toBe('replaced');
    expect(addBookEntry(first.book, 'verification', { ...ran, how: 'told' }, 2).stored).toBe('added');
    expect(addBookEntry(first.book, 'verification', { ...ran, cwd: 'api' }, 2).stored).toBe('added');
  });

  it('keeps what it does not know', () => {
    const newer = {
      ...write([decide('a'), decide('b')]),
      topic: { m9: { text: 't' } },
    } as unknown as Book;
    const decision = { ...newer.decision, m1: { ...newer.decision['m1'], colour: 'red' } } as Book['decision'];
    const { book } = addBookEntry({ ...newer, decision }, 'decision', { ...base, text: 'c' }, 3);
    expect(book).toMatchObject({ topic: { m9: { text: 't' } }, decision: { m1: { colour: 'red' } } });
    expect(forgetEntry(book, 'm2', 4)?.book).toMatchObject({ topic: { m9: {} }, decision: { m1: { colour: 'red' } } });
  });

  it('forgets one entry by its id', () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 30 }), fc.nat(), (calls, at) => {
        const book = write(calls);
        const ids = ENTRY_KINDS.flatMap((kind) => Object.keys(book[kind]));
        const id = ids[at % ids.length] ?? '';
        const forgot = forgetEntry(book, id, book.seq + 1);
        const left = ENTRY_KINDS.flatMap((kind) => Object.keys(forgot?.book[kind] ?? {}));
        expect(left).toEqual(ids.filter((one) => one !== id));
      }),
    );
    expect(forgetEntry(EMPTY_BOOK, 'm1', 1)).toBeNull();
    expect(forgetEntry(write([decide('a')]), 'toString', 2)).toBeNull();
  });
});
