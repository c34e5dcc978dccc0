import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { checkRecent, type JournalReader, listEntriesAbove, readTail, readTailAt } from '../../../src/store/journal.js';
import { crc32, decodeLine, encodeEntry, isIntact, nativeCrc32 } from '../../../src/store/line.js';
import type { Entry } from '../../../src/store/store.js';
import { codeOf, entry } from './sample.js';

function line(seq: number, size = 0, more?: true): string {
  const at = '2026-01-01T00:00:00.000Z';
  const data = { filler: 'ä'.repeat(size) };
  return encodeEntry({ v: 3, seq, at, ...entry('counted'), data, patch: [], files: [], ...(more ? { more } : {}) });
}

function bytesOf(text: string | Uint8Array): JournalReader {
  const buffer = Buffer.from(text);
  return { name: 'events.jsonl', noun: 'run', size: buffer.length, read: (from, to) => buffer.subarray(from, to) };
}

describe('crc32', () => {
  it('gives the published check value', () => {
    expect(crc32(Buffer.from('123456789'))).toBe('cbf43926');
    expect(crc32(Buffer.alloc(0))).toBe('00000000');
  });

  it('is the same by Node', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(nativeCrc32(bytes)).toBe(crc32(bytes));
      }),
    );
  });
});

describe('a line', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, seq) => {
        const data = { value: JSON.parse(JSON.stringify(value)) };
        const written = encodeEntry({ v: 3, seq, at: 'now', ...entry('t'), data, patch: [], files: [] });
        const { crc, ...read } = decodeLine(Buffer.from(written.slice(0, -1))) as Entry;
        expect(read.data).toEqual(data);
        expect(crc).toBe(crc32(Buffer.from(JSON.stringify(read))));
      }),
    );
  });

  it('is damaged by the change of any byte', () => {
    const whole = Buffer.from(line(7).slice(0, -1));
    expect(isIntact(whole)).toBe(true);
    for (let i = 0; i < whole.length; i++) {
      const bad = Buffer.from(whole);
      bad[i] = (bad[i] ?? 0) ^ 0x04;
      expect(decodeLine(bad), `byte ${i}`).toBeNull();
    }
  });
});

describe('the end of a journal', () => {
  it('is found whatever the length of its lines', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 10, 30_000, 70_000), { maxLength: 8 }), (sizes) => {
        const bytes = bytesOf(sizes.map((size, i) => line(i + 1, size)).join(''));
        const tail = readTail(bytes);
        expect([tail.seq, tail.end]).toEqual([sizes.length, bytes.size]);
        expect(listEntriesAbove(bytes, tail, 0).map(({ seq }) => seq)).toEqual(sizes.map((_, i) => i + 1));
      }),
      { numRuns: 40 },
    );
  });

  it('is torn at every byte of the last commit', () => {
    const kept = line(1) + line(2);
    const lost = Buffer.from(line(3, 5, true) + line(4));
    for (let length = 0; length < lost.length; length++) {
      const tail = readTail(bytesOf(Buffer.concat([Buffer.from(kept), lost.subarray(0, length)])));
      expect([tail.seq, tail.end], `${length} bytes`).toEqual([2, kept.length]);
    }
  });

  it('may have a bad checksum in its last line, and nowhere else', async () => {
    const bad = line(3).replace('counted', 'c0unted');
    expect(readTail(bytesOf(line(1) + line(2) + bad)).seq).toBe(2);
    expect(await codeOf(() => readTail(bytesOf(line(1) + bad + line(3).slice(0, 9))))).toBe('JOURNAL_CORRUPT');
    expect(await codeOf(() => readTail(bytesOf(bad + line(3, 0, true))))).toBe('JOURNAL_CORRUPT');
  });

  it('is checked as far as asked', async () => {
    const bytes = bytesOf(line(1).replace('counted', 'c0unted') + line(2, 500) + line(3, 500));
    const tail = readTail(bytes);
    expect(await codeOf(() => checkRecent(bytes, tail, 100))).toBe('no error');
    expect(await codeOf(() => checkRecent(bytes, tail, 10_000))).toBe('JOURNAL_CORRUPT');
  });

  it('is found by its number alone where that is the one that is known, and never elsewhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 10, 30_000), { minLength: 1, maxLength: 4 }),
        fc.nat({ max: 5 }),
        fc.nat({ max: 200 }),
        fc.boolean(),
        (sizes, known, lost, open) => {
          const text =
            sizes.map((size, i) => line(i + 1, size)).join('') + (open ? line(sizes.length + 1, 0, true) : '');
          const bytes = bytesOf(Buffer.from(text).subarray(0, Math.max(0, Buffer.byteLength(text) - lost)));
          const found = readTailAt(bytes, known);
          const whole = readTail(bytes);
          // `readTailAt` finds the end only if the last line is complete and has the known number; else `readTail` is
          // needed.
          const plain = whole.end === bytes.size && whole.seq === known && known > 0;
          expect(found).toEqual(plain ? whole : null);
        },
      ),
    );
  });

  it('is found by its number without a checksum, and not where a newer version wrote it', () => {
    const newer = encodeEntry({ ...entry('t'), v: 4 as 3, seq: 1, at: 'now', patch: [], files: [] });
    expect(readTailAt(bytesOf(newer), 1)).toBeNull();
    expect(readTailAt(bytesOf(line(1) + line(2).replace('counted', 'c0unted')), 2)?.seq).toBe(2);
    expect(readTailAt(bytesOf(`${line(1)}{"seq":2}\n`), 2)).toBeNull();
  });

  it('is damaged where a member is not what this program relies on', () => {
    const whole = { ...entry('t'), v: 3 as const, seq: 1, at: 'now', patch: [], files: [] };
    const odd = [{ rendered: [5] }, { rendered: 'PLAN.md' }, { texts: [] }] as object[];
    const decoded = (more: object) => decodeLine(Buffer.from(encodeEntry({ ...whole, ...more }).trimEnd()));
    expect(odd.map(decoded)).toEqual([null, null, null]);
    expect(decoded({ rendered: ['PLAN.md'], texts: {} })).not.toBeNull();
  });

  it('is not understood when a newer version wrote it', async () => {
    const newer = encodeEntry({ ...entry('t'), v: 4 as 3, seq: 1, at: 'now', patch: [], files: [] });
    expect(await codeOf(() => readTail(bytesOf(newer)))).toBe('STATE_NEWER');
  });

  it('is not understood when a pre-release wrote it', async () => {
    const older = encodeEntry({ ...entry('t'), v: 2 as 3, seq: 1, at: 'now', patch: [], files: [] });
    expect(await codeOf(() => readTail(bytesOf(older)))).toBe('STATE_OLDER');
    expect(readTailAt(bytesOf(older), 1)).toBeNull();
  });
});

