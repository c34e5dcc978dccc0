import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Baseline } from '../../../src/work/baseline.js';
import {
  buildCommitCommand,
  buildCommitFiles,
  isTemporaryGitFailure,
  planCommit,
  readCommitSetting,
} from '../../../src/work/commit.js';
import { announceNew, withdrawNew } from '../../../src/work/commit-index.js';
import type { CommitScope } from '../../../src/work/commit-paths.js';
import { findCommit } from '../../../src/work/commit-search.js';
import { readPresent } from '../../../src/work/git.js';
import { freshDirectory, GIT_ENV, git, put, repository } from './repository.js';

const around = { env: GIT_ENV };
let tree: string;
let remove: () => void;

beforeEach(() => {
  const fresh = freshDirectory();
  tree = fresh.path;
  remove = fresh.remove;
});
afterEach(() => remove());

async function now(): Promise<Baseline> {
  const baseline = await readPresent(tree, around);
  if (baseline === null) throw new Error('no repository');
  return baseline;
}

function scope(since: Baseline, more: Partial<CommitScope> = {}): CommitScope {
  return { key: 'run-1/todo-1', since, before: since, files: ['src/**'], charged: [], ...more };
}

/** Plans a commit as a call that makes only this commit would. */
async function planIn(tree: string, wanted: CommitScope, options: typeof around) {
  const present = await readPresent(tree, options);
  return present === null
    ? ({ kind: 'nothing', why: 'no repository' } as const)
    : planCommit(tree, present, () => readCommitSetting(tree, options), wanted, options);
}

/**
 * Commits as dev-cli does: plans and announces the commit, runs its command, and withdraws the announcement if git
 * refuses.
 */
async function commit(wanted: CommitScope, message = 'Do it'): Promise<{ exit: number | null; output: string }> {
  const plan = await planIn(tree, wanted, around);
  if (plan.kind !== 'ready') throw new Error(`not ready: ${plan.kind}`);
  const directory = mkdtempSync(join(tmpdir(), 'commit-'));
  const files = buildCommitFiles(message, wanted.key, plan.paths);
  writeFileSync(join(directory, 'message'), files.message);
  writeFileSync(join(directory, 'paths'), files.paths);
  await announceNew(tree, plan.paths, around);
  const [program = '', ...args] = buildCommitCommand(join(directory, 'message'), join(directory, 'paths'));
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: tree, env: GIT_ENV, encoding: 'utf8' });
  if (status !== 0) await withdrawNew(tree, plan.paths, around);
  rmSync(directory, { recursive: true });
  return { exit: status, output: stdout + stderr };
}

const committedPaths = () => git(tree, 'show', '--no-renames', '--name-only', '--format=').trim().split('\n').sort();

describe('a commit of a todo', () => {
  it('holds what it changed, made, renamed and deleted within its files, and nothing else', async () => {
    repository(tree, { 'src/a.ts': '1', 'src/gone.ts': '1', 'src/old name.ts': 'x', 'other.ts': '1' });
    const since = await now();
    put(tree, 'src/a.ts', '2');
    put(tree, 'src/deep/new.ts', '1');
    put(tree, 'src/:(glob)*.ts', 'a name that is a pattern');
    put(tree, 'src/-rf', 'a name that is an option');
    put(tree, 'other.ts', '2');
    git(tree, 'mv', 'src/old name.ts', 'src/new name.ts');
    rmSync(join(tree, 'src/gone.ts'));
    expect((await commit(scope(since))).exit).toBe(0);
    expect(committedPaths()).toEqual(
      [
        'src/-rf',
        'src/:(glob)*.ts',
        'src/a.ts',
        'src/deep/new.ts',
        'src/gone.ts',
        'src/new name.ts',
        'src/old name.ts',
      ].sort(),
    );
    expect(git(tree, 'status', '--porcelain')).toBe(' M other.ts\n');
  });

  it('takes single paths that are charged to it, and everything where it names no files', async () => {
    repository(tree, { 'src/a.ts': '1' });
    const since = await now();
    put(tree, 'src/a.ts', '2');
    put(tree, 'docs/x.md', '1');
    put(tree, 'docs/y.md', '1');
    expect(await planIn(tree, scope(since, { charged: ['docs/x.md'] }), around)).toMatchObject({
      paths: ['docs/x.md', 'src/a.ts'],
    });
    expect(await planIn(tree, scope(since, { files: null }), around)).toMatchObject({
      paths: ['docs/x.md', 'docs/y.md', 'src/a.ts'],
    });
    expect(await planIn(tree, scope(since, { files: ['docs'] }), around)).toMatchObject({
      paths: ['docs/x.md', 'docs/y.md'],
    });
  });

  it('leaves alone what was changed before the run, staged or not, and reports it', async () => {
    repository(tree, { 'src/a.ts': '1', 'src/b.ts': '1' });
    put(tree, 'src/a.ts', 'mine');
    put(tree, 'mine.txt', 'staged');
    git(tree, 'add', 'mine.txt');
    const before = await now();
    put(tree, 'src/a.ts', 'mine and the worker’s');
    put(tree, 'src/b.ts', '2');
    expect((await commit(scope(before))).exit).toBe(0);
    expect(committedPaths()).toEqual(['src/b.ts']);
    expect(git(tree, 'status', '--porcelain')).toBe('A  mine.txt\n M src/a.ts\n');
    const plan = await planIn(tree, scope(before, { key: 'run-1/todo-2' }), around);
    expect(plan).toEqual({
      kind: 'nothing',
      why: 'nothing to commit',
      left: [{ path: 'src/a.ts', why: 'changed before the run' }],
    });
  });

  it('does not take what was already there before its first attempt', async () => {
    repository(tree, { 'src/a.ts': '1', 'src/b.ts': '1' });
    const before = await now();
    put(tree, 'src/b.ts', 'of another todo, not committed');
    const since = await now();
    put(tree, 'src/a.ts', '2');
    expect(await planIn(tree, scope(since, { before }), around)).toMatchObject({ paths: ['src/a.ts'] });
  });
});

