import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeName, parseStatus, splitNames } from '../../../src/work/status.js';

const HASH = 'a'.repeat(40);
const ordinary = (path: string, sub = 'N...') => `1 .M ${sub} 100644 100644 100644 ${HASH} ${HASH} ${path}`;
const conflict = (path: string) => `u UU N... 100644 100644 100644 100644 ${HASH} ${HASH} ${HASH} ${path}`;
const lines = (...all: string[]) => Buffer.from(all.map((line) => `${line}\0`).join(''));

describe('the output of git status', () => {
  it('names the commit checked out', () => {
    expect(parseStatus(lines(`# branch.oid ${HASH}`, '# branch.head (detached)')).head).toBe(HASH);
  });

  it('knows a repository without a commit', () => {
    expect(parseStatus(lines('# branch.oid (initial)', '# branch.head main')).head).toBeNull();
  });

  it('gives changed, conflicting and untracked paths', () => {
    const { entries } = parseStatus(lines(ordinary('a b'), conflict('c d'), '? e f'));
    expect(entries.map(({ path, nested }) => [String(path), nested])).toEqual([
      ['a b', false],
      ['c d', false],
      ['e f', false],
    ]);
  });

  it('tells a repository inside the repository', () => {
    const { entries } = parseStatus(lines(ordinary('module', 'S.M.'), '? clone/'));
    expect(entries.map(({ path, nested }) => [String(path), nested])).toEqual([
      ['module', true],
      ['clone', true],
    ]);
  });

  it('refuses a form it was not made for', () => {
    const renamed = lines(`2 R. N... 100644 100644 100644 ${HASH} ${HASH} R100 new`, 'old');
    expect(() => parseStatus(renamed)).toThrowError(expect.objectContaining({ code: 'GIT_FAILED' }));
  });

  it('keeps every path, whatever its characters', () => {
    const path = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => !text.includes('\0') && !text.endsWith('/'));
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const { entries } = parseStatus(lines(...paths.map((name) => ordinary(name))));
        expect(entries.map((entry) => String(entry.path))).toEqual(paths.map((name) => Buffer.from(name).toString()));
      }),
    );
  });
});

describe('the name of a path', () => {
  it('is its text when it is UTF-8', () => {
    expect(splitNames(Buffer.from('é\0"\n\0'))).toEqual(['é', '"\n']);
  });

  it('never makes one of two different names that are no UTF-8', () => {
    expect(decodeName(Buffer.from([0x61, 0xe9]))).toBe('a\\xe9');
    expect(decodeName(Buffer.from([0x61, 0xe8]))).toBe('a\\xe8');
  });

  it('of a directory is where the names of its files begin', () => {
    const segment = fc
      .uint8Array({ minLength: 1, maxLength: 6 })
      .map((bytes) => bytes.filter((byte) => byte !== 0 && byte !== 47));
    fc.assert(
      fc.property(segment, segment, (directory, file) => {
        const prefix = Buffer.concat([directory, Buffer.from('/')]);
        expect(decodeName(Buffer.concat([prefix, file])).startsWith(decodeName(prefix))).toBe(true);
      }),
    );
  });
});
