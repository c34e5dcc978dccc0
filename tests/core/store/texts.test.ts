import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DOCUMENT } from '../../../src/base/files.js';
import { sha256 } from '../../../src/base/sha256.js';
import { packText, readText } from '../../../src/store/texts.js';

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
      fc.property(contents, (bytes) => {
        const content = Buffer.from(bytes);
        const digest = sha256(content);
        const texts = JSON.parse(JSON.stringify({ [digest]: packText(content) })) as object;
        expect(readText({ texts } as never, digest)).toEqual(content);
      }),
    );
  });

  it('is its text where it is short, and packed where it is long', () => {
    expect(packText(Buffer.from('short'))).toBe('short');
    expect(JSON.stringify(packText(Buffer.from('long '.repeat(2000)))).length).toBeLessThan(200);
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
    expect(readText({ texts: { [digest]: text } }, digest)).toBeNull();
    expect(readText({ texts: { [digest]: 'good' } }, digest)).toEqual(Buffer.from('good'));
    expect(readText({}, digest)).toBeNull();
  });

  it('never becomes larger than a document', () => {
    const bomb = Buffer.alloc(MAX_DOCUMENT + 1);
    const digest = sha256(bomb);
    expect(readText({ texts: { [digest]: deflated(bomb) } }, digest)).toBeNull();
    const largest = bomb.subarray(1);
    const of = sha256(largest);
    expect(readText({ texts: { [of]: deflated(largest) } }, of)?.length).toBe(MAX_DOCUMENT);
  });
});