describe('what is checked before something is added', () => {
  /** Damages one line at a time, and lists the lines whose damage a writer notices. */
  async function found(lines: readonly string[], length: number): Promise<number[]> {
    const seen: number[] = [];
    for (const [i, good] of lines.entries()) {
      const bytes = bytesOf(lines.with(i, good.replace('counted', 'c0unted')).join(''));
      const code = await codeOf(() => {
        const tail = readTail(bytes, nativeCrc32);
        checkRecent(bytes, tail, length);
        // A damaged last line counts as torn, so it is noticed only because its entry is missing.
        if (tail.seq < lines.length) throw new DevCliError('JOURNAL_CORRUPT', 'torn');
      });
      if (code !== 'no error') seen.push(i + 1);
    }
    return seen;
  }

  it('is every line that begins, or ends, within that length', async () => {
    const lines = [1, 2, 3, 4].map((seq) => line(seq, 100));
    const bytes = Buffer.byteLength(line(1, 100));
    expect(await found(lines, 1)).toEqual([4]);
    expect(await found(lines, bytes)).toEqual([4]);
    expect(await found(lines, bytes + 1)).toEqual([3, 4]);
    expect(await found(lines, 3 * bytes)).toEqual([2, 3, 4]);
    expect(await found(lines, 3 * bytes + 1)).toEqual([1, 2, 3, 4]);
  });

  it('is every entry of the last commit', async () => {
    const lines = [line(1), line(2, 0, true), line(3, 0, true), line(4)];
    expect(await found(lines, 1_000_000)).toEqual([1, 2, 3, 4]);
  });

  it('is what counts, not what was torn behind it', async () => {
    const kept = line(1) + line(2);
    const bytes = bytesOf(kept + line(3, 0, true) + line(4).slice(0, 20));
    const tail = readTail(bytes);
    expect([tail.seq, tail.start, tail.end]).toEqual([2, line(1).length, kept.length]);
    expect(await codeOf(() => checkRecent(bytes, tail, 1_000_000))).toBe('no error');
  });
});

describe('a damaged line', () => {
  it('is named by its number', async () => {
    const bytes = bytesOf(line(1) + line(2) + line(3).replace('counted', 'c0unted') + line(4));
    await expect(async () => listEntriesAbove(bytes, readTail(bytes), 0)).rejects.toMatchObject({
      details: [{ at: 'events.jsonl:3:1' }],
    });
  });

  it('is also one whose number is not the next', async () => {
    const bytes = bytesOf(line(1) + line(1) + line(2));
    expect(await codeOf(() => listEntriesAbove(bytes, readTail(bytes), 0))).toBe('JOURNAL_CORRUPT');
  });
});
