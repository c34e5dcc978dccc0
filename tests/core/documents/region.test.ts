import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRegion, putRegion, removeRegion } from '../../../src/documents/region.js';

// memory.md, Handoff and House: a marked block in a file that belongs to somebody else.

const MARKERS = { begin: '<!-- x v1 -->', end: '<!-- /x -->' };
const PLACES = ['first', 'last', 'behind-shebang'] as const;

/** Files of somebody else: any bytes, with both kinds of line ends, shebangs, and lines that are almost markers. */
const foreign = fc
  .array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('#!/bin/sh', 'x <!-- x v1 -->', '<!-- x v1 --> ', '')),
    {
      maxLength: 6,
    },
  )
  .chain((lines) =>
    fc
      .array(fc.constantFrom('\n', '\r\n', ''), { minLength: lines.length, maxLength: lines.length })
      .map((ends) => lines.map((line, at) => line + ends[at]).join('')),
  )
  .filter((text) => findRegion(text, MARKERS).kind === 'none');
const body = fc
  .array(fc.constantFrom('one', '- two', '', '#!/bin/sh'), { minLength: 1, maxLength: 4 })
  .map((all) => all.join('\n'));
const place = fc.constantFrom(...PLACES);

describe('a region', () => {
  it('leaves, once it is taken, every byte as it was', () => {
    fc.assert(
      fc.property(foreign, body, place, (text, said, where) => {
        const put = putRegion(text, MARKERS, said, where);
        expect(removeRegion(put, MARKERS)).toBe(text);
        expect(findRegion(put, MARKERS)).toMatchObject({ kind: 'found', body: said });
      }),
    );
  });

  it('is replaced where it stands', () => {
    fc.assert(
      fc.property(foreign, body, body, place, place, (text, one, two, where, later) => {
        const put = putRegion(text, MARKERS, one, where);
        expect(putRegion(put, MARKERS, two, later)).toBe(putRegion(text, MARKERS, two, where));
      }),
    );
  });

  it.each([
    ['first', 'abc\n', '<!-- x v1 -->\nB\n<!-- /x -->\nabc\n'],
    ['last', 'abc\n', 'abc\n<!-- x v1 -->\nB\n<!-- /x -->\n'],
    ['last', 'abc', 'abc\n<!-- x v1 -->\nB\n<!-- /x -->'],
    ['behind-shebang', '#!/bin/sh\nabc\n', '#!/bin/sh\n<!-- x v1 -->\nB\n<!-- /x -->\nabc\n'],
    ['behind-shebang', '#!/bin/sh', '#!/bin/sh\n<!-- x v1 -->\nB\n<!-- /x -->'],
    ['behind-shebang', 'abc\n', '<!-- x v1 -->\nB\n<!-- /x -->\nabc\n'],
    ['first', '', '<!-- x v1 -->\nB\n<!-- /x -->\n'],
  ] as const)('%s in %j', (where, text, becomes) => {
    expect(putRegion(text, MARKERS, 'B', where)).toBe(becomes);
  });

  it('is found, replaced and taken in a file whose line ends were changed', () => {
    const text = 'a\r\n<!-- x v1 -->\r\nB\r\n<!-- /x -->\r\nb\r\n';
    expect(findRegion(text, MARKERS)).toMatchObject({ kind: 'found', body: 'B' });
    expect(removeRegion(text, MARKERS)).toBe('a\r\nb\r\n');
    expect(putRegion(text, MARKERS, 'C', 'first')).toBe('a\r\n<!-- x v1 -->\nC\n<!-- /x -->\r\nb\r\n');
  });

  it.each([
    ['a\n<!-- x v1 -->\nB\n', 2],
    ['<!-- /x -->\n', 1],
    ['<!-- /x -->\n<!-- x v1 -->\n', 1],
    ['<!-- x v1 -->\n<!-- /x -->\n<!-- x v1 -->\n<!-- /x -->', 3],
    ['<!-- x v1 -->\n<!-- /x -->\n<!-- /x -->', 3],
  ])('is broken in %j', (text, line) => {
    expect(findRegion(text, MARKERS)).toMatchObject({ kind: 'broken', line });
    expect(removeRegion(text, MARKERS)).toBe(text);
  });
});
