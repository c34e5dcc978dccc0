import { appendFileSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendFact, readNewestFacts, rotateFacts } from '../../../src/project/facts.js';
import { temporaryRoot } from '../store/disk.js';

// The file of facts: how facts are added, read and rotated (memory.md, Where).

const numbers = (directory: string) => readNewestFacts(directory).map(({ n }) => n);

describe('facts', () => {
  it('are read in their order; none where there is no file', () => {
    const directory = temporaryRoot();
    expect(readNewestFacts(directory)).toEqual([]);
    for (const n of [1, 2, 3]) appendFact(directory, { n, text: 'a\nb' });
    expect(readNewestFacts(directory)).toEqual([1, 2, 3].map((n) => ({ n, text: 'a\nb' })));
    expect(lstatSync(join(directory, 'facts.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('count as none where they do not parse, and spoil no other', () => {
    const directory = temporaryRoot();
    appendFact(directory, { n: 1 });
    appendFileSync(join(directory, 'facts.jsonl'), '{"n":2,"text":"cut sho');
    appendFact(directory, { n: 3 });
    appendFileSync(join(directory, 'facts.jsonl'), '\n[1]\n7\nnull\n\0\0\0\n');
    appendFact(directory, { n: 4 });
    expect(numbers(directory)).toEqual([1, 3, 4]);
  });

  it('are the newest 256 kB, also right after the file was moved away', () => {
    const directory = temporaryRoot();
    const text = 'x'.repeat(1000);
    for (let n = 0; n < 1200; n++) appendFact(directory, { n, text });
    const found = numbers(directory);
    expect(found.at(-1)).toBe(1199);
    expect(found.length).toBeGreaterThan(240);
    expect(found.length).toBeLessThan(270);
    rotateFacts(directory);
    expect(numbers(directory)).toEqual(found);
    appendFact(directory, { n: 1200 });
    expect(numbers(directory).slice(-2)).toEqual([1199, 1200]);
    rotateFacts(directory);
    expect(readFileSync(join(directory, 'facts.jsonl'), 'utf8')).toBe('\n{"n":1200}\n');
  });

  it('follow no link', () => {
    const directory = temporaryRoot();
    const elsewhere = join(temporaryRoot(), 'file');
    writeFileSync(elsewhere, '{"n":1}\n');
    symlinkSync(elsewhere, join(directory, 'facts.jsonl'));
    expect(() => appendFact(directory, { n: 2 })).toThrow('ELOOP');
    expect(() => readNewestFacts(directory)).toThrow('ELOOP');
    expect(readFileSync(elsewhere, 'utf8')).toBe('{"n":1}\n');
  });
});
