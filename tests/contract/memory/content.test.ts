import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { computeContentTree, storeContentTree } from '../../../src/work/content.js';
import { readRecentCommits } from '../../../src/work/recent-commits.js';
import { project, useProject } from '../../support/each-project.js';

// memory.md, Truth: the content id, and the commits that memory shows.

useProject({ sample: null });
beforeEach(() => {
  put({ 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', '.gitignore': '/out/\n' });
  git('add', '--all');
  git('commit', '--quiet', '--message=First');
});

function git(...args: string[]): string {
  const options = { cwd: project.root, env: project.env, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('git', args, options).trim();
}

function put(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project.root, path)), { recursive: true });
    writeFileSync(join(project.root, path), text);
  }
}

const content = (workTree = project.root) => computeContentTree(workTree, { env: project.env });

/** Returns every file of the repository with its bytes and modification time. */
function photograph(directory = join(project.root, '.git')): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(directory, name);
      const stats = statSync(path);
      // Git updates the modification times of objects and shared indexes that it still needs, to keep them from being
      // pruned. So for these files only the bytes are compared.
      const isMarked = /^(sharedindex|objects)/.test(name);
      return [name, `${isMarked ? '' : stats.mtimeMs} ${stats.isFile() ? readFileSync(path, 'base64') : ''}`];
    }),
  );
}

