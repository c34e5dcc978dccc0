import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DOCUMENT } from '../../../src/base/files.js';
import { sha256 } from '../../../src/base/sha256.js';
import { packTexts, readEntryContent, type StoredText } from '../../../src/store/texts.js';

const pack = (...texts: string[]) =>
  Object.values(packTexts(new Map(texts.map((text) => [sha256(text), Buffer.from(text)]))));
/** Returns about 2 kB of text, which deflates to half its size. */
const prose = () => Array.from({ length: 300 }, (_, n) => sha256(String(n)).slice(0, 6)).join(' ');
const deflated = (content: Uint8Array) => ({ deflated: deflateSync(content).toString('base64') });

describe('a content in a line', () => {
  it('comes back byte for byte, whatever it is', () => {
    const contents = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.string({ unit: 'binary', maxLength: 2000 }).map((text) => Buffer.from(text)),
      fc.constantFrom(
        Buffer.from('\uFEFFwith a mark'),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.alloc(0),
        Buffer.alloc(64 * 1024),
      ),
    );
    fc.assert(
      fc.property(fc.array(contents, { minLength: 1, maxLength: 4 }), (all) => {
        const byDigest = new Map(all.map((bytes) => [sha256(Buffer.from(bytes)), Buffer.from(bytes)]));
        const texts = JSON.parse(JSON.stringify(packTexts(byDigest))) as { [sha256: string]: unknown };
        for (const [digest, content] of byDigest) expect(readEntryContent({ texts }, digest)).toEqual(content);
      }),
    );
  });

  it('is its text where it is short, and packed where it is long', () => {
    expect(pack('short')).toEqual(['short']);
    expect(JSON.stringify(pack('long '.repeat(2000))).length).toBeLessThan(200);
  });

  it('takes little room beside one that is like it', () => {
    const texts = ['one', 'two', 'three'].map((name) => `${name}: ${prose()}`);
    const [first = '', ...others] = pack(...texts).map((text) => JSON.stringify(text).length);
    for (const other of others) expect(other).toBeLessThan(Number(first) / 4);
  });

  it.each<[string, (texts: Record<string, StoredText>, like: string) => void]>([
    ['is gone', (texts, like) => delete texts[like]],
    ['is that of another digest', (texts, like) => Object.assign(texts, { [like]: 'other' })],
    ['has a dictionary, too', (texts, like) => Object.assign(texts, { [like]: { ...Object(texts[like]), like } })],
  ])('is missing where the one it is like %s', (_what, damage) => {
    const [one, two] = [prose(), `${prose()} two`];
    const texts = packTexts(new Map([one, two].map((text) => [sha256(text), Buffer.from(text)])));
    expect(readEntryContent({ texts }, sha256(two))?.toString()).toBe(two);
    damage(texts, sha256(one));
    expect(readEntryContent({ texts }, sha256(two))).toBeNull();
  });

  it.each<[string, unknown]>([
    ['is that of another digest', 'other'],
    ['is packed and that of another digest', deflated(Buffer.from('other'))],
    ['is cut', { deflated: deflated(Buffer.from('good')).deflated.slice(0, -6) }],
    ['is no base64', { deflated: '!!!' }],
    ['is no zlib stream', { deflated: Buffer.from('good').toString('base64') }],
    ['has another form', { packed: 'x' }],
    ['is null', null],
    ['is a list', ['good']],
  ])('is missing where it %s', (_what, text) => {
    const digest = sha256('good');
    expect(readEntryContent({ texts: { [digest]: text } }, digest)).toBeNull();
    expect(readEntryContent({ texts: { [digest]: 'good' } }, digest)).toEqual(Buffer.from('good'));
    expect(readEntryContent({}, digest)).toBeNull();
  });

  it('never becomes larger than a document', () => {
    const bomb = Buffer.alloc(MAX_DOCUMENT + 1);
    const digest = sha256(bomb);
    expect(readEntryContent({ texts: { [digest]: deflated(bomb) } }, digest)).toBeNull();
    const largest = bomb.subarray(1);
    const of = sha256(largest);
    expect(readEntryContent({ texts: { [of]: deflated(largest) } }, of)?.length).toBe(MAX_DOCUMENT);
  });
});
