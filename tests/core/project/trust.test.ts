import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DISK_READER } from '../../../src/project/reader.js';
import { grantTrust, isTrusted } from '../../../src/project/trust.js';
import { ensureDirectory, writeDurably } from '../../../src/store/durable.js';
import { temporaryRoot } from '../store/disk.js';
import { codeOf } from '../store/sample.js';

describe('trust', () => {
  it('is of one digest, for good, and can be given again', () => {
    const directory = join(temporaryRoot(), 'made/later');
    const [one, two] = ['a'.repeat(64), 'b'.repeat(64)];
    expect(isTrusted(directory, one)).toBe(false);
    grantTrust(directory, one);
    grantTrust(directory, one);
    expect([isTrusted(directory, one), isTrusted(directory, two)]).toEqual([true, false]);
  });

  it('takes nothing but a digest', () => {
    for (const bad of ['', '../../../../../etc/passwd', 'short']) {
      expect(() => isTrusted('/', bad)).toThrow('not a digest');
      expect(() => grantTrust('/', bad)).toThrow('not a digest');
    }
  });
});

describe('the reader', () => {
  it('reads text and lists names, follows links, and finds nothing where nothing is', () => {
    const root = temporaryRoot();
    writeFileSync(join(root, 'b.md'), 'hä');
    symlinkSync('b.md', join(root, 'a.md'));
    expect(DISK_READER.read(join(root, 'a.md'))).toBe('hä');
    expect(DISK_READER.list(root)).toEqual(['a.md', 'b.md']);
    expect(DISK_READER.read(join(root, 'none'))).toBeNull();
    expect(DISK_READER.read(join(root, 'b.md/none'))).toBeNull();
    expect(DISK_READER.list(join(root, 'none'))).toEqual([]);
  });

  it('refuses a directory', async () => {
    expect(await codeOf(() => DISK_READER.read(temporaryRoot()))).toBe('IO');
  });
});

describe('durable primitives', () => {
  it('replace a file and make directories', () => {
    const root = temporaryRoot();
    expect(ensureDirectory(join(root, 'a/b'), root)).toBe(join(root, 'a'));
    expect(ensureDirectory(join(root, 'a/b'), root)).toBeUndefined();
    for (const content of ['one', Buffer.from('two')]) writeDurably(join(root, 'a/b/c'), content, root);
    expect(DISK_READER.read(join(root, 'a/b/c'))).toBe('two');
    expect(DISK_READER.list(join(root, 'a/b'))).toEqual(['c']);
  });

  it('name what is in the way, relative to the root', async () => {
    const root = temporaryRoot();
    writeFileSync(join(root, 'file'), '');
    mkdirSync(join(root, 'directory'));
    expect(() => ensureDirectory(join(root, 'file/x'), root)).toThrow(
      /^file: a file stands where a directory is needed/,
    );
    expect(() => writeDurably(join(root, 'directory'), 'x', root)).toThrow('a directory stands where a file is needed');
    expect(await codeOf(() => writeDurably(join(root, 'none/x'), 'x', root))).toBe('IO');
  });
});
