import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkOutCommit,
  findFirstCommit,
  openClone,
  readFilesAt,
  rememberFiles,
} from '../../../src/wings/fleet/clone.js';
import { readLoopTexts } from '../../../src/wings/loop/files.js';
import { gitIn, openProject, options, put } from './repository.js';

/** A worker's own clone of a project (fleet.md, Git). */

const read = (path: string) => readFileSync(path, 'utf8');

function placeOf({ directory, bare }: { directory: string; bare: string }) {
  return { directory: join(directory, 'worker/p'), url: bare, remote: 'origin', git: options };
}

describe('a clone', () => {
  it('is made without a branch or a file, for this user alone, and taken again', async () => {
    const project = openProject({ 'a.txt': 'a\n' });
    const place = placeOf(project);
    const { top } = await openClone(place);
    expect(top).toBe(place.directory);
    expect(() => gitIn(top)('symbolic-ref', '-q', 'HEAD')).toThrow();
    expect(gitIn(top)('rev-parse', 'HEAD')).toBe(project.base);
    expect(existsSync(join(top, 'a.txt'))).toBe(false);
    expect(statSync(top).mode & 0o777).toBe(0o700);
    put(top, { '.dev/x': '1' });
    expect(await openClone(place)).toEqual({ top });
    expect(existsSync(join(top, '.dev/x'))).toBe(true);
  });

  it('that was half made is made anew; an empty repository has one as well', async () => {
    const project = openProject({ 'a.txt': 'a\n' });
    const place = placeOf(project);
    put(`${place.directory}.new`, { '.git/HEAD': 'torn' });
    const { top } = await openClone(place);
    expect(gitIn(top)('rev-parse', 'HEAD')).toBe(project.base);
    expect(existsSync(`${place.directory}.new`)).toBe(false);
    const empty = join(project.directory, 'empty.git');
    gitIn(project.directory)('init', '--quiet', '--bare', empty);
    const other = await openClone({ ...place, url: empty, directory: join(project.directory, 'worker/q') });
    expect(await findFirstCommit(other.top, options)).toBeNull();
  });

  it('of something else is refused, and so is any other directory, also within a repository', async () => {
    const project = openProject({ 'a.txt': 'a\n' });
    const place = placeOf(project);
    const { top } = await openClone(place);
    const other = openClone({ ...place, url: `${place.url}-other` });
    await expect(other).rejects.toMatchObject({ code: 'GIT_FAILED' });
    mkdirSync(join(project.home, 'inner'));
    for (const directory of [join(project.home, 'inner'), join(top, '.git')]) {
      await expect(openClone({ ...place, directory })).rejects.toMatchObject({ code: 'GIT_FAILED' });
    }
  });

  it('takes another token of the same address, and tells none', async () => {
    const project = openProject({ 'a.txt': 'a\n' });
    const place = placeOf(project);
    const { top } = await openClone(place);
    gitIn(top)('config', 'remote.origin.url', 'https://old@127.0.0.1:9/p');
    await openClone({ ...place, url: 'https://s3cret@127.0.0.1:9/p' });
    expect(gitIn(top)('config', 'remote.origin.url')).toBe('https://s3cret@127.0.0.1:9/p');
    const lost = openClone({ ...place, directory: `${top}-2`, url: 'http://me:s3cret@127.0.0.1:9/p' });
    const error = await lost.catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'GIT_FAILED' });
    expect(JSON.stringify([error, String(error)])).not.toContain('s3cret');
  });
});

