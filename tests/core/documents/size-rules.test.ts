import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeSize, type SizeClaim } from '../../../src/documents/size-claim.js';
import { findNextSize, isLarger, SIZES, settleSize } from '../../../src/documents/size-rules.js';

const size = fc.constantFrom(...SIZES);
const claims: fc.Arbitrary<SizeClaim> = fc.record(
  {
    size,
    because: fc.record(
      {
        files: fc.array(fc.string()),
        interfaces: fc.boolean(),
        data: fc.boolean(),
        unknowns: fc.array(fc.string()),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['size'] },
);
const facts = fc.record({ said: size, most: size, found: size }, { requiredKeys: [] });

describe('what a claim is worth (recipes.md, Size)', () => {
  const backed = { files: ['src/a.ts', 'tests/a.test.ts'], interfaces: false, data: false, unknowns: [] };

  it('small stands with one or two files and nothing against it', () => {
    expect(judgeSize({ size: 'small', because: backed })).toEqual({ size: 'small' });
    expect(judgeSize({ size: 'small', because: { files: ['src/a.ts', ' src/a.ts '] } })).toEqual({ size: 'small' });
  });

  it.each<[string, SizeClaim['because'], string]>([
    ['nobody says why', undefined, 'no file is named'],
    ['nothing is named', { files: ['', ' '] }, 'no file is named'],
    ['a third file', { files: ['a', 'b', 'c'] }, '3 files'],
    ['nine files', { files: [...'abcdefghi'] }, '9 files'],
    ['a glob for many', { files: ['src/**'] }, 'more than single files'],
    ['a directory', { files: ['src/'] }, 'more than single files'],
    ['the directory itself', { files: ['.'] }, 'more than single files'],
    ['several in one', { files: ['src/a.ts, src/b.ts, src/c.ts'] }, '3 files'],
    ['several by braces', { files: ['src/{a}.ts'] }, 'more than single files'],
    ['an interface', { ...backed, interfaces: true }, 'an interface changes'],
    ['data', { ...backed, data: true }, 'data change'],
    ['something unknown', { ...backed, unknowns: ['which cache?'] }, '1 unknown'],
    [
      'all of it',
      { files: [...'abc'], interfaces: true, data: true, unknowns: ['x', 'y'] },
      '3 files, an interface changes, data change, 2 unknown',
    ],
  ])('small becomes middle: %s', (_, because, why) => {
    expect(judgeSize({ size: 'small', ...(because === undefined ? {} : { because }) })).toEqual({
      size: 'middle',
      why,
    });
  });

  it('takes every larger claim as it is, and never makes one smaller', () => {
    fc.assert(
      fc.property(claims, (claim) => {
        const { size: taken, why } = judgeSize(claim);
        expect(isLarger(claim.size, taken)).toBe(false);
        expect(why !== undefined).toBe(taken !== claim.size);
        if (claim.size !== 'small') expect(taken).toBe(claim.size);
      }),
    );
  });
});

describe('which size counts', () => {
  it('the word of the user, else what was found, else large', () => {
    expect(settleSize({})).toEqual({ value: 'large', by: 'default' });
    expect(settleSize({ found: 'small' })).toEqual({ value: 'small', by: 'classified' });
    expect(settleSize({ said: 'middle', found: 'small' })).toEqual({ value: 'middle', by: 'user' });
    expect(settleSize({ most: 'middle' })).toEqual({ value: 'middle', by: 'user' });
    expect(settleSize({ most: 'middle', found: 'small' })).toEqual({ value: 'small', by: 'classified' });
    expect(settleSize({ most: 'middle', found: 'large' })).toEqual({ value: 'middle', by: 'user' });
  });

  it('is never above what the user allowed, unless the user said so since', () => {
    fc.assert(
      fc.property(facts, (known) => {
        const { value } = settleSize(known);
        if (known.said !== undefined) expect(value).toBe(known.said);
        else if (known.most !== undefined) expect(isLarger(value, known.most)).toBe(false);
      }),
    );
  });

  it('grows one step at a time, up to large', () => {
    expect(SIZES.map(findNextSize)).toEqual(['middle', 'large', null]);
  });
});
