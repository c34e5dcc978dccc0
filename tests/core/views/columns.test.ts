import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measureMost, measureText } from '../../../src/views/frames/columns.js';
import { SIGNS } from '../../../src/views/signs.js';

// view.md, Width: how many columns a text takes.

const OWN = [...'aZ «·»–…‖›↑↓↻■○●◐✓✗━╌', ...Object.values(SIGNS).map(({ sign }) => sign)];

it('what frames are made with is measured alike alone and beside what needs a segmenter', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...OWN)), (signs) => {
      const text = signs.join('');
      expect([measureText(text), measureMost(text)]).toEqual([signs.length, signs.length]);
      // A combining accent takes no column, but sends the whole text through the segmenter.
      expect(measureText(`${text}e\u0301`)).toBe(signs.length + 1);
    }),
  );
});

it('a sign that is joined with what follows is one with it', () => {
  for (const joined of ['✓\ufe0f', '↑\ufe0f']) expect([joined, measureText(joined)]).toEqual([joined, 2]);
  expect(measureText('●\u0301')).toBe(1);
});
