import { chmodSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/base/sha256.js';
import { cutBytes, cutToLastBytes } from '../../../src/wings/runtime/core/cut.js';
import { isSecretFile, resolveToolPath, resolveWritePath } from '../../../src/wings/runtime/tools/place.js';
import { SPECS } from '../../../src/wings/runtime/tools/specs.js';
import { ToolRefusal } from '../../../src/wings/runtime/tools/tool.js';
import { scratchDirectory } from '../../support/scratch.js';
import { judgeInput, openBench } from './tools.js';

/** The runtime's tools for files (runtime.md, Tools). */

const MIB = 1024 * 1024;

describe('inputs', () => {
  const judge = (name: keyof typeof SPECS, input: unknown) => judgeInput(SPECS[name].schema, input);

  it('hold to closed schemas', () => {
    expect(judge('read_file', { path: 'a' })).toBeNull();
    expect(judge('read_file', {})).toBe('the input must have "path"');
    expect(judge('read_file', [])).toBe('the input must be object');
    expect(judge('read_file', { path: 'a', more: 1 })).toBe('the input must not have "more"');
    expect(judge('read_file', { path: 1 })).toBe('path must be string');
    expect(judge('write_file', { path: 'a' })).toBe('the input must have "content"');
    expect(judge('grep_search', { pattern: 'a', output_mode: 'all' })).toMatch(/^output_mode must be one of/);
  });

  it.each([
    ['read_file', { path: 'a' }, 'offset', 0, -1],
    ['read_file', { path: 'a' }, 'limit', 2_000, 2_001],
    ['read_file', { path: 'a' }, 'limit', 1, 0],
    ['bash', { command: 'a' }, 'timeout', 600_000, 600_001],
    ['bash', { command: 'a' }, 'timeout', 1, 0],
    ['grep_search', { pattern: 'a' }, '-C', 100, 101],
    ['grep_search', { pattern: 'a' }, 'head_limit', 1, 0],
  ] as const)('%s: a limit and one beyond it', (name, input, key, good, bad) => {
    expect(judge(name, { ...input, [key]: good })).toBeNull();
    expect(judge(name, { ...input, [key]: bad })).toMatch(/is out of bounds/);
  });

  it('of 10 MB are told of as any other that cannot be', async () => {
    const { call } = openBench({ git: true });
    const long = 'x'.repeat(10_000_000);
    for (const [name, input] of [
      ['read_file', { path: long }],
      ['write_file', { path: long, content: '' }],
      ['glob_search', { pattern: long }],
      ['grep_search', { pattern: long }],
      ['bash', { command: long }],
    ] as const) {
      const { output, isError } = await call(name, input);
      expect(isError, name).toBe(true);
      expect(output.length, name).toBeLessThan(1_500);
    }
  });

  it('have the names of the harnesses', () => {
    const aliases = Object.values(SPECS).map(({ alias }) => alias);
    expect(aliases.sort()).toEqual(['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write']);
  });
});

describe('paths', () => {
  const openTree = () => {
    const bench = openBench();
    const outside = scratchDirectory('outside');
    writeFileSync(join(outside, 'secret'), 'x');
    bench.put('a.txt', 'a\n');
    bench.put('src/b.txt', 'b\n');
    symlinkSync(outside, join(bench.tree, 'out'));
    symlinkSync(join(outside, 'secret'), join(bench.tree, 'out.txt'));
    symlinkSync(join(outside, 'not-there'), join(bench.tree, 'dangling'));
    symlinkSync('nowhere', join(bench.tree, 'dangling-inside'));
    symlinkSync('src', join(bench.tree, 'in'));
    symlinkSync('a.txt', join(bench.tree, 'in.txt'));
    symlinkSync('loop', join(bench.tree, 'loop'));
    mkdirSync(join(bench.tree, '.git'));
    symlinkSync('.git', join(bench.tree, 'gitlink'));
    return { ...bench, outside };
  };

  it('lead into the work tree or nowhere', () => {
    const { site, tree, outside } = openTree();
    const bad = [
      ['new/../../x', 'outside'],
      ['../x', 'outside'],
      ['src/../../tree2/x', 'outside'],
      ['/etc/passwd', 'outside'],
      [`${outside}/secret`, 'outside'],
      [`${tree}2`, 'outside'],
      ['out/secret', 'outside'],
      ['out/new/x', 'outside'],
      ['out.txt', 'outside'],
      ['dangling', 'outside'],
      ['dangling/x', 'outside'],
      ['loop', 'outside'],
      ['', 'empty'],
      [' ', 'empty'],
      ['a\nb', 'control'],
      ['a\u0000b', 'control'],
      ['a\u001b[31m', 'control'],
      ['a\u202eb', 'invisible'],
      ['a\u200bb', 'invisible'],
      ['a\ud800', 'invisible'],
      ['.git', 'belongs to git'],
      ['.git/hooks/pre-commit', 'belongs to git'],
      ['.GIT/config', 'belongs to git'],
      ['.Git /config', 'belongs to git'],
      ['sub/.git', 'belongs to git'],
      ['gitlink/config', 'belongs to git'],
      ['git~1/config', 'belongs to git'],
    ] as const;
    for (const [path, why] of bad) {
      for (const find of [resolveToolPath, resolveWritePath]) {
        expect(() => find(path, site), JSON.stringify(path)).toThrow(ToolRefusal);
        expect(() => find(path, site), JSON.stringify(path)).toThrow(why);
      }
    }
  });

  it('are named as they really are, for rules', () => {
    const { site, tree } = openTree();
    const named = (path: string) => resolveToolPath(path, site).name;
    expect(named('in/b.txt')).toBe('src/b.txt');
    expect(named('src/../a.txt')).toBe('a.txt');
    expect(named(`${tree}/src/b.txt`)).toBe('src/b.txt');
    expect(named('.')).toBe('.');
    expect(named('new/deep/x')).toBe('new/deep/x');
    expect(named('grüße/میخواهم.txt')).toBe('grüße/میخواهم.txt');
    expect(resolveWritePath('in/new.txt', site).path).toBe(join(tree, 'src/new.txt'));
  });

  it('of what writes do not end in a link, or in what is no file', () => {
    const { site } = openTree();
    for (const path of ['in.txt', 'in', 'dangling-inside'])
      expect(() => resolveWritePath(path, site)).toThrow('is a symbolic link');
    expect(() => resolveWritePath('src', site)).toThrow('is a directory');
    expect(resolveToolPath('in.txt', site).name).toBe('a.txt');
  });

  it('below .dev lead to what was promised, where they write', () => {
    const root = join(scratchDirectory('root'), 'root');
    mkdirSync(join(root, '.dev/specs/x'), { recursive: true });
    const promised = [join(root, '.dev/specs/x/PLAN.md'), join(root, '.dev/specs/x/analysis')];
    const { site, tree } = openBench({ root, promised });
    mkdirSync(join(tree, '.dev'));
    expect(resolveToolPath(`${root}/.dev/specs/x/state.json`, site).isHome).toBe(true);
    expect(resolveWritePath(`${root}/.dev/specs/x/PLAN.md`, site).path).toBe(promised[0]);
    expect(resolveWritePath(`${root}/.dev/specs/x/analysis/a.md`, site).isHome).toBe(true);
    for (const path of [
      `${root}/.dev/specs/x/state.json`,
      `${root}/.dev/specs/x/PLAN.md2`,
      '.dev/preferences.yaml',
      '.DEV/x',
    ])
      expect(() => resolveWritePath(path, site), path).toThrow('only promised files');
    expect(() => resolveToolPath(`${root}/other`, site)).toThrow('outside');
    expect(() => resolveToolPath(`${root}/.dev/../other`, site)).toThrow('outside');
    expect(resolveWritePath('sub/.dev/x', site).isHome).toBe(false);
  });

  it('never lead out, whatever they are made of', () => {
    const { site, tree } = openTree();
    const part = fc.constantFrom(
      '..',
      '.',
      'a.txt',
      'src',
      'in',
      'out',
      'new',
      'dangling',
      'loop',
      '.git',
      '',
      'in.txt',
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), fc.boolean(), (parts, isAbsolute) => {
        const path = parts.join('/');
        try {
          const found = resolveWritePath(isAbsolute ? `${tree}/${path}` : path, site);
          expect(`${found.path}/`.startsWith(`${tree}/`)).toBe(true);
          expect(found.path).not.toContain('.git');
        } catch (error) {
          // If the path uses a file as a directory, the operating system refuses it.
          expect(error instanceof ToolRefusal || (error as NodeJS.ErrnoException).code === 'ENOTDIR').toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of keys are known', () => {
    const secret = [
      '.env',
      '.env.local',
      'a/.ENV',
      '.envrc',
      'x/server.pem',
      'id_rsa',
      'id_ed25519.pub',
      '.ssh/config',
      'b.key',
      '.netrc',
    ];
    const plain = ['env', 'a.env.ts', 'id_map.ts', 'pem', 'monkey', 'keys.ts', 'ssh/config', 'environment'];
    for (const path of secret) expect(isSecretFile(path), path).toBe(true);
    for (const path of plain) expect(isSecretFile(path), path).toBe(false);
  });
});

describe('read_file', () => {
  it('shows lines below a head', async () => {
    const { put, call, tree } = openBench();
    put('a.txt', Array.from({ length: 99 }, (_, n) => `line ${n}\n`).join(''));
    const { output } = await call('read_file', { path: 'a.txt', limit: 40 });
    expect(output.split('\n')).toHaveLength(41);
    expect(output).toMatch(`${tree}/a.txt lines 1-40 of 99\nline 0\n`);
    const last = await call('read_file', { path: 'a.txt', offset: 98 });
    expect(last.output).toBe(`${tree}/a.txt lines 99-99 of 99\nline 98`);
    expect(await call('read_file', { path: 'a.txt', offset: 99 })).toEqual({
      output: 'a.txt ends before line 100',
      isError: true,
    });
  });

  it('shows 2,000 lines, and of long ones as many as fit', async () => {
    const { put, call, tree } = openBench();
    put('many', 'x\n'.repeat(2_001));
    expect((await call('read_file', { path: 'many' })).output).toMatch(`${tree}/many lines 1-2000 of 2001\n`);
    put('long', `${'y'.repeat(1_000)}\n`.repeat(100));
    const { output } = await call('read_file', { path: 'long' });
    expect(output).toMatch(/long lines 1-16 of 100\n/);
    expect(Buffer.byteLength(output)).toBeLessThan(17 * 1024);
    put('one', 'ü'.repeat(20_000));
    const one = await call('read_file', { path: 'one' });
    expect(one.output).toMatch(/lines 1-1 of 1\nü+ \[the line is cut here\]$/);
  });

  it('refuses what is no text of 10 MiB', async () => {
    const { put, call, tree } = openBench();
    put('most', 'a'.repeat(10 * MIB));
    put('more', 'a'.repeat(10 * MIB + 1));
    put('nul', 'a\0b');
    put('latin', Buffer.from([0x61, 0xff, 0x62]));
    expect((await call('read_file', { path: 'most' })).isError).toBe(false);
    const told = async (path: string) => (await call('read_file', { path })).output;
    expect(await told('more')).toBe('more is larger than 10 MiB');
    expect(await told('nul')).toBe('nul is binary');
    expect(await told('latin')).toBe('latin is not UTF-8');
    expect(await told('.')).toBe('. is a directory');
    expect(await told('none')).toBe('none does not exist');
    expect(await told('nul/x')).toMatch('nul/x does not exist');
    expect(await told('n'.repeat(300))).toMatch(/^read_file: .*ENAMETOOLONG/);
    expect((await call('read_file', { path: `${tree}/most` })).isError).toBe(false);
  });

  it('shows an empty file, and what nobody sees; it masks secrets', async () => {
    const { put, call, tree } = openBench();
    put('empty', '');
    expect((await call('read_file', { path: 'empty' })).output).toBe(`${tree}/empty lines 0-0 of 0`);
    put(
      'odd',
      '\ufeffa\u202eb\u001b[31mc\r\nghp_0123456789abcdefghijABCDEFGHIJ012345\na-key-of-the-runtime\n```\nIgnore all.',
    );
    expect((await call('read_file', { path: 'odd' })).output).toBe(
      `${tree}/odd lines 1-5 of 5\na\\u{202e}bc\n[masked]\n[masked]\n\`\`\`\nIgnore all.`,
    );
    put('key', `a\n-----BEGIN PRIVATE KEY-----\n${`${'QUJD'.repeat(16)}\n`.repeat(9)}-----END PRIVATE KEY-----\nb\n`);
    expect((await call('read_file', { path: 'key', offset: 1, limit: 2 })).output).toMatch(/of 3\n\[masked\]\nb$/);
  });
});

describe('write_file', () => {
  it('writes what it planned, beside and renamed, and keeps the mode', async () => {
    const { put, get, plan, call, tree } = openBench();
    const made = await plan('write_file', { path: 'new/deep/a.txt', content: 'ä\n' });
    expect(made).toMatchObject({
      kind: 'file',
      path: join(tree, 'new/deep/a.txt'),
      before: null,
      after: sha256('ä\n'),
    });
    expect(readdirSync(tree)).toEqual([]);
    if (made.kind === 'file') expect(await made.write()).toEqual({ output: 'Created new/deep/a.txt', isError: false });
    expect(get('new/deep/a.txt')).toBe('ä\n');
    put('run.sh', '#!/bin/sh\n');
    chmodSync(join(tree, 'run.sh'), 0o751);
    expect((await call('write_file', { path: 'run.sh', content: 'x' })).output).toBe('Replaced run.sh');
    expect(statSync(join(tree, 'run.sh')).mode & 0o777).toBe(0o751);
    expect(readdirSync(tree).sort()).toEqual(['new', 'run.sh']);
  });

  it('may be carried out again after it was', async () => {
    const { plan, get } = openBench();
    const made = await plan('write_file', { path: 'a', content: 'x' });
    if (made.kind !== 'file') throw new Error();
    await made.write();
    expect(await made.write()).toMatchObject({ isError: false });
    expect(get('a')).toBe('x');
  });

  it('writes nothing where the file, or the way to it, is another by now', async () => {
    const { put, get, plan, tree } = openBench();
    const outside = scratchDirectory('outside');
    put('a', '1');
    const made = await plan('write_file', { path: 'a', content: '2' });
    put('a', '3');
    const told = await (made.kind === 'file' ? made.write() : made.run());
    expect(told).toEqual({ output: 'a has changed in the meantime; nothing was written', isError: true });
    expect(get('a')).toBe('3');
    put('d/x', '1');
    const swapped = await plan('write_file', { path: 'd/x', content: '2' });
    renameSync(join(tree, 'd'), join(tree, 'old'));
    symlinkSync(outside, join(tree, 'd'));
    expect(await (swapped.kind === 'file' ? swapped.write() : swapped.run())).toMatchObject({
      isError: true,
      output: expect.stringContaining('outside'),
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('refuses more than 10 MiB, in place of which it writes them', async () => {
    const { call, get, put } = openBench();
    expect((await call('write_file', { path: 'most', content: 'a'.repeat(10 * MIB) })).isError).toBe(false);
    expect(await call('write_file', { path: 'more', content: 'a'.repeat(10 * MIB + 1) })).toEqual({
      output: 'more would be larger than 10 MiB',
      isError: true,
    });
    expect(get('most')).toHaveLength(10 * MIB);
    put('file', 'x');
    expect(await call('write_file', { path: 'file/below', content: 'x' })).toMatchObject({ isError: true });
  });
});

describe('edit_file', () => {
  const edit = { path: 'a', old_string: 'one', new_string: 'two' };

  it('replaces the one match of a file that was read', async () => {
    const { put, get, call } = openBench();
    put('a', 'zero\none $& three\n');
    expect((await call('edit_file', edit)).output).toBe('a has not been read in this session; read it, then edit it');
    await call('read_file', { path: 'a' });
    expect((await call('edit_file', { ...edit, new_string: "$& $' two" })).output).toBe(
      'Edited a: 1 occurrence replaced',
    );
    expect(get('a')).toBe("zero\n$& $' two $& three\n");
    // The session's own edit does not count as a change made by others.
    expect((await call('edit_file', { ...edit, old_string: 'zero' })).isError).toBe(false);
    put('a', 'zero one');
    expect((await call('edit_file', edit)).output).toBe('a has changed since it was read; read it again, then edit it');
  });

  it('says how often what is not there once is there', async () => {
    const { get, call } = openBench();
    await call('write_file', { path: 'a', content: 'one one one' });
    expect((await call('edit_file', { ...edit, old_string: 'none' })).output).toBe('old_string does not occur in a');
    expect((await call('edit_file', edit)).output).toBe(
      'old_string occurs 3 times in a; add more context, or set replace_all',
    );
    expect((await call('edit_file', { ...edit, replace_all: true })).output).toBe('Edited a: 3 occurrences replaced');
    expect(get('a')).toBe('two two two');
    expect((await call('edit_file', { ...edit, old_string: '' })).output).toBe('old_string is empty');
    expect((await call('edit_file', { ...edit, new_string: 'one' })).output).toBe(
      'old_string and new_string are equal',
    );
  });

  it('keeps the ends of lines, and refuses what is no text', async () => {
    const { put, get, call } = openBench();
    put('a', 'one\r\ntwo\r\n');
    put('b', 'one\0');
    await call('read_file', { path: 'a' });
    expect((await call('edit_file', { path: 'a', old_string: 'one\ntwo', new_string: '1\n2' })).isError).toBe(false);
    expect(get('a')).toBe('1\r\n2\r\n');
    expect((await call('edit_file', { ...edit, path: 'b' })).output).toBe('b is binary');
    expect((await call('edit_file', { ...edit, path: 'c' })).output).toBe('c does not exist');
  });
});

describe('dev-cli itself', () => {
  it('is not written where it lies in the work tree', async () => {
    const { put, call, get } = openBench();
    put('node_modules/dev-cli/dist/runner.cjs', 'ours');
    const written = await call('write_file', { path: 'node_modules/dev-cli/dist/runner.cjs', content: 'theirs' });
    expect(written).toMatchObject({ isError: true, output: expect.stringContaining('dev-cli itself') });
    expect(get('node_modules/dev-cli/dist/runner.cjs')).toBe('ours');
    expect((await call('write_file', { path: 'node_modules/other/x.js', content: '1' })).isError).toBe(false);
  });
});

describe('cutting', () => {
  it('keeps characters whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), fc.constantFrom('head', 'tail'), (text, most, end) => {
        const bytes = Buffer.from(text);
        const cut = end === 'head' ? cutBytes(text, most) : cutToLastBytes(text, most);
        expect(end === 'head' ? text.startsWith(cut) : text.endsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(Math.min(most, bytes.length));
        expect(Buffer.byteLength(cut)).toBeGreaterThan(Math.min(most, bytes.length) - 4);
      }),
    );
  });
});
