import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRoot } from '../../../src/project/root.js';
import { temporaryRoot } from '../store/disk.js';
import { codeOf } from '../store/sample.js';

function tree(...directories: string[]): string {
  const root = temporaryRoot();
  for (const directory of directories) mkdirSync(join(root, directory), { recursive: true });
  return root;
}

const plain = (root: string) => ({ root, workTree: null, boundRun: null });

describe('the root', () => {
  it('is the nearest directory upward with a home of ours, not beyond the git top level', () => {
    for (const home of ['.ai', '.nexus', '.dev/memory']) {
      const top = tree('.git', 'a/b/c', `a/${home}`, home);
      expect(findRoot({ cwd: join(top, 'a/b/c'), env: {} })).toEqual(plain(join(top, 'a')));
    }
    for (const file of ['state.json', 'plan-content.json', 'events.jsonl']) {
      const top = tree('.git', 'a/b/c', 'a/.dev/specs/run', 'a/b/.dev/specs/not a run');
      writeFileSync(join(top, 'a/.dev/specs/run', file), '');
      writeFileSync(join(top, 'a/b/.dev/specs/not a run', file), '');
      expect(findRoot({ cwd: join(top, 'a/b/c'), env: {} })).toEqual(plain(join(top, 'a')));
    }
    const outer = tree('.ai', 'repo/.git', 'repo/src');
    expect(findRoot({ cwd: join(outer, 'repo/src'), env: {} })).toEqual(plain(join(outer, 'repo')));
  });

  it('is not a directory with .dev but no run, nor one where a home is a file', () => {
    const top = tree('.git', 'a/b', 'a/.dev/specs/run/actions');
    writeFileSync(join(top, 'a/.ai'), '');
    expect(findRoot({ cwd: join(top, 'a/b'), env: {} })).toEqual(plain(top));
  });

  it('is the current directory where there is neither git nor a home', () => {
    const top = tree('a');
    expect(findRoot({ cwd: join(top, 'a'), env: {} })).toEqual(plain(join(top, 'a')));
  });

  it('is the given one: the option first, then the environment; an empty variable gives none', () => {
    const top = tree('.git', 'one', 'two');
    expect(findRoot({ cwd: top, env: { DEV_CLI_ROOT: join(top, 'one') }, explicit: 'two' })).toEqual(
      plain(join(top, 'two')),
    );
    expect(findRoot({ cwd: top, env: { DEV_CLI_ROOT: 'one' } })).toEqual(plain(join(top, 'one')));
    expect(findRoot({ cwd: top, env: { DEV_CLI_ROOT: '' } })).toEqual(plain(top));
  });

  it('has to be a directory when it is given', async () => {
    const top = tree();
    writeFileSync(join(top, 'file'), '');
    expect(await codeOf(() => findRoot({ cwd: top, env: {}, explicit: 'nowhere' }))).toBe('USAGE');
    expect(await codeOf(() => findRoot({ cwd: top, env: { DEV_CLI_ROOT: 'file' } }))).toBe('USAGE');
  });
});

describe('a work tree made for a run', () => {
  function bound(content: (root: string) => string): { root: string; workTree: string } {
    const root = tree('project', 'elsewhere');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: join(root, 'project'), stdio: 'pipe' });
    git('init', '-q');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', '../elsewhere/tree');
    const workTree = join(root, 'elsewhere/tree');
    const gitDirectory = readFileSync(join(workTree, '.git'), 'utf8').replace('gitdir: ', '').trim();
    writeFileSync(join(gitDirectory, 'dev-cli-root'), content(join(root, 'project')));
    mkdirSync(join(workTree, 'src/.ai'), { recursive: true });
    return { root: join(root, 'project'), workTree };
  }

  it('leads to its root and run, before any home inside it', () => {
    const { root, workTree } = bound((project) => `${project}\nadd-auth\n`);
    expect(findRoot({ cwd: join(workTree, 'src'), env: {} })).toEqual({ root, workTree, boundRun: 'add-auth' });
    expect(findRoot({ cwd: workTree, env: { DEV_CLI_ROOT: root } })).toEqual({ root, workTree, boundRun: 'add-auth' });
    expect(findRoot({ cwd: workTree, env: {}, explicit: join(workTree, 'src') })).toEqual(plain(join(workTree, 'src')));
  });

  it('may be made for no run, and for a root that is no top level', () => {
    const { root, workTree } = bound((project) => `${project}\n-\n`);
    expect(findRoot({ cwd: workTree, env: {} })).toEqual({ root, workTree, boundRun: null });
    const below = bound((project) => `${project}\nadd-auth\nsrc\n`);
    const there = { root: below.root, workTree: join(below.workTree, 'src'), boundRun: 'add-auth' };
    for (const cwd of [below.workTree, join(below.workTree, 'src/.ai')])
      expect(findRoot({ cwd, env: {} })).toEqual(there);
  });

  it('with a pointer that cannot be used is an error, not another root', async () => {
    const contents = ['', 'relative\nrun\n', '/\n../x\n', '/nowhere/at/all\nrun\n', '/\n-\nnowhere\n', '/\n-\n..\n'];
    for (const content of contents) {
      const { workTree } = bound(() => content);
      expect(await codeOf(() => findRoot({ cwd: workTree, env: {} })), JSON.stringify(content)).toBe('IO');
    }
  });

  it('is an ordinary one without a pointer', () => {
    const top = tree('module', 'git-directory');
    writeFileSync(join(top, 'module/.git'), 'gitdir: ../git-directory\n');
    expect(findRoot({ cwd: join(top, 'module'), env: {} })).toEqual(plain(join(top, 'module')));
  });
});
