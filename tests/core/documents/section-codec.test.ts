import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasContent } from '../../../src/documents/section-codec.js';

describe('a text has content', () => {
  it('when there is something to see, in any script', () => {
    for (const text of ['x', ' .', '\n-\n', 'ä', '日本', '🙂', '\u200b~', '\u00ad!'])
      expect(hasContent(text), text).toBe(true);
  });

  it('not when there is white space, or what controls and formats, alone', () => {
    for (const text of [
      '',
      ' \t\r\n',
      '\0\x1b\x7f',
      '\u200b\u2060\ufeff',
      '\u00a0\u3000\u2028',
      '\u00ad',
      '\u{e0041}',
    ]) {
      expect(hasContent(text), JSON.stringify(text)).toBe(false);
    }
  });

  it('by what Unicode says of each character', () => {
    const blank = /^[\s\p{Cc}\p{Cf}]*$/u;
    const unit = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom(' ', '\n', '\u200b', '\u00ad', '!', '~', '\x7f'),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 6 }), (pieces) => {
        expect(hasContent(pieces.join(''))).toBe(!blank.test(pieces.join('')));
      }),
      { numRuns: 200 },
    );
  });
});
