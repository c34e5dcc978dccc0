import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fetchReferences, listRemoteReferences, pushReference } from '../../../src/work/remote.js';
import { scratchDirectory } from '../../support/scratch.js';

/** Reading and changing a remote's refs (fleet.md, Git). */

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
const NAME = 'refs/dev-cli/attempts/g/1';
const MAIN = 'refs/heads/main';
const options = { env: process.env };

/**
 * Creates a bare repository, a clone that has pushed one commit to it, and a function for commits that exist only in
 * the clone.
 */
function openRemote() {
  const directory = scratchDirectory('remote-');
  const [bare, top] = [join(directory, 'bare.git'), join(directory, 'clone')];
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  execFileSync('git', ['clone', '--quiet', bare, top], { stdio: 'ignore' });
  const git = (...args: string[]) => execFileSync('git', [...IDENTITY, ...args], { cwd: top, encoding: 'utf8' }).trim();
  const commit = (parent?: string) =>
    git('commit-tree', git('mktree'), '-m', `${Math.random()}`, ...(parent ? ['-p', parent] : []));
  const base = commit();
  git('push', '--quiet', 'origin', `${base}:${MAIN}`);
  const hook = (name: string, ...lines: string[]) =>
    writeFileSync(join(bare, 'hooks', name), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
  const names = () => execFileSync('git', ['for-each-ref', '--format=%(refname)'], { cwd: bare, encoding: 'utf8' });
  return { bare, top, git, commit, base, hook, names };
}

const read = async (top: string, name: string) =>
  (await listRemoteReferences(top, 'origin', [name], options)).get(name);

describe('a reference of the remote', () => {
  it('is made, moved in any direction and removed, each time from what it was', async () => {
    const { top, commit, base } = openRemote();
    const [one, two] = [commit(base), commit()];
    const push = (from: string | null, to: string | null) => pushReference(top, 'origin', NAME, { from, to }, options);
    expect(await push(null, one)).toEqual({ kind: 'moved' });
    expect(await push(one, two)).toEqual({ kind: 'moved' });
    expect(await read(top, NAME)).toBe(two);
    expect(await push(two, null)).toEqual({ kind: 'moved' });
    expect(await read(top, NAME)).toBeUndefined();
  });

  it('stays as it is where it is not what it was, and counts as moved where it is as wanted', async () => {
    const { top, commit, base } = openRemote();
    const [one, two] = [commit(base), commit(base)];
    const push = (from: string | null, to: string | null) => pushReference(top, 'origin', NAME, { from, to }, options);
    expect(await push(one, two)).toEqual({ kind: 'behind' });
    await push(null, one);
    expect(await push(null, two)).toEqual({ kind: 'behind' });
    expect(await push(two, null)).toEqual({ kind: 'behind' });
    expect(await read(top, NAME)).toBe(one);
    expect(await push(two, one)).toEqual({ kind: 'moved' });
    await push(one, null);
    expect(await push(two, null)).toEqual({ kind: 'moved' });
  });

  it('is behind once somebody has forced the branch back, or removed it', async () => {
    const { bare, top, git, commit, base } = openRemote();
    const [next, own] = [commit(base), commit(base)];
    await pushReference(top, 'origin', MAIN, { from: base, to: next }, options);
    git('push', '--quiet', '--force', 'origin', `${base}:${MAIN}`);
    expect(await pushReference(top, 'origin', MAIN, { from: next, to: own }, options)).toEqual({ kind: 'behind' });
    execFileSync('git', ['update-ref', '-d', MAIN], { cwd: bare });
    expect(await pushReference(top, 'origin', MAIN, { from: base, to: own }, options)).toEqual({ kind: 'behind' });
    expect(await read(top, MAIN)).toBeUndefined();
  });

  it('is moved by one of two who begin at once', async () => {
    const { top, commit, base, hook } = openRemote();
    // The hook delays the pushes, so that all of them start from the old value.
    hook('pre-receive', 'sleep 0.3');
    const rivals = [commit(base), commit(base), commit(base)];
    const ends = await Promise.all(rivals.map((to) => pushReference(top, 'origin', MAIN, { from: base, to }, options)));
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['behind', 'behind', 'moved']);
    expect(await read(top, MAIN)).toBe(rivals[ends.findIndex(({ kind }) => kind === 'moved')]);
  });

  it('alone is pushed: no tag, no branch, whatever the configuration adds, and no hook of the clone runs', async () => {
    const { top, git, commit, base, names } = openRemote();
    const next = commit(base);
    git('tag', '-a', '-m', 'x', 'tagged', next);
    git('branch', 'local', next);
    git('config', 'push.followTags', 'true');
    git('config', 'push.default', 'matching');
    git('config', 'remote.origin.push', 'refs/heads/*:refs/heads/*');
    writeFileSync(join(top, '.git/hooks/pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(await pushReference(top, 'origin', NAME, { from: null, to: next }, options)).toEqual({ kind: 'moved' });
    expect(names().trim().split('\n')).toEqual([NAME, MAIN]);
  });
});

describe('a remote that refuses', () => {
  it('is told in its own words', async () => {
    const { top, commit, base, hook } = openRemote();
    hook(
      'pre-receive',
      'echo "error: main is protected" >&2',
      'echo "ask \u001b[31mthe owners\u001b[0m" >&2',
      'exit 1',
    );
    const move = { from: base, to: commit(base) };
    expect(await pushReference(top, 'origin', MAIN, move, options)).toEqual({
      kind: 'refused',
      reason: 'error: main is protected ask the owners',
    });
    hook('pre-receive', 'exit 1');
    expect(await pushReference(top, 'origin', MAIN, move, options)).toEqual({
      kind: 'refused',
      reason: '[remote rejected] (pre-receive hook declined)',
    });
    expect(await read(top, MAIN)).toBe(base);
  });

  it('by its configuration is told by what git says', async () => {
    const { bare, top, commit, base } = openRemote();
    execFileSync('git', ['config', 'receive.denyNonFastForwards', 'true'], { cwd: bare });
    const end = await pushReference(top, 'origin', MAIN, { from: base, to: commit() }, options);
    expect(end).toMatchObject({ kind: 'refused', reason: expect.stringContaining('denying non-fast-forward') });
  });

  it('whoever has no right to write is told so', async () => {
    const { top, git, commit, base } = openRemote();
    const serve = join(top, '..', 'receive');
    writeFileSync(serve, '#!/bin/sh\necho "ERROR: Permission to t/t denied to you." >&2\nexit 1\n', { mode: 0o755 });
    git('config', 'remote.origin.receivepack', serve);
    const end = await pushReference(top, 'origin', MAIN, { from: base, to: commit(base) }, options);
    expect(end).toMatchObject({ kind: 'refused', reason: expect.stringContaining('Permission to t/t denied') });
    writeFileSync(serve, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const cut = pushReference(top, 'origin', MAIN, { from: base, to: commit(base) }, options);
    await expect(cut).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });

  it('tells of a lock that nobody releases, after it was asked again', async () => {
    const { bare, top, commit, base } = openRemote();
    mkdirSync(join(bare, 'refs/heads'), { recursive: true });
    writeFileSync(join(bare, 'refs/heads/main.lock'), '');
    const end = await pushReference(top, 'origin', MAIN, { from: base, to: commit(base) }, options);
    expect(end).toMatchObject({ kind: 'refused' });
  });
});

describe('a remote that cannot be reached', () => {
  it('is a failure, in which no credential is told', async () => {
    const { top, git, commit, base } = openRemote();
    const to = commit(base);
    for (const url of ['http://me:sec%2Fret@127.0.0.1:9/x', 'http://s3cret@127.0.0.1:9/x']) {
      git('config', 'remote.origin.url', url);
      const asked = [
        listRemoteReferences(top, 'origin', [MAIN], options),
        fetchReferences(top, 'origin', [MAIN], options),
        pushReference(top, 'origin', MAIN, { from: base, to }, options),
      ];
      for (const end of await Promise.allSettled(asked)) {
        if (end.status === 'fulfilled') throw new Error('it was reached');
        expect(end.reason).toMatchObject({ code: 'GIT_FAILED' });
        expect(JSON.stringify([end.reason, end.reason.message, String(end.reason.cause)])).not.toMatch(/sec|s3cret/);
      }
    }
  });
});

describe('fetching', () => {
  it('brings references and commits by id, and neither tags nor anything that was not asked for', async () => {
    const { bare, top, git, commit, base } = openRemote();
    const next = commit(base);
    await pushReference(top, 'origin', NAME, { from: null, to: next }, options);
    git('push', '--quiet', 'origin', `${next}:refs/tags/one`, `${next}:refs/heads/other`);
    const other = join(top, '..', 'other');
    execFileSync('git', ['init', '--quiet', other]);
    execFileSync('git', ['remote', 'add', 'origin', bare], { cwd: other });
    const there = (...args: string[]) => execFileSync('git', args, { cwd: other, encoding: 'utf8' }).trim();
    await fetchReferences(other, 'origin', [base], options);
    expect(there('cat-file', '-t', base)).toBe('commit');
    await fetchReferences(other, 'origin', [`+${NAME}:${NAME}`], options);
    expect(there('for-each-ref', '--format=%(refname) %(objectname)')).toBe(`${NAME} ${next}`);
    const lacking = fetchReferences(other, 'origin', ['refs/heads/none'], options);
    await expect(lacking).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });

  it('leaves what the remote lacks, whatever the configuration prunes', async () => {
    const { top, git, commit, base } = openRemote();
    const own = 'refs/dev-cli/attempts/g/2';
    git('update-ref', own, commit(base));
    git('config', 'fetch.prune', 'true');
    await fetchReferences(top, 'origin', ['+refs/dev-cli/attempts/*:refs/dev-cli/attempts/*'], options);
    expect(git('for-each-ref', '--format=%(refname)', 'refs/dev-cli')).toBe(own);
  });
});
