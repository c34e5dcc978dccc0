import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Baseline, toBaseline } from '../../../src/work/baseline.js';
import { computeTreeState, readPresent } from '../../../src/work/git.js';
import type { GitOptions } from '../../../src/work/git-command.js';
import { readChangesNow, readPresentNow } from '../../../src/work/present.js';
import { freshDirectory, GIT_ENV, git, put, repository } from './repository.js';

const around = { env: GIT_ENV };
const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const failsWith = (code: string) => expect.objectContaining({ code });

let tree: string;
let remove: () => void;
beforeEach(() => {
  ({ path: tree, remove } = freshDirectory());
});
afterEach(() => remove());

const digestOf = async (path: string) => (await computeTreeState(path, around))?.digest ?? null;

/** Reads the baseline synchronously and asynchronously, and checks that the two results agree. */
async function readBaseline(workTree: string, options: GitOptions): Promise<Baseline | null> {
  const present = await readPresent(workTree, options);
  expect(readPresentNow(workTree, options)).toEqual(present);
  return present === null ? null : toBaseline(present);
}

/** Lists the changed paths; null if git cannot tell. */
async function listChangedSince(workTree: string, before: Baseline, options: GitOptions): Promise<string[] | null> {
  const changes = readChangesNow(workTree, before, options);
  if (changes !== null) expect(changes.now).toEqual(await readBaseline(workTree, options));
  return changes?.paths ?? null;
}

async function baseline(): Promise<Baseline> {
  const now = await readBaseline(tree, around);
  if (now === null) throw new Error('no repository');
  return now;
}

describe('where there is nothing to ask', () => {
  it('has no baseline without a repository', async () => {
    expect(await readBaseline(tree, around)).toBeNull();
    expect(await digestOf(tree)).toBeNull();
  });

  it('has no baseline without git on the PATH', async () => {
    repository(tree, { 'a.txt': 'a' });
    expect(await readBaseline(tree, { env: { ...GIT_ENV, PATH: tree } })).toBeNull();
  });

  it('has no baseline in a bare repository', async () => {
    git(tree, 'init', '--quiet', '--bare');
    expect(await readBaseline(tree, around)).toBeNull();
  });

  it('fails, naming it, when the work tree is gone', async () => {
    await expect(readBaseline(join(tree, 'gone'), around)).rejects.toEqual(failsWith('IO'));
  });

  it('fails when a .git file leads nowhere, rather than call it no repository', async () => {
    put(tree, '.git', 'gitdir: /nonexistent/repo/worktrees/x\n');
    await expect(readBaseline(tree, around)).rejects.toEqual(failsWith('GIT_FAILED'));
  });

  it('fails when the repository of a run has vanished meanwhile', async () => {
    repository(tree, {});
    const before = await baseline();
    rmSync(join(tree, '.git'), { recursive: true });
    expect(await listChangedSince(tree, before, around)).toBeNull();
  });

  it('hands on what git said, without control characters and cut', async () => {
    repository(tree, {});
    const fake = join(tree, 'bin');
    put(
      tree,
      'bin/git',
      `#!/bin/sh\nprintf '\\033[31mfatal: odd\\007' >&2\nprintf 'x%.0s' $(seq 9000) >&2\nexit 128\n`,
    );
    chmodSync(join(fake, 'git'), 0o755);
    const error = await readBaseline(tree, { env: { PATH: `${fake}:${GIT_ENV['PATH']}` } }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'GIT_FAILED', details: [{ target: 'git' }] });
    const { problem } = (error as { details: [{ problem: string }] }).details[0];
    expect(problem).toMatch(/^fatal: oddx+…$/);
    expect(problem.length).toBeLessThan(2100);
  });

  it('gives way to Ctrl-C', async () => {
    repository(tree, {});
    const fake = join(tree, 'bin');
    put(tree, 'bin/git', '#!/bin/sh\nexec sleep 60\n');
    chmodSync(join(fake, 'git'), 0o755);
    const asked = readBaseline(tree, { env: { PATH: `${fake}:${GIT_ENV['PATH']}` }, signal: AbortSignal.timeout(100) });
    await expect(asked).rejects.toEqual(failsWith('INTERRUPTED'));
  });
});

