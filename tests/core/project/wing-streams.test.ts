import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readGitHead } from '../../../src/project/git-head.js';
import { findWingRoot, openWingStreams } from '../../../src/project/wing-streams.js';
import { temporaryRoot } from '../store/disk.js';
import { codeOf, countingIds, sampleCodec, step, steppingClock } from '../store/sample.js';

const open = (root: string) =>
  openWingStreams({
    root,
    directory: 'post',
    noun: 'post',
    codec: sampleCodec,
    clock: steppingClock(),
    ids: countingIds(),
  });
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);
const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

describe('the streams of a wing', () => {
  let before = 0;
  beforeEach(() => {
    before = process.umask(0o022);
  });
  afterEach(() => {
    process.umask(before);
  });

  it('are for the user alone, and the ignore rules of .dev as the user makes files', async () => {
    const root = temporaryRoot();
    await open(root).transact('box', step({ marks: null }));
    expect(readdirSync(join(root, '.dev')).sort()).toEqual(['.gitignore', 'post']);
    expect(readFileSync(join(root, '.dev/.gitignore'), 'utf8')).toContain('\n/*\n');
    const modes = ['.dev', '.dev/.gitignore', '.dev/post', '.dev/post/box'].map((path) => modeOf(join(root, path)));
    expect(modes).toEqual(['755', '644', '700', '700']);
    for (const name of readdirSync(join(root, '.dev/post/box'))) {
      expect(modeOf(join(root, '.dev/post/box', name))).toBe('600');
    }
    expect(process.umask(0o022)).toBe(0o022);
  });

  it('leave what is written into the project meanwhile to the user', async () => {
    const root = temporaryRoot();
    await open(root).transact('box', (head, neighbours) => {
      mkdirSync(join(root, 'docs'));
      writeFileSync(join(root, 'docs/a.md'), '');
      return step({ marks: null })(head, neighbours);
    });
    expect(['docs', 'docs/a.md', '.dev/post/box'].map((path) => modeOf(join(root, path)))).toEqual([
      '755',
      '644',
      '700',
    ]);
    expect(process.umask(0o022)).toBe(0o022);
  });

  it('leave nothing behind where nothing is stored', async () => {
    const root = temporaryRoot();
    await open(root).transact('box', () => ({ answer: null }));
    await expect(open(root).transact('box', () => JSON.parse('no'))).rejects.toThrow();
    expect(readdirSync(root)).toEqual([]);
  });

  it('leave the rules of others as they are, and follow no link out of the project', async () => {
    const root = temporaryRoot();
    mkdirSync(join(root, '.dev'));
    writeFileSync(join(root, '.dev/.gitignore'), '*.mine\n');
    await open(root).transact('box', step({ marks: null }));
    expect(readFileSync(join(root, '.dev/.gitignore'), 'utf8')).toBe('*.mine\n');
    const other = temporaryRoot();
    mkdirSync(join(other, '.dev'));
    symlinkSync(temporaryRoot(), join(other, '.dev/post'));
    expect(await codeOf(() => open(other).transact('box', step({ marks: null })))).toBe('IO');
  });

  it('know a copy of where they lie', async () => {
    const [root, copy] = [temporaryRoot(), temporaryRoot()];
    for (const at of [root, copy]) await open(at).transact('box', step({ marks: null }));
    expect(open(root).place('box')).toBe(open(root).place('box'));
    expect(open(root).place('box')).not.toBe(open(copy).place('box'));
  });
});

describe('work trees of one clone', () => {
  function clone() {
    const top = join(temporaryRoot(), 'main');
    mkdirSync(join(top, 'api/src'), { recursive: true });
    writeFileSync(join(top, 'api/src/a.ts'), '');
    git(top, 'init', '-q', '-b', 'main');
    git(top, 'add', '-A');
    git(top, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one');
    const linked = join(top, '../linked');
    git(top, 'worktree', 'add', '-q', '-b', 'side', linked);
    return { top, linked };
  }

  it('share the root of a wing', () => {
    const { top, linked } = clone();
    expect(findWingRoot(top, top, 'post')).toBe(top);
    expect(findWingRoot(linked, linked, 'post')).toBe(top);
    expect(findWingRoot(join(linked, 'api'), join(linked, 'api'), 'post')).toBe(join(top, 'api'));
    expect(findWingRoot(linked, join(linked, 'api/src'), 'post')).toBe(top);
    mkdirSync(join(top, 'api/.dev/post'), { recursive: true });
    expect(findWingRoot(linked, join(linked, 'api/src'), 'post')).toBe(join(top, 'api'));
    mkdirSync(join(linked, 'new'));
    expect(findWingRoot(join(linked, 'new'), linked, 'post')).toBe(join(linked, 'new'));
  });

  it('have a HEAD each, which is read without git', () => {
    const { top, linked } = clone();
    const head = git(top, 'rev-parse', 'HEAD');
    expect(readGitHead(join(top, 'api'))).toEqual({ branch: 'main', head });
    expect(readGitHead(linked)).toEqual({ branch: 'side', head });
    git(top, 'pack-refs', '--all');
    expect(existsSync(join(top, '.git/refs/heads/main'))).toBe(false);
    expect(readGitHead(top)).toEqual({ branch: 'main', head });
    git(top, 'checkout', '-q', '--detach');
    expect(readGitHead(top)).toEqual({ branch: null, head });
    git(top, 'checkout', '-q', '--orphan', 'new/one');
    expect(readGitHead(top)).toEqual({ branch: 'new/one', head: null });
    expect(readGitHead(temporaryRoot())).toEqual({ branch: null, head: null });
  });
});