describe('the content', () => {
  it('is the tree of the commit where nothing is changed', async () => {
    expect(await content()).toBe(git('rev-parse', 'HEAD^{tree}'));
  });

  it('stays when exactly that is staged or committed, with an empty commit, and in a linked work tree', async () => {
    put({ 'src/a.ts': 'other\n', 'src/new.ts': 'new\n' });
    rmSync(join(project.root, 'src/b.ts'));
    const before = await content();
    expect(before).not.toBe(git('rev-parse', 'HEAD^{tree}'));
    git('add', 'src/new.ts');
    expect(await content()).toBe(before);
    git('add', '--all');
    expect(await content()).toBe(before);
    git('commit', '--quiet', '--message=Second');
    expect(await content()).toBe(before);
    git('commit', '--quiet', '--allow-empty', '--message=Third');
    expect(await content()).toBe(before);
    const linked = join(dirname(project.root), 'linked');
    git('worktree', 'add', '--quiet', '-b', 'other', linked);
    expect(await content(linked)).toBe(before);
  });

  it('ends with an edit, a deletion, an untracked edit, a mode, another branch', async () => {
    const seen = [await content()];
    const changes = [
      () => put({ 'src/a.ts': 'A\n' }),
      () => rmSync(join(project.root, 'src/b.ts')),
      () => put({ 'notes.txt': 'one' }),
      () => put({ 'notes.txt': 'two' }),
      () => chmodSync(join(project.root, 'src/a.ts'), 0o755),
    ];
    for (const change of changes) {
      change();
      const now = await content();
      expect(seen).not.toContain(now);
      seen.push(now);
    }
  });

  it('cannot be told while a submodule has changes of its own', async () => {
    const other = join(dirname(project.root), 'other');
    git('clone', '--quiet', project.root, other);
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
    const before = await content();
    expect(before).not.toBe(null);
    put({ 'sub/src/a.ts': 'other\n' });
    expect(await content()).toBe(null);
    execFileSync('git', ['-C', join(project.root, 'sub'), 'checkout', '--quiet', '.']);
    expect(await content()).toBe(before);
  });

  it('sees an edit of the same length in the moment in which the index was written', async () => {
    const path = join(project.root, 'src/a.ts');
    const { atime, mtime } = statSync(path);
    const before = await content();
    // Size and times stay the same, as when much is written within one tick of the clock; only the bytes differ.
    writeFileSync(path, 'x\n');
    utimesSync(path, atime, mtime);
    utimesSync(join(project.root, '.git/index'), atime, mtime);
    expect(await content()).not.toBe(before);
  });

  it('leaves out what git ignores and what memory writes, also where it is committed', async () => {
    const before = await content();
    put({ 'out/x.js': 'x', '.dev/notes': 'x', '.ai/handoffs/2026-01-01_000000.md': 'x', 'PROJECT_CONTEXT.md': 'x' });
    expect(await content()).toBe(before);
    git('add', '--all', '--force', '--', '.dev', '.ai', 'PROJECT_CONTEXT.md');
    git('commit', '--quiet', '--message=All');
    put({ 'PROJECT_CONTEXT.md': 'y' });
    expect(await content()).toBe(before);
    put({ '.ai/rules.md': 'x' });
    expect(await content()).not.toBe(before);
  });

  it('covers the whole repository where the work tree is a part of it', async () => {
    const part = join(project.root, 'src');
    put({ 'src/PROJECT_CONTEXT.md': 'x' });
    const before = await content(part);
    expect(before).toBe(git('rev-parse', 'HEAD^{tree}'));
    put({ 'top.txt': 'x' });
    expect(await content(part)).not.toBe(before);
  });

  it('writes nothing to the repository, and runs none of its hooks', async () => {
    put({ 'src/a.ts': 'other\n', 'src/new.ts': 'new\n' });
    git('config', 'core.splitIndex', 'true');
    git('update-index', '--split-index');
    put({ '.git/hooks/post-index-change': '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n' });
    chmodSync(join(project.root, '.git/hooks/post-index-change'), 0o755);
    const before = photograph();
    expect(await content()).not.toBeNull();
    const after = photograph();
    const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
    expect(changed).toEqual([]);
  });

  it('holds before the first commit, on a detached HEAD, while a merge is under way, and with odd names', async () => {
    git('checkout', '--quiet', '--orphan', 'empty');
    git('rm', '--quiet', '-r', '--cached', '.');
    expect(await content()).not.toBeNull();
    git('checkout', '--quiet', '--force', '-B', 'one', 'main');
    put({ 'src/a.ts': 'one\n' });
    git('commit', '--quiet', '--all', '--message=One');
    git('checkout', '--quiet', '--detach', 'main');
    expect(await content()).toBe(git('rev-parse', 'main^{tree}'));
    put({ 'src/a.ts': 'two\n' });
    git('commit', '--quiet', '--all', '--message=Two');
    expect(() => git('merge', '--quiet', 'one')).toThrow();
    const conflict = await content();
    expect(conflict).not.toBeNull();
    put({ 'with blank "quote"\n.txt': 'x', ':(top)x': 'x', é: 'x' });
    expect(await content()).not.toBe(conflict);
    expect(existsSync(join(project.root, '.git/MERGE_HEAD'))).toBe(true);
  });

  it('is unknown without a repository, without git, and where a file cannot be read', async () => {
    expect(await content(project.home)).toBeNull();
    expect(await computeContentTree(project.root, { env: { ...project.env, PATH: project.home } })).toBeNull();
    put({ '.gitattributes': '*.ts filter=broken\n', 'src/a.ts': 'other\n' });
    git('config', 'filter.broken.clean', 'false');
    git('config', 'filter.broken.required', 'true');
    expect(await content()).toBeNull();
  });

  it('is unknown where it takes more than two seconds', async () => {
    put({ '.gitattributes': '*.ts filter=slow\n', 'src/a.ts': 'other\n' });
    // The filter lasts for as long as the project does.
    git('config', 'filter.slow.clean', 'while test -e .git; do sleep 0.1; done');
    expect(await content()).toBeNull();
  });

  it('can be kept, for a commit to name it', async () => {
    put({ 'src/a.ts': 'other\n', 'PROJECT_CONTEXT.md': 'x' });
    const kept = await storeContentTree(project.root, { env: project.env });
    expect(kept?.content).toBe(await content());
    expect(git('ls-tree', '-r', '--name-only', kept?.tree ?? '').split('\n')).toContain('PROJECT_CONTEXT.md');
    expect(git('cat-file', '-p', `${kept?.tree}:src/a.ts`)).toBe('other');
    expect(git('status', '--short')).toBe('M src/a.ts\n?? PROJECT_CONTEXT.md');
  });
});

describe('the newest commits', () => {
  const NONE = { commits: [], elsewhere: [] };
  it('are at most twenty, newest first, as git tells of them', async () => {
    for (let count = 0; count < 21; count += 1)
      git('commit', '--quiet', '--allow-empty', `--message=Number ${count}\n\nMore`);
    const { commits } = await readRecentCommits(project.root, { env: project.env });
    expect(commits).toHaveLength(20);
    expect(commits[0]).toEqual({
      sha: git('rev-parse', 'HEAD'),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      subject: 'Number 20',
    });
  });

  it('are none before the first one, without a repository, and without git', async () => {
    git('checkout', '--quiet', '--orphan', 'empty');
    expect(await readRecentCommits(project.root, { env: project.env })).toEqual(NONE);
    expect(await readRecentCommits(project.home, { env: project.env })).toEqual(NONE);
    expect(await readRecentCommits(project.root, { env: { ...project.env, PATH: project.home } })).toEqual(NONE);
  });
});
