import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsMask } from '../../../src/documents/foreign.js';
import { keepText } from '../../../src/wings/memory/text.js';

// memory.md, Entries: what becomes of a text that is kept

const keep = (given: string) => keepText(given, '--text');

describe('a text that is kept', () => {
  it('is one line that shows all it has, and stays the same when it is kept again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 900 }), (given) => {
        let text: string;
        try {
          text = keep(given).text;
        } catch (error) {
          expect(error).toMatchObject({ code: 'DATA_MISSING' });
          return;
        }
        expect(text.length).toBeLessThanOrEqual(400);
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        expect(keep(text)).toEqual({ text, masked: false });
      }),
    );
  });

  it.each(['', ' ', '\n\t', '\u200b', '\u202e', '\u0000\u001b[0m', '\u3164'])('is refused blank: %j', (given) => {
    expect(() => keep(given)).toThrow(expect.objectContaining({ code: 'DATA_MISSING' }));
  });

  it('says so where a secret was masked, before the cut', () => {
    const key = `AKIA${'A'.repeat(16)}`;
    expect(keep(`use ${key}`)).toEqual({ text: 'use [masked]', masked: true });
    expect(keep(`${'x'.repeat(390)} ${key}`).text).not.toContain('AKIA');
    expect(keep('about [masked] values').masked).toBe(false);
    expect(holdsMask('use [masked]')).toBe(true);
  });

  it('cuts no emoji in half', () => {
    const { text } = keep('🙂'.repeat(300));
    expect(text).toBe(`${'🙂'.repeat(199)}…`);
  });

  it('takes 1 MB', () => {
    expect(keep('word '.repeat(200_000)).text).toHaveLength(400);
  });
});