describe('the files of a clone', () => {
  it('are those of a commit; what git does not know stays', async () => {
    const project = openProject({ 'a.txt': 'one\n', '.dev/recipes/r.yaml': 'x\n', '.gitignore': 'ignored\n' });
    const next = project.commit({ 'a.txt': 'two\n', 'b.txt': 'b\n' });
    const { top } = await openClone(placeOf(project));
    await checkOutCommit(top, project.base, options);
    put(top, { '.dev/specs/r/state.json': '{}', note: 'n', 'a.txt': 'changed\n' });
    await checkOutCommit(top, next, options);
    expect([read(join(top, 'a.txt')), read(join(top, 'b.txt'))]).toEqual(['two\n', 'b\n']);
    await checkOutCommit(top, project.base, options);
    expect(read(join(top, 'a.txt'))).toBe('one\n');
    expect([existsSync(join(top, 'b.txt')), existsSync(join(top, '.dev/recipes/r.yaml'))]).toEqual([false, true]);
    expect([read(join(top, '.dev/specs/r/state.json')), read(join(top, 'note'))]).toEqual(['{}', 'n']);
  });

  it('that a commit has in the place of what is dev-cli’s are refused, ignored or not', async () => {
    const project = openProject({ '.gitignore': '.dev/specs\n' });
    project.git('config', 'core.excludesFile', '/dev/null');
    put(project.home, { '.dev/specs/r/state.json': 'forged' });
    project.git('add', '--force', '.dev');
    const forged = project.commit({ 'a.txt': 'a\n' });
    const { top } = await openClone(placeOf(project));
    await checkOutCommit(top, project.base, options);
    put(top, { '.dev/specs/r/state.json': 'own' });
    await expect(checkOutCommit(top, forged, options)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(read(join(top, '.dev/specs/r/state.json'))).toBe('own');
  });

  it('are put right after a machine that stopped in the middle', async () => {
    const project = openProject({ 'a.txt': 'one\n' });
    const { top } = await openClone(placeOf(project));
    const lock = join(top, '.git/index.lock');
    writeFileSync(lock, '');
    await expect(checkOutCommit(top, project.base, options)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    utimesSync(lock, 1, 1);
    await checkOutCommit(top, project.base, options);
    expect(read(join(top, 'a.txt'))).toBe('one\n');
  });
});

describe('files at a commit', () => {
  it('are read without looking at the disk, up to a size, and through no link', async () => {
    const config = 'test_command: "true"\nai_tool: tool {prompt}\n';
    const goals = 'goals:\n  - {id: g, title: A goal, status: active}\n';
    const project = openProject({ '.ai/config.yaml': config, '.ai/goals.yaml': goals, 'sub/a': 'a' });
    symlinkSync('/etc/hostname', join(project.home, 'link'));
    symlinkSync('sub', join(project.home, 'dir'));
    const next = project.commit({ '.ai/goals.yaml': 'goals: []\n', large: 'x'.repeat(256 * 1024 + 1) });
    const { top } = await openClone(placeOf(project));
    put(top, { '.ai/config.yaml': 'forged' });
    const reader = readFilesAt(top, project.base, options);
    expect(readLoopTexts(top, reader)).toMatchObject({ configText: config, goals: [{ id: 'g' }] });
    expect(readLoopTexts(top, readFilesAt(top, next, options)).goals).toEqual([]);
    const later = readFilesAt(top, next, options);
    const absent = ['link', 'dir/a', 'dir', 'sub', 'none', 'su*'].map((path) => later.read(`${top}/${path}`));
    expect(absent).toEqual([null, null, null, null, null, null]);
    expect(later.read('/etc/hostname')).toBeNull();
    expect(() => later.read(`${top}/large`)).toThrow(expect.objectContaining({ code: 'IO' }));
  });
});

describe('what was read of a commit', () => {
  const openCounted = () => {
    const asked: string[] = [];
    const filesAt = rememberFiles((commit) => ({
      read(path) {
        asked.push(`${commit}:${path}`);
        if (path === 'broken') throw new Error('not to be had');
        return path === 'absent' ? null : `${path} at ${commit}`;
      },
    }));
    return { asked, filesAt };
  };

  it('is asked for once, also what is not there, and once more where it failed', () => {
    const { asked, filesAt } = openCounted();
    for (let n = 0; n < 2; n += 1) {
      expect([filesAt('c1').read('a'), filesAt('c2').read('a')]).toEqual(['a at c1', 'a at c2']);
      expect(filesAt('c1').read('absent')).toBeNull();
      expect(() => filesAt('c1').read('broken')).toThrow('not to be had');
    }
    expect(asked).toEqual(['c1:a', 'c2:a', 'c1:absent', 'c1:broken', 'c1:broken']);
  });

  it('is forgotten of commits that were not asked for lately', () => {
    const { asked, filesAt } = openCounted();
    for (const commit of ['old', 'used', '1', '2', '3', '4', '5', '6', 'used', '7', '8', 'used', 'old'])
      filesAt(commit).read('a');
    expect(asked.filter((one) => /old|used/.test(one))).toEqual(['old:a', 'used:a', 'old:a']);
  });
});

describe('a repository', () => {
  it('is known by its first commit, whatever is merged into it later', async () => {
    const project = openProject({ 'a.txt': 'a\n' });
    const { top } = await openClone(placeOf(project));
    expect(await findFirstCommit(top, options)).toBe(project.base);
    const foreign = openProject({ 'b.txt': 'b\n' });
    project.git('fetch', '--quiet', foreign.bare, 'main');
    project.git('merge', '--quiet', '--allow-unrelated-histories', '--message', 'm', 'FETCH_HEAD');
    project.git('push', '--quiet', 'origin', 'HEAD:main');
    gitIn(top)('fetch', '--quiet');
    await checkOutCommit(top, 'refs/remotes/origin/main', options);
    expect(await findFirstCommit(top, options)).toBe(project.base);
    const other = await openClone(placeOf(foreign));
    expect(await findFirstCommit(other.top, options)).toBe(foreign.base);
  });
});