describe('a decision that asks git', () => {
  const fakeGit = (script: string) => {
    repository(tree, {});
    put(tree, 'bin/git', `#!/bin/sh\n${script}\n`);
    chmodSync(join(tree, 'bin/git'), 0o755);
    return { env: { PATH: `${join(tree, 'bin')}:${GIT_ENV['PATH']}` } };
  };

  it('is ended by the signal that ends git', () => {
    for (const signal of ['INT', 'TERM', 'HUP']) {
      expect(() => readPresentNow(tree, fakeGit(`kill -${signal} $$`)), signal).toThrow(failsWith('INTERRUPTED'));
    }
  });

  it('does not take another end of git for an answer', () => {
    expect(() => readPresentNow(tree, fakeGit('kill -KILL $$'))).toThrow('git status was ended by SIGKILL.');
    expect(readPresentNow(tree, fakeGit('exit 3'))).toBeNull();
    const slow = { ...fakeGit('exec sleep 60'), timeoutSeconds: 0.1 };
    expect(() => readPresentNow(tree, slow)).toThrow('git status gave no answer in 0.1 seconds.');
  });
});

describe('the baseline', () => {
  it('of a clean tree holds the commit and nothing else', async () => {
    repository(tree, { 'a.txt': 'a' });
    expect(await baseline()).toEqual({ head: git(tree, 'rev-parse', 'HEAD').trim(), dirty: {} });
  });

  it('of a repository without a commit has no head', async () => {
    git(tree, 'init', '--quiet');
    put(tree, 'a.txt', 'a');
    expect(await baseline()).toEqual({ head: null, dirty: { 'a.txt': sha('a') } });
  });

  it('of a detached head names the commit', async () => {
    repository(tree, {});
    git(tree, 'checkout', '--quiet', '--detach');
    expect((await baseline()).head).toBe(git(tree, 'rev-parse', 'HEAD').trim());
  });

  it('holds what is changed, staged, deleted, renamed and untracked, each with its content', async () => {
    repository(tree, { changed: '1', staged: '1', deleted: '1', old: '1\n2\n3\n', typed: '1' });
    put(tree, 'changed', '2');
    put(tree, 'staged', '2');
    git(tree, 'add', 'staged');
    unlinkSync(join(tree, 'deleted'));
    git(tree, 'mv', 'old', 'new');
    put(tree, 'deep/er/untracked', '2');
    unlinkSync(join(tree, 'typed'));
    symlinkSync('changed', join(tree, 'typed'));
    expect((await baseline()).dirty).toEqual({
      changed: sha('2'),
      'deep/er/untracked': sha('2'),
      deleted: null,
      new: sha('1\n2\n3\n'),
      old: null,
      staged: sha('2'),
      typed: `link:${sha('changed')}`,
    });
  });

  it('says nothing of .dev/, tracked or not, nor of ignored files', async () => {
    repository(tree, { '.dev/specs/x/PLAN.md': '1', '.gitignore': 'ignored\n' });
    put(tree, '.dev/specs/x/PLAN.md', '2');
    put(tree, '.dev/new', '2');
    put(tree, 'ignored', '2');
    put(tree, '.device', '2');
    expect((await baseline()).dirty).toEqual({ '.device': sha('2') });
  });

  it('keeps names with blanks, newlines, quotes and other scripts', async () => {
    repository(tree, {});
    const names = ['a b', 'line\nbreak', '"quoted"', 'über-日本', '-rf', ':(top)x', '__proto__', 'back\\slash'];
    for (const name of names) put(tree, name, name);
    const { dirty } = await baseline();
    expect(Object.keys(dirty).sort()).toEqual([...names].sort());
    for (const name of names) expect(dirty[name]).toBe(sha(name));
  });

  it('keeps a name that is no UTF-8 apart', async () => {
    repository(tree, {});
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/caf`), Buffer.from([0xe9])]), 'x');
    expect((await baseline()).dirty).toEqual({ 'caf\\xe9': sha('x') });
  });

  it('does not follow a link, nor open a fifo', async () => {
    repository(tree, { plain: '1' });
    symlinkSync('/etc/hostname', join(tree, 'out'));
    symlinkSync('nowhere', join(tree, 'dangling'));
    unlinkSync(join(tree, 'plain'));
    execFileSync('mkfifo', [join(tree, 'plain')]);
    const { dirty } = await baseline();
    expect(dirty['out']).toBe(`link:${sha('/etc/hostname')}`);
    expect(dirty['dangling']).toBe(`link:${sha('nowhere')}`);
    expect(dirty['plain']).toBe('special:');
  });

  it('judges a huge file by size and time', async () => {
    repository(tree, {});
    put(tree, 'huge', '');
    truncateSync(join(tree, 'huge'), 40 * 1024 * 1024);
    utimesSync(join(tree, 'huge'), 1_000_000, 1_000_000);
    expect((await baseline()).dirty).toEqual({ huge: `large:${40 * 1024 * 1024}-1000000000` });
  });

  it('can be read in the middle of a merge', async () => {
    repository(tree, { a: '1\n' });
    git(tree, 'checkout', '--quiet', '-b', 'other');
    put(tree, 'a', '2\n');
    git(tree, 'commit', '--quiet', '--all', '--message', 'other');
    git(tree, 'checkout', '--quiet', 'main');
    put(tree, 'a', '3\n');
    git(tree, 'commit', '--quiet', '--all', '--message', 'main');
    expect(() => git(tree, 'merge', 'other')).toThrow();
    expect((await baseline()).dirty).toEqual({ a: sha(readFileSync(join(tree, 'a'), 'utf8')) });
  });

  it('asks without touching the index, also while another git holds its lock', async () => {
    repository(tree, { a: '1' });
    // Same content, different modification time: a plain `git status` would rewrite the index.
    utimesSync(join(tree, 'a'), 1_000_000, 1_000_000);
    const index = join(tree, '.git/index');
    const before = { bytes: readFileSync(index), inode: statSync(index).ino };
    expect((await baseline()).dirty).toEqual({});
    expect({ bytes: readFileSync(index), inode: statSync(index).ino }).toEqual(before);
    put(tree, '.git/index.lock', '');
    expect((await baseline()).dirty).toEqual({});
  });

  it('works with a git directory that cannot be written', async () => {
    repository(tree, { a: '1' });
    put(tree, 'a', '2');
    chmodSync(join(tree, '.git'), 0o555);
    try {
      expect((await baseline()).dirty).toEqual({ a: sha('2') });
    } finally {
      chmodSync(join(tree, '.git'), 0o755);
    }
  });

  it('is not led astray by variables of a surrounding git', async () => {
    repository(tree, { a: '1' });
    put(tree, 'a', '2');
    const elsewhere = freshDirectory();
    repository(elsewhere.path, { b: '1' });
    const env = {
      ...GIT_ENV,
      GIT_DIR: join(elsewhere.path, '.git'),
      GIT_WORK_TREE: elsewhere.path,
      GIT_INDEX_FILE: join(elsewhere.path, '.git/index'),
      GIT_LITERAL_PATHSPECS: '1',
    };
    expect(await readBaseline(tree, { env })).toEqual(await baseline());
    elsewhere.remove();
  });

  it('is read in a linked work tree', async () => {
    repository(tree, { a: '1' });
    const linked = join(tree, '../linked');
    git(tree, 'worktree', 'add', '--quiet', linked);
    put(linked, 'a', '2');
    expect((await readBaseline(linked, around))?.dirty).toEqual({ a: sha('2') });
    expect((await baseline()).dirty).toEqual({});
  });

  it('of a part of a repository speaks of that part alone, with paths from there', async () => {
    repository(tree, { 'packages/a b/x': '1', 'packages/b/x': '1' });
    put(tree, 'packages/a b/x', '2');
    put(tree, 'packages/a b/.dev/y', '2');
    put(tree, 'packages/b/x', '2');
    expect((await readBaseline(join(tree, 'packages/a b'), around))?.dirty).toEqual({ x: sha('2') });
  });
});

describe('where the repository is', () => {
  /** Counts the git processes that it takes to read the tree. */
  async function countProcesses(directory: string): Promise<number> {
    const bin = join(tree, '..', 'bin');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    put(bin, 'git', `#!/bin/sh\necho x >> '${bin}/calls'\nexec ${real} "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    await readPresent(directory, { env: { ...GIT_ENV, PATH: `${bin}:${GIT_ENV['PATH']}` } });
    return readFileSync(join(bin, 'calls'), 'utf8').length / 2;
  }

  it('takes no process of its own at the top, and else one', async () => {
    repository(tree, { 'part/a.txt': 'a' });
    expect(await countProcesses(tree)).toBe(1);
    expect(await countProcesses(join(tree, 'part'))).toBe(1 + 2);
  });

  it('is further up where .git is none', async () => {
    repository(tree, { 'part/a.txt': 'a', 'b.txt': 'b' });
    put(tree, 'part/.git/config', '[core]\n\tbare = false\n');
    put(tree, 'b.txt', 'changed');
    put(tree, 'part/a.txt', 'changed');
    const now = await readBaseline(join(tree, 'part'), around);
    expect(now).toEqual({ head: git(tree, 'rev-parse', 'HEAD').trim(), dirty: { 'a.txt': sha('changed') } });
  });

  it('is read through a link, with a ceiling of the user beside', async () => {
    repository(tree, { 'a.txt': 'a' });
    put(tree, 'a.txt', 'changed');
    const link = join(tree, '..', 'link');
    symlinkSync(tree, link);
    const env = { ...GIT_ENV, GIT_CEILING_DIRECTORIES: '/nonexistent' };
    expect((await readBaseline(link, { env }))?.dirty).toEqual({ 'a.txt': sha('changed') });
  });

  it('is what its configuration says where that puts the work tree elsewhere', async () => {
    repository(tree, { 'a.txt': 'a' });
    const elsewhere = join(tree, '..', 'elsewhere');
    put(elsewhere, 'a.txt', 'other');
    git(tree, 'config', 'core.worktree', elsewhere);
    expect(await readBaseline(tree, around)).toBeNull();
    git(tree, 'config', 'core.worktree', join(tree, '..'));
    const inside = (await readBaseline(tree, around))?.dirty ?? {};
    expect(Object.keys(inside)).toEqual(['a.txt']);
  });

  it('is none where it is called bare', async () => {
    repository(tree, { 'a.txt': 'a' });
    git(tree, 'config', 'core.bare', 'true');
    expect(await readBaseline(tree, around)).toBeNull();
  });
});

describe('what changed since', () => {
  it('is nothing when nothing changed, whatever was dirty before', async () => {
    repository(tree, { a: '1', b: '1', c: '1' });
    put(tree, 'a', '2');
    put(tree, 'untracked', '2');
    unlinkSync(join(tree, 'b'));
    git(tree, 'rm', '--quiet', '--cached', 'c');
    expect(await listChangedSince(tree, await baseline(), around)).toEqual([]);
  });

  it('is what was changed, made, deleted or renamed afterwards, sorted', async () => {
    repository(tree, { a: '1', b: '1', old: '1', kept: '1' });
    const before = await baseline();
    put(tree, 'z', '2');
    put(tree, 'a', '2');
    unlinkSync(join(tree, 'b'));
    renameSync(join(tree, 'old'), join(tree, 'new'));
    put(tree, '.dev/specs/x/DRAFT.md', 'not this');
    expect(await listChangedSince(tree, before, around)).toEqual(['a', 'b', 'new', 'old', 'z']);
  });

  it('sees a path that was dirty before change once more, or go back', async () => {
    repository(tree, { again: '1', back: '1', gone: '1' });
    for (const path of ['again', 'back', 'gone', 'untracked']) put(tree, path, '2');
    const before = await baseline();
    put(tree, 'again', '3');
    put(tree, 'back', '1');
    unlinkSync(join(tree, 'gone'));
    unlinkSync(join(tree, 'untracked'));
    expect(await listChangedSince(tree, before, around)).toEqual(['again', 'back', 'gone', 'untracked']);
  });

  it('contains what was committed, although the tree is clean', async () => {
    repository(tree, { a: '1' });
    const before = await baseline();
    put(tree, 'a', '2');
    put(tree, '.dev/x', '2');
    git(tree, 'add', '--all');
    git(tree, 'commit', '--quiet', '--message', 'sly');
    expect(await listChangedSince(tree, before, around)).toEqual(['a']);
  });

  it('contains what was committed and then put back on disk alone', async () => {
    repository(tree, { a: '1' });
    const before = await baseline();
    put(tree, 'a', '2');
    git(tree, 'commit', '--quiet', '--all', '--message', 'sly');
    put(tree, 'a', '1');
    expect(await listChangedSince(tree, before, around)).toEqual(['a']);
  });

  it("leaves out the user's own work of before, committed unchanged meanwhile", async () => {
    repository(tree, { a: '1' });
    put(tree, 'a', '2');
    put(tree, 'b', '2');
    const before = await baseline();
    git(tree, 'add', '--all');
    git(tree, 'commit', '--quiet', '--message', 'mine');
    expect(await listChangedSince(tree, before, around)).toEqual([]);
  });

  it('contains the first commit of a repository', async () => {
    git(tree, 'init', '--quiet');
    put(tree, 'mine', '1');
    const before = await baseline();
    put(tree, 'yours', '1');
    git(tree, 'add', '--all');
    git(tree, 'commit', '--quiet', '--message', 'first');
    expect(await listChangedSince(tree, before, around)).toEqual(['yours']);
  });

  it('follows a submodule and a clone inside', async () => {
    const library = freshDirectory();
    repository(library.path, { lib: '1' });
    repository(tree, { a: '1' });
    git(tree, 'submodule', '--quiet', 'add', library.path, 'module');
    git(tree, 'commit', '--quiet', '--message', 'module');
    git(tree, 'clone', '--quiet', library.path, 'clone');
    const before = await baseline();
    expect(before.dirty).toEqual({ clone: expect.stringMatching(/^tree:[0-9a-f]{64}$/) });
    expect(await listChangedSince(tree, before, around)).toEqual([]);
    put(tree, 'module/lib', '2');
    put(tree, 'clone/lib', '2');
    expect(await listChangedSince(tree, before, around)).toEqual(['clone', 'module']);
    const dirty = await baseline();
    expect(await listChangedSince(tree, dirty, around)).toEqual([]);
    put(tree, 'module/lib', '1');
    rmSync(join(tree, 'clone'), { recursive: true });
    expect(await listChangedSince(tree, dirty, around)).toEqual(['clone', 'module']);
    library.remove();
  });

  it('does not go round in circles over a submodule that is not checked out', async () => {
    const library = freshDirectory();
    repository(library.path, { lib: '1' });
    repository(tree, { a: '1' });
    git(tree, 'submodule', '--quiet', 'add', library.path, 'module');
    git(tree, 'submodule', '--quiet', 'deinit', '--force', 'module');
    expect((await baseline()).dirty).toMatchObject({ module: 'tree:none' });
    library.remove();
  });

  it('is not stopped by a repository inside that git cannot use', async () => {
    repository(tree, { a: '1' });
    repository(join(tree, 'broken'), { b: '1' });
    const before = await baseline();
    writeFileSync(join(tree, 'broken/.git/config'), '[core\n');
    expect(await listChangedSince(tree, before, around)).toEqual(['broken']);
  });

  it('notices a name that is no UTF-8', async () => {
    repository(tree, {});
    const path = Buffer.concat([Buffer.from(`${tree}/caf`), Buffer.from([0xe9])]);
    writeFileSync(path, 'x');
    const before = await baseline();
    expect(await listChangedSince(tree, before, around)).toEqual([]);
    writeFileSync(path, 'y');
    expect(await listChangedSince(tree, before, around)).toEqual(['caf\\xe9']);
  });
});

describe('the tree digest', () => {
  it('is the same for the same tree and another for every change', async () => {
    repository(tree, { a: '1' });
    const seen = new Set<string | null>();
    const next = async () => {
      const digest = await digestOf(tree);
      expect(await digestOf(tree)).toBe(digest);
      expect(seen.has(digest)).toBe(false);
      seen.add(digest);
    };
    await next();
    put(tree, 'a', '2');
    await next();
    put(tree, 'untracked', '');
    await next();
    appendFileSync(join(tree, 'untracked'), 'x');
    await next();
    put(tree, '__proto__', 'x');
    await next();
    git(tree, 'commit', '--quiet', '--all', '--message', 'more');
    await next();
  });

  it('does not depend on what dev-cli itself writes', async () => {
    repository(tree, { a: '1' });
    const before = await digestOf(tree);
    put(tree, '.dev/specs/x/state.json', '{}');
    expect(await digestOf(tree)).toBe(before);
  });

  it('of a part of a repository sees the rest, which its commands may use', async () => {
    repository(tree, { 'a/x': '1', 'b/x': '1' });
    const before = await digestOf(join(tree, 'a'));
    put(tree, 'b/x', '2');
    expect(await digestOf(join(tree, 'a'))).not.toBe(before);
  });
});
