import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { GIT_HOOK_BLOCK, NEW_HOOK, putBlock } from '../../../src/wings/harness/install/git-block.js';
import { type CallOptions, devCli, imageOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT } from '../../support/project.mjs';

// memory.md, Hooks: the block in the clone's own post-commit hook.

let hook: string;
let commits: string;
useProject();
beforeEach(() => {
  hook = join(project.root, '.git/hooks/post-commit');
  commits = join(project.root, '.git/dev-cli-commits');
});

const git = (...args: string[]) => gitIn(project.root, {}, ...args);
const gitIn = (cwd: string, env: Record<string, string>, ...args: string[]) =>
  execFileSync('git', args, { cwd, env: { ...project.env, ...env }, encoding: 'utf8', stdio: 'pipe' });
const head = (cwd = project.root) => gitIn(cwd, {}, 'rev-parse', 'HEAD').trim();
const call = (words: string, options: CallOptions = {}) => {
  const { code, json, stdout } = devCli(project, [...words.split(' '), '--yes', '--json'], options);
  const { git } = json as { git?: { status: string; path: string | null; detail?: string } };
  return { code, git, json, stdout };
};
const install = (options?: CallOptions) => call('install --harness git', options);
const uninstall = (options?: CallOptions) => call('uninstall --harness git', options);
const writeHook = (text: string | Buffer, mode = 0o755) => {
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, text);
  chmodSync(hook, mode);
};
/** Returns a hook as the current version of a tool writes it. */
const writtenBy = (tool: string) => readFileSync(join(CHECKOUT, `tests/fixtures/git-hooks/${tool}.sh`), 'utf8');
const setUpHusky = () => {
  mkdirSync(join(project.root, '.husky/_'), { recursive: true });
  writeFileSync(join(project.root, '.husky/_/post-commit'), writtenBy('husky-9.1'), { mode: 0o755 });
  git('config', 'core.hooksPath', '.husky/_');
};
const recorded = () =>
  readFileSync(commits, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
const commit = (text: string, cwd = project.root, env: Record<string, string> = {}) => {
  writeFileSync(join(cwd, 'note.txt'), `${text}\n`);
  gitIn(cwd, {}, 'add', 'note.txt');
  gitIn(cwd, env, 'commit', '-q', '-m', text);
  return head(cwd);
};

describe('install --harness git (memory.md, Hooks)', () => {
  it('puts the hook in, says what it did, and takes every byte out again', () => {
    const before = imageOf(project, '.');
    expect(install({ env: { PATH: '' } })).toMatchObject({ code: 0, git: { status: 'not-git', path: null } });
    const first = install();
    expect(first, first.stdout).toMatchObject({
      code: 0,
      json: { ok: true, status: 'installed', harnesses: [] },
      git: { status: 'installed', path: hook },
    });
    expect(readFileSync(hook, 'utf8')).toBe(NEW_HOOK);
    expect(statSync(hook).mode & 0o777).toBe(0o755);
    expect([readFileSync(commits, 'utf8'), statSync(commits).mode & 0o777]).toEqual(['', 0o600]);
    expect(install().git).toEqual({ status: 'already-installed', path: hook });
    writeHook(NEW_HOOK.replace('v1', 'v0'));
    expect(install().git).toEqual({ status: 'updated', path: hook });
    expect(readFileSync(hook, 'utf8')).toBe(NEW_HOOK);
    expect(uninstall().git).toEqual({ status: 'removed', path: hook });
    expect(uninstall().git).toEqual({ status: 'missing', path: hook });
    expect(imageOf(project, '.')).toEqual(before);
    expect([existsSync(hook), existsSync(commits)]).toEqual([false, false]);
  });

  it('only tells in a dry run, asks nobody off a terminal, and refuses an agent', () => {
    const dry = devCli(project, ['install', '--harness', 'git', '--dry-run']);
    expect(dry.stdout).toContain(`install   ${hook}`);
    const unasked = devCli(project, ['install', '--harness', 'git', '--json']);
    expect(unasked).toMatchObject({ code: 3, json: { error: { code: 'TERMINAL_REQUIRED' } } });
    expect(install({ env: { CLAUDECODE: '1' } })).toMatchObject({ code: 3 });
    expect(existsSync(hook)).toBe(false);
    expect(call('install --harness git --user')).toMatchObject({ code: 2, json: { error: { code: 'USAGE' } } });
  });

  it('stands beside harnesses: without a name install leaves it alone, and uninstall removes it', () => {
    const before = imageOf(project, '.');
    const both = call('install --harness claude,git');
    expect(both).toMatchObject({ code: 0, git: { status: 'installed' } });
    expect(existsSync(join(project.root, '.claude/settings.json'))).toBe(true);
    expect(call('install --harness claude').git).toBe(undefined);
    expect(call('uninstall --harness claude').git).toBe(undefined);
    expect(existsSync(hook)).toBe(true);
    expect(call('uninstall').git).toEqual({ status: 'removed', path: hook });
    expect(call('uninstall').git).toBe(undefined);
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('keeps the hook of somebody else byte for byte, whatever its line ends and encoding, with its mode', () => {
    const hooks = [
      '#!/bin/sh\necho theirs\n',
      '#!/bin/sh\necho theirs\r\n',
      'echo theirs\r\n',
      '#!/usr/bin/env bash\necho theirs',
      '#!/bin/sh',
      'echo theirs\n',
      '',
      Buffer.from('#!/bin/dash\n# \xe9t\xe9 \xff\n', 'latin1'),
    ];
    for (const text of hooks) {
      writeHook(text, 0o750);
      expect(install().git?.status, String(text)).toBe('installed');
      expect(readFileSync(hook, 'latin1')).toBe(putBlock(Buffer.from(text).toString('latin1')));
      expect(statSync(hook).mode & 0o777).toBe(0o750);
      expect(uninstall().git?.status, String(text)).toBe('removed');
      expect(readFileSync(hook)).toEqual(Buffer.from(text));
      expect(statSync(hook).mode & 0o777).toBe(0o750);
      expect(uninstall().git?.status).toBe('foreign-hook');
    }
  });

  it('refuses where the block would be lost or would harm, and changes nothing', () => {
    const elsewhere = join(project.root, 'hook.sh');
    writeFileSync(elsewhere, '#!/bin/sh\n', { mode: 0o755 });
    const cases: [string, () => void, RegExp][] = [
      ['python', () => writeHook('#!/usr/bin/env python3\n'), /not a script for sh/],
      ['CRLF behind the shebang, which git cannot run', () => writeHook('#!/bin/sh\r\n'), /carriage return/],
      ['half', () => writeHook(NEW_HOOK.replace('# dev-cli: post-commit end\n', '')), /a mark of dev-cli is missing/],
      ['not executable', () => writeHook('#!/bin/sh\n', 0o644), /not executable/],
      ['read-only', () => writeHook('#!/bin/sh\n', 0o555), /read-only/],
      ['lefthook', () => writeHook(writtenBy('lefthook-2.2')), /lefthook/],
      ['pre-commit', () => writeHook(writtenBy('pre-commit-4.6')), /pre-commit/],
      ['a link', () => symlinkSync(elsewhere, hook), /link/],
      ['a directory', () => mkdirSync(hook), /not a file/],
      ['husky', () => setUpHusky(), /core\.hooksPath/],
      ['/dev/null', () => git('config', 'core.hooksPath', '/dev/null'), /core\.hooksPath/],
    ];
    for (const [name, prepare, why] of cases) {
      rmSync(hook, { recursive: true, force: true });
      mkdirSync(dirname(hook), { recursive: true });
      prepare();
      const before = imageOf(project, '.git');
      const refused = call('install --harness claude,git');
      expect(refused, name).toMatchObject({
        code: 3,
        json: { ok: false, status: 'planned' },
        git: { status: 'refused', path: hook },
      });
      expect(refused.git?.detail, name).toMatch(why);
      expect(refused.git?.detail, name).toContain(GIT_HOOK_BLOCK);
      expect(imageOf(project, '.git'), name).toEqual(before);
      expect(existsSync(join(project.root, '.claude')), name).toBe(false);
    }
    // A core.hooksPath that names the usual directory is no reason to refuse.
    git('config', 'core.hooksPath', '.git/hooks');
    expect(install().git?.status).toBe('installed');
    // Removal works even if git looks for hooks elsewhere by now.
    git('config', 'core.hooksPath', '.husky/_');
    expect(uninstall().git?.status).toBe('removed');
  });

  it('does nothing any more where lefthook or pre-commit has moved it away, once it is uninstalled', () => {
    for (const [tool, ending] of Object.entries({ 'lefthook-2.2': 'old', 'pre-commit-4.6': 'legacy' })) {
      expect(install().git?.status).toBe('installed');
      renameSync(hook, `${hook}.${ending}`);
      writeHook(writtenBy(tool));
      expect(install().git?.status, tool).toBe('refused');
      expect(uninstall().git?.status, tool).toBe('foreign-hook');
      execFileSync(`${hook}.${ending}`, { cwd: project.root, env: project.env });
      expect(existsSync(join(project.root, '.git/dev-cli-commits')), tool).toBe(false);
      expect(readFileSync(hook, 'utf8')).toBe(writtenBy(tool));
      rmSync(hook);
    }
  });

  it('follows no global hooksPath and refuses to cut what is half or a link', () => {
    writeFileSync(join(project.home, '.gitconfig'), '[core]\n\thooksPath = ~/hooks\n');
    expect(
      install({ env: { HOME: project.home, GIT_CONFIG_GLOBAL: join(project.home, '.gitconfig') } }).git?.status,
    ).toBe('refused');
    writeHook('#!/bin/sh\n# dev-cli: post-commit end\n');
    expect(uninstall()).toMatchObject({ code: 3, git: { status: 'refused' } });
    rmSync(hook);
    const elsewhere = join(project.home, 'hook');
    writeFileSync(elsewhere, NEW_HOOK, { mode: 0o755 });
    symlinkSync(elsewhere, hook);
    expect(uninstall().git?.detail).toContain('a link');
    expect(readFileSync(elsewhere, 'utf8')).toBe(NEW_HOOK);
  });
});

describe('the post-commit block at work (memory.md, Hooks)', () => {
  const CLAUDE = { CLAUDE_CODE_SESSION_ID: 's1' };

  it('notes commits, amended ones and cherry-picks with their session, but no step of a rebase', () => {
    install();
    const first = commit('one', project.root, CLAUDE);
    const second = commit('two', project.root, { CODEX_SESSION_ID: 's2' });
    const third = commit('three');
    expect(recorded().map(([sha, , session]) => [sha, session])).toEqual([
      [first, 's1'],
      [second, 's2'],
      [third, ''],
    ]);
    expect(Number(recorded()[0]?.[1])).toBeGreaterThan(1_600_000_000);
    gitIn(project.root, CLAUDE, 'commit', '-q', '--amend', '-m', 'three, `rm x` $(touch pwned) "\'\\');
    expect(recorded().at(-1)?.[0]).toBe(head());
    expect(existsSync(join(project.root, 'pwned'))).toBe(false);

    git('checkout', '-q', '-b', 'side', first);
    writeFileSync(join(project.root, 'other.txt'), 'x\n');
    git('add', 'other.txt');
    gitIn(project.root, CLAUDE, 'commit', '-q', '-m', 'side');
    const side = head();
    const before = recorded().length;
    git('rebase', '-q', second);
    git('rebase', '-q', '--apply', third);
    expect(head()).not.toBe(side);
    expect(recorded()).toHaveLength(before);
    git('checkout', '-q', '--detach', second);
    gitIn(project.root, CLAUDE, 'cherry-pick', side);
    expect(recorded().at(-1)).toMatchObject([head(), expect.any(String), 's1']);
    gitIn(project.root, CLAUDE, 'revert', '--no-edit', 'HEAD');
    expect(recorded().at(-1)?.[0]).toBe(head());
  });

  it('notes the commits of linked work trees in the same file, and stops with the file', () => {
    install();
    const tree = join(project.home, 'tree');
    git('worktree', 'add', '-q', '-b', 'linked', tree);
    const made = commit('linked', tree, CLAUDE);
    expect(recorded().at(-1)).toMatchObject([made, expect.any(String), 's1']);
    // In the linked work tree, the same hook applies.
    expect(install({ cwd: tree }).git).toEqual({ status: 'already-installed', path: hook });
    rmSync(commits);
    commit('unseen', tree, CLAUDE);
    expect(existsSync(commits)).toBe(false);
  });

  it('serves a project in a sub-directory, at a path with blank and quote', () => {
    const root = join(project.home, "a b'c");
    mkdirSync(join(root, 'sub/.dev/specs'), { recursive: true });
    gitIn(root, {}, 'init', '-q');
    for (const [key, value] of Object.entries({ name: 'A', email: 'a@b.c' }))
      gitIn(root, {}, 'config', `user.${key}`, value);
    const { code, git: done } = call('install --harness git', { cwd: join(root, 'sub') });
    expect(code).toBe(0);
    expect(done).toEqual({ status: 'installed', path: join(root, '.git/hooks/post-commit') });
    const made = commit('sub', join(root, 'sub'), CLAUDE);
    expect(readFileSync(join(root, '.git/dev-cli-commits'), 'utf8')).toContain(`${made} `);
  });

  it('fails and delays no commit, and lets the hook of somebody else run on', () => {
    const mark = join(project.home, 'ran');
    for (const shell of ['/bin/sh -eu', '/usr/bin/env bash', '/bin/dash']) {
      writeHook(`#!${shell}\necho ran > "${mark}"\n`);
      install();
      commit(`before ${shell}`, project.root, CLAUDE);
      expect(existsSync(mark), shell).toBe(true);
      expect(recorded().at(-1)?.[0], shell).toBe(head());
      rmSync(mark);
      // The file for commits cannot be written: first a directory takes its place, then permissions are missing.
      rmSync(commits);
      mkdirSync(commits);
      commit(`directory ${shell}`, project.root, CLAUDE);
      rmSync(commits, { recursive: true });
      execFileSync('mkfifo', [commits]);
      writeFileSync(join(project.root, 'note.txt'), `fifo ${shell}\n`);
      const made = spawnSync('git', ['commit', '-qam', 'fifo'], {
        cwd: project.root,
        env: project.env,
        // Whoever opens the fifo to write waits for a reader that never comes.
        timeout: 100_000,
      });
      expect([made.status, String(made.stderr)], shell).toEqual([0, '']);
      expect(existsSync(mark), shell).toBe(true);
      rmSync(commits);
      rmSync(hook);
    }
  });
});
