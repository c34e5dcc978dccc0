import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import fg from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { isLatin, segmentSentences, segmentWords } from '../../../src/documents/latin-text.js';
import { CHECKOUT } from '../../support/project.mjs';

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
const words = new Intl.Segmenter('und', { granularity: 'word' });

const asTheSegmenter = (text: string) => [
  [...sentences.segment(text)].map(({ segment }) => segment),
  [...words.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment),
];
const here = (text: string) => [
  segmentSentences(text).map(({ segment }) => segment),
  segmentWords(text).map(({ start, end }) => text.slice(start, end)),
];

describe('the boundaries of Latin text', () => {
  it('are those of the segmenter, whatever the signs', () => {
    const sign = fc.constantFrom(...'aAbBéÉxZ019 \t..,;:!?-_\'"()[]{}`/*#@–—‘’“”…');
    const text = fc.string({ unit: sign, minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(text, (one) => {
        expect(here(one)).toEqual(asTheSegmenter(one));
      }),
      { numRuns: 5_000 },
    );
  });

  it('are those of the segmenter in every paragraph of the documentation', () => {
    const files = fg.sync('docs/**/*.md', { cwd: CHECKOUT });
    const lines = files.flatMap((file) => readFileSync(join(CHECKOUT, file), 'utf8').split('\n')).filter(isLatin);
    expect(lines.length).toBeGreaterThan(5_000);
    for (const line of lines.filter((one) => one !== '')) expect(here(line)).toEqual(asTheSegmenter(line));
  });

  it.each(['日本語。', 'Здравствуй.', 'naïve e\u0301', 'a\u00adb', 'a\u2028b', 'a\nb', '😀. A'])(
    'are not looked for in %j',
    (text) => {
      expect(isLatin(text)).toBe(false);
    },
  );
});
