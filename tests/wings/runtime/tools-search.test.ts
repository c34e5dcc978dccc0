import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grepFiles } from '../../../src/wings/runtime/tools/grep.js';
import { expandPattern } from '../../../src/wings/runtime/tools/search.js';
import { scratchDirectory } from '../../support/scratch.js';
import { openBench } from './tools.js';

/** The runtime's searches (runtime.md, Tools), with and without git. */

for (const git of [true, false]) {
  const open = () => {
    const bench = openBench({ git });
    bench.put('a.ts', 'one\ntwo one one\nthree\n');
    bench.put('src/b.tsx', 'none\n\n\n\n\none\n');
    bench.put('src/deep/c.md', 'One\n');
    bench.put('app/(group)/page.ts', 'x\n');
    bench.put('node_modules/m/i.ts', 'one\n');
    bench.put('bin', Buffer.from('one\0one\n'));
    bench.put('.env', 'one=1\n');
    bench.put('.dev/note.ts', 'one\n');
    if (git) bench.put('.gitignore', 'node_modules/\n.dev/\n');
    const outside = scratchDirectory('outside');
    writeFileSync(join(outside, 'far.ts'), 'one\n');
    symlinkSync(outside, join(bench.tree, 'out'));
    symlinkSync(join(outside, 'far.ts'), join(bench.tree, 'far.ts'));
    return bench;
  };

  describe(`glob_search ${git ? 'with' : 'without'} git`, () => {
    const find = async (input: { pattern: string; path?: string }) => {
      const { call } = open();
      return (await call('glob_search', input)).output.split('\n');
    };

    it('names files in order, and knows the patterns that people write', async () => {
      expect(await find({ pattern: '**/*.{ts,tsx}' })).toEqual(
        git
          ? ['a.ts', 'app/(group)/page.ts', 'far.ts', 'src/b.tsx']
          : ['.dev/note.ts', 'a.ts', 'app/(group)/page.ts', 'src/b.tsx'],
      );
      expect(await find({ pattern: '*.md' })).toEqual(['No file matches.']);
      expect(await find({ pattern: '*', path: 'src' })).toEqual(['src/b.tsx']);
      expect(await find({ pattern: '**', path: 'src' })).toEqual(['src/b.tsx', 'src/deep/c.md']);
      expect(await find({ pattern: 'app/(group)/*' })).toEqual(['app/(group)/page.ts']);
      expect(await find({ pattern: '[ab].ts' })).toEqual(['a.ts']);
      expect(await find({ pattern: '?.ts' })).toEqual(['a.ts']);
      expect(await find({ pattern: '-rf*' })).toEqual(['No file matches.']);
      expect(await find({ pattern: '*', path: '.dev' })).toEqual(['.dev/note.ts']);
    });

    it('takes an absolute pattern of the work tree, and none that leads out', async () => {
      const { call, tree } = open();
      expect((await call('glob_search', { pattern: `${tree}/src/*` })).output).toBe('src/b.tsx');
      for (const pattern of ['/etc/*', '../*', 'a/../../*', '', 'a\nb'])
        expect(await call('glob_search', { pattern }), pattern).toMatchObject({ isError: true });
      for (const path of ['..', '/etc', 'out', '.git', 'none', 'a.ts'])
        expect(await call('glob_search', { pattern: '*', path }), path).toMatchObject({ isError: true });
    });

    it('names 100 files', async () => {
      const { call, put } = open();
      for (let n = 0; n < 100; n += 1) put(`many/${String(n).padStart(3, '0')}`, '');
      const { output } = await call('glob_search', { pattern: 'many/*' });
      expect(output.split('\n')).toHaveLength(100);
      put('many/100', '');
      const more = (await call('glob_search', { pattern: 'many/*' })).output.split('\n');
      expect(more.slice(99)).toEqual(['many/099', '[the first 100; there are more]']);
    });

    it('leaves out what is gone, and cleans names', async () => {
      const { call, put, tree } = open();
      put('gone.txt', '');
      put('odd\u202e\nname.txt', '');
      if (git) execFileSync('git', ['add', 'gone.txt'], { cwd: tree });
      rmSync(join(tree, 'gone.txt'));
      const { output } = await call('glob_search', { pattern: '*.txt' });
      // Without git, a name with a line break is not found.
      expect(output).toBe(git ? 'odd\\u{202e}\\u{a}name.txt' : 'No file matches.');
    });

    it('ends for a pattern that never would', async () => {
      const { call, put } = open();
      put('a'.repeat(200), '');
      const { isError } = await call('glob_search', { pattern: `${'a*'.repeat(30)}b` });
      if (!git) expect(isError).toBe(true);
    });
  });

  describe(`grep_search ${git ? 'with' : 'without'} git`, () => {
    const grep = async (input: Record<string, string | number | boolean>) =>
      (await open().call('grep_search', { pattern: 'one', ...input })).output.split('\n');

    it('names files, and says how much there is', async () => {
      const other = git ? [] : ['.dev/note.ts'];
      expect(await grep({})).toEqual([
        ...other,
        'a.ts',
        'src/b.tsx',
        git ? '4 occurrences in 2 files' : '5 occurrences in 3 files',
      ]);
      expect(await grep({ glob: '*.md', '-i': true })).toEqual(['src/deep/c.md', '1 occurrence in 1 file']);
      expect(await grep({ path: 'a.ts' })).toEqual(['a.ts', '2 occurrences in 1 file']);
      expect(await grep({ path: 'src', glob: '*.{ts,tsx}' })).toEqual(['src/b.tsx', '2 occurrences in 1 file']);
      expect(await grep({ pattern: 'nothing' })).toEqual(['0 occurrences in 0 files']);
      expect(await grep({ path: 'a.ts', output_mode: 'count' })).toEqual(['a.ts:2', '2 occurrences in 1 file']);
      expect(await grep({ path: '.dev' })).toEqual(['.dev/note.ts', '1 occurrence in 1 file']);
    });

    it('shows lines, and those around', async () => {
      const input = { output_mode: 'content', path: 'src' };
      expect(await grep({ ...input, pattern: '^one' })).toEqual(['src/b.tsx:6:one', '1 occurrence in 1 file']);
      expect(await grep({ ...input, pattern: '^one', '-n': false })).toEqual([
        'src/b.tsx:one',
        '1 occurrence in 1 file',
      ]);
      expect(await grep({ ...input, '-A': 1 })).toEqual([
        ...['src/b.tsx:1:none', 'src/b.tsx-2-', '--', 'src/b.tsx:6:one'],
        '2 occurrences in 1 file',
      ]);
      expect(await grep({ ...input, pattern: '^one', '-B': 1 })).toEqual([
        'src/b.tsx-5-',
        'src/b.tsx:6:one',
        '1 occurrence in 1 file',
      ]);
      expect(await grep({ output_mode: 'content', path: 'a.ts', pattern: 'two', '-C': 1 })).toEqual([
        ...['a.ts-1-one', 'a.ts:2:two one one', 'a.ts-3-three'],
        '1 occurrence in 1 file',
      ]);
    });

    it('knows Perl, and patterns that look like options', async () => {
      expect(await grep({ pattern: '(?<=two )one\\b', path: 'a.ts' })).toEqual(['a.ts', '1 occurrence in 1 file']);
      for (const pattern of ['-v', '--help', '-e', '--open-files-in-pager=touch x'])
        expect(await grep({ pattern })).toEqual(['0 occurrences in 0 files']);
      expect((await grep({ pattern: '(' })).join()).toMatch(/^fatal: .*missing/);
      expect((await grep({ pattern: '' })).join()).toBe('the pattern is empty or has several lines');
      expect((await grep({ pattern: 'a\nb' })).join()).toBe('the pattern is empty or has several lines');
    });

    it('leaves keys out unless they are what is asked for', async () => {
      expect((await grep({ pattern: 'one=1', output_mode: 'content' })).join()).toBe('0 occurrences in 0 files');
      expect(await grep({ pattern: 'one=1', path: '.env' })).toEqual(['.env', '1 occurrence in 1 file']);
    });

    it('shows 250 lines unless told otherwise, and of long ones the beginning', async () => {
      const { call, put } = open();
      put('many', 'hit\n'.repeat(251));
      const input = { pattern: 'hit', path: 'many', output_mode: 'content' };
      const shown = (await call('grep_search', input)).output.split('\n');
      expect(shown).toHaveLength(252);
      expect(shown.slice(250)).toEqual(['[the first 250 of 251 lines]', '251 occurrences in 1 file']);
      expect((await call('grep_search', { ...input, head_limit: 251 })).output.split('\n')).toHaveLength(252);
      expect((await call('grep_search', { ...input, head_limit: 1 })).output).toBe(
        'many:1:hit\n[the first 1 of 251 lines]\n251 occurrences in 1 file',
      );
      put('long', `hit${'x'.repeat(100_000)}\n`);
      expect((await call('grep_search', { ...input, path: 'long' })).output).toHaveLength(1_001 + 23);
    });

    it('ends for a pattern that never would', async () => {
      const { call, put, site } = open();
      put('a', `${'a'.repeat(5_000)}!\n`);
      const { output } = await call('grep_search', { pattern: '(*LIMIT_MATCH=4000000000)(a+)+$', path: 'a' });
      expect(output).toMatch(/limit/);
      // Large enough that no machine finishes within the time limit.
      put('large', 'x\n'.repeat(16_000_000));
      await expect(grepFiles({ pattern: 'one' }, site, 0.001)).rejects.toThrow('the search took longer than 0.001 s');
    });

    it('bounds what is shown, cleaned, and says where the whole lies', async () => {
      const { call, put, site } = open();
      put('many', `hit ${'x'.repeat(90)} a-key-of-the-runtime\u202e\u001b[0m\n`.repeat(240));
      const { output } = await call('grep_search', { pattern: 'hit', path: 'many', output_mode: 'content' });
      expect(Buffer.byteLength(output)).toBeLessThan(17 * 1024);
      expect(output).toMatch(`the full text: ${site.directory}/output.txt]`);
      expect(output).toMatch(/\n240 occurrences in 1 file$/);
      expect(output).not.toMatch(/a-key|\u202e|\u001b/);
      const whole = await call('read_file', { path: `${site.directory}/output.txt` });
      expect(whole.output).toMatch(/outside the work tree/);
    });
  });
}

describe('searching', () => {
  it('says that the call was interrupted', async () => {
    const signal = AbortSignal.abort();
    const { plan } = openBench({ git: true, signal });
    const made = await plan('grep_search', { pattern: 'a' });
    await expect(made.kind === 'read' && made.run()).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('takes the braces out of a pattern', () => {
    expect(expandPattern('a{b,c{d,e}}f', '/x')).toEqual(['abf', 'acdf', 'abf', 'acef']);
    expect(expandPattern('{a}', '/x')).toEqual(['{a}']);
    expect(expandPattern('{a,b}'.repeat(6), '/x')).toHaveLength(64);
    expect(() => expandPattern('{a,b}'.repeat(7), '/x')).toThrow('more than 64');
  });

  it('begins in a repository below the work tree, too', async () => {
    const { tree, put, call } = openBench();
    mkdirSync(join(tree, 'sub'));
    execFileSync('git', ['init', '-q'], { cwd: join(tree, 'sub') });
    put('sub/.gitignore', 'ignored\n');
    put('sub/ignored', 'one');
    put('sub/a', 'one');
    expect((await call('grep_search', { pattern: 'one', path: 'sub' })).output).toBe('sub/a\n1 occurrence in 1 file');
  });
});