describe('once, however often it is asked for', () => {
  it('is found by its trailer, not by words that look like it, and not before the attempt began', async () => {
    repository(tree, { 'src/a.ts': '1' });
    const since = await now();
    put(tree, 'src/a.ts', '2');
    expect((await commit(scope(since), 'Do it\n\nnot a trailer: run-1/todo-9')).exit).toBe(0);
    const head = git(tree, 'rev-parse', 'HEAD').trim();
    expect(await planIn(tree, scope(since), around)).toEqual({ kind: 'found', sha: head });
    expect(await findCommit(tree, 'run-1/todo-9', since.head, around)).toBeNull();
    expect(await findCommit(tree, 'run-2/todo-1', since.head, around)).toBeNull();
    // If the todo is redone after an invalidate, the new work becomes another commit.
    const again = await now();
    put(tree, 'src/a.ts', '3');
    expect((await planIn(tree, scope(again), around)).kind).toBe('ready');
  });

  it('is found below later commits, and when the history was rewritten under it', async () => {
    repository(tree, { 'src/a.ts': '1' });
    const since = await now();
    put(tree, 'src/a.ts', '2');
    await commit(scope(since));
    put(tree, 'later.ts', '1');
    git(tree, 'add', '.');
    git(tree, 'commit', '-qm', 'later');
    expect((await planIn(tree, scope(since), around)).kind).toBe('found');
    const gone = { ...since, head: '0123456789012345678901234567890123456789' };
    expect((await planIn(tree, scope(gone), around)).kind).toBe('found');
  });
});

describe('where a commit cannot be made', () => {
  it('nothing to commit and no repository are no failures', async () => {
    const empty: Baseline = { head: null, dirty: {} };
    expect(await planIn(tree, scope(empty), around)).toMatchObject({ kind: 'nothing', why: 'no repository' });
    repository(tree, { 'src/a.ts': '1' });
    expect(await planIn(tree, scope(await now()), around)).toMatchObject({ why: 'nothing to commit' });
  });

  it('the first commit of a repository and a detached HEAD are no hindrance', async () => {
    git(tree, 'init', '--quiet');
    const since = await now();
    put(tree, 'src/a.ts', '1');
    expect((await commit(scope(since))).exit).toBe(0);
    git(tree, 'checkout', '--quiet', '--detach');
    const detached = await now();
    put(tree, 'src/a.ts', '2');
    expect((await commit(scope(detached))).exit).toBe(0);
  });

  it('a merge in progress and a held index are waited out', async () => {
    repository(tree, { 'src/a.ts': '1' });
    const since = await now();
    put(tree, 'src/a.ts', '2');
    put(tree, '.git/index.lock', '');
    expect(await planIn(tree, scope(since), around)).toMatchObject({ kind: 'later' });
    rmSync(join(tree, '.git/index.lock'));
    put(tree, '.git/MERGE_HEAD', `${since.head}\n`);
    expect(await planIn(tree, scope(since), around)).toMatchObject({
      kind: 'later',
      why: 'a merge is in progress',
    });
    rmSync(join(tree, '.git/MERGE_HEAD'));
    expect((await commit(scope(since))).exit).toBe(0);
  });

  it('a hook that refuses leaves the index as it was and its words as evidence', async () => {
    repository(tree, { 'src/a.ts': '1' });
    const since = await now();
    put(tree, '.git/hooks/pre-commit', '#!/bin/sh\necho no tests, no commit >&2\nexit 1\n');
    chmodSync(join(tree, '.git/hooks/pre-commit'), 0o755);
    put(tree, 'src/a.ts', '2');
    put(tree, 'src/new.ts', '1');
    const { exit, output } = await commit(scope(since));
    expect(exit).not.toBe(0);
    expect(output).toContain('no tests, no commit');
    expect(isTemporaryGitFailure(output)).toBe(false);
    expect(git(tree, 'status', '--porcelain')).toBe(' M src/a.ts\n?? src/new.ts\n');
  });

  it('tells a repository that cannot be written from one that refuses', () => {
    expect(isTemporaryGitFailure("fatal: Unable to create '/x/.git/index.lock': Read-only file system")).toBe(true);
    expect(isTemporaryGitFailure('error: insufficient permission for adding an object')).toBe(true);
    expect(isTemporaryGitFailure('lint: 3 problems')).toBe(false);
  });

  it('works in a part of a repository', async () => {
    repository(tree, { 'packages/api/src/a.ts': '1', 'src/a.ts': '1' });
    const part = join(tree, 'packages/api');
    const since = await readPresent(part, around);
    if (since === null) throw new Error('no repository');
    put(tree, 'packages/api/src/a.ts', '2');
    put(tree, 'src/a.ts', '2');
    expect(await planIn(part, scope(since), around)).toMatchObject({ paths: ['src/a.ts'] });
    execFileSync('git', ['add', '.'], { cwd: part, env: GIT_ENV });
  });
});
