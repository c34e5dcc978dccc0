import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { call, countSessions, git, readDigest, runLoop, setUpLoop, subjectsOf, write } from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';

const create = freshProjects();

const goal = (id: string, more = ''): string => `  - id: ${id}\n    title: The ${id}\n    status: active\n${more}`;
const goalsOf = (project: Project): string => readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8');
const edit = (project: Project, path: string, from: string, to: string): void =>
  write(project, path, readFileSync(join(project.root, path), 'utf8').replace(from, to));

describe('what a session does to its tree costs no work (loop-core.md, auto)', () => {
  it('repositories in it become directories, and a .git that is gone or replaced is mended', () => {
    const project = create();
    setUpLoop(project, {
      goals: goal('nested') + goal('gone') + goal('replaced'),
      sessions: {
        nested: [{ run: 'mkdir -p deep && git init -q deep/empty && echo 1 > deep/empty/a' }],
        gone: [{ write: { gone: '2\n' }, run: 'rm .git' }],
        replaced: [{ write: { replaced: '3\n' }, run: 'rm .git && git init -q && git add -A' }],
      },
    });
    const { json } = runLoop(project, 'auto', '--recursive');
    expect(json.errors).toEqual([]);
    expect(json.changed_files).toEqual(['deep/empty/a', 'gone', 'replaced']);
    expect(subjectsOf(project)).toHaveLength(3);
  });

  it('tests that remove the tree, or its .git, judge all the same', () => {
    const project = create();
    setUpLoop(project, {
      goals:
        goal('one', '    acceptance: [{run: "rm .git"}]\n') +
        goal('two', '    acceptance: [{run: "rm -rf \\"$PWD\\""}]\n'),
      sessions: { one: [{ write: { one: '1\n' } }], two: [{ write: { two: '2\n' } }] },
    });
    const { json } = runLoop(project, 'auto', '--recursive');
    expect(json.errors).toEqual([]);
    expect(subjectsOf(project)).toEqual(['feat(two): The two', 'feat(one): The one']);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});

describe('what people do meanwhile holds (loop-core.md, Files)', () => {
  it('a goal that was taken out stays away, one that was dropped is not blocked, and the next batch is not kept from anything', () => {
    const project = create();
    const goals = join(project.root, '.ai/goals.yaml');
    setUpLoop(project, {
      goals: goal('gone', '    max_retries: 1\n') + goal('dropped', '    max_retries: 1\n'),
      sessions: {
        gone: [{ write: { gone: '1\n' }, run: `sed -i.bak 's/id: gone/id: other/' ${goals}` }],
        dropped: [{ write: { broken: '' }, run: `sed -i.bak '/The dropped/{n;s/active/dropped/;}' ${goals}` }],
      },
    });
    expect(runLoop(project, 'auto', '--recursive').json.errors).toEqual([]);
    expect(goalsOf(project)).toContain('The gone\n    status: active');
    expect(goalsOf(project)).toContain('The dropped\n    status: dropped');
    expect(runLoop(project, 'auto', 'gone').json.error?.code).toBe('GOAL_REFUSED');
    expect(call(project, ['auto', '--recursive', '--dry-run']).json.ok).toBe(true);
  });

  it('an accepted attempt that waits is given up with its goal', () => {
    const project = create();
    const run = `echo theirs > ${join(project.root, 'one.txt')}`;
    setUpLoop(project, { goals: goal('one'), sessions: { one: [{ write: { 'one.txt': '1\n' }, run }] } });
    expect(runLoop(project, 'auto').json.goals_processed).toMatchObject([{ action_taken: 'escalate' }]);
    edit(project, '.ai/goals.yaml', 'active', 'dropped');
    git(project, 'clean', '-fdq', '--', 'one.txt');
    runLoop(project, 'auto', '--recursive');
    expect(subjectsOf(project)).toEqual([]);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(call(project, ['attempt', 'list']).json['attempts']).toMatchObject([
      { reason: 'its goal was dropped', ref: 'refs/dev-cli/attempts/one/1' },
    ]);
  });

  it('a branch that is removed ends the batch with its reason, and what was tried is kept', () => {
    const project = create();
    const run = `git -C ${project.root} branch -q -D night`;
    setUpLoop(project, { goals: goal('one'), sessions: { one: [{ write: { one: '1\n' }, run }] } });
    const { json } = runLoop(project, 'auto', '--onto', 'night');
    expect(json.errors).toEqual(['one: The branch night is gone.']);
    expect(json.goals_processed).toMatchObject([
      { ref: 'refs/dev-cli/attempts/one/1', reason: 'the branch night is gone' },
    ]);
  });

  it('a run of theirs with the name that a goal’s would have is not taken for it', () => {
    const project = create();
    setUpLoop(project, { goals: goal('one', '    recipe: bugfix\n    max_retries: 1\n'), sessions: {} });
    devCli(project, ['init', 'one-1', '--recipe', 'bugfix', '--goal', 'mine']);
    runLoop(project, 'auto', '--dirty');
    expect(devCli(project, ['status', 'one-1-2', '--json']).json).toMatchObject({ goal: 'The one' });
  });
});

describe('what is kept of sessions (loop-core.md, Files)', () => {
  it('is nobody else’s to read, has no secret of the tool’s line, and no session removes it', () => {
    const project = create();
    const key = `sk-ant-api03-${'a1B2'.repeat(12)}`;
    setUpLoop(project, {
      goals: goal('one'),
      sessions: { one: [{ write: { one: '1\n' }, run: 'dev-cli attempt prune --days 0 --json > said || true' }] },
    });
    edit(project, '.ai/config.yaml', '{goal}', `{goal} ${key}`);
    expect(runLoop(project, 'auto', '--onto', 'refs/heads/night').exit).toBe(0);
    expect(git(project, 'show', 'night:said')).toContain('TERMINAL_REQUIRED');
    const records = join(project.root, '.dev/loop/attempts/one/1');
    expect(statSync(records).mode & 0o777).toBe(0o700);
    for (const path of ['attempts/one/1/verdict.json', 'state.json', 'events.jsonl'])
      expect(readFileSync(join(project.root, '.dev/loop', path), 'utf8')).not.toContain(key);
  });

  it('two linked work trees with the same goals at once: neither takes the other’s number or commit', async () => {
    const project = create();
    setUpLoop(project, { goals: goal('one'), sessions: { one: [{ sleep: 0.5, write: { one: '1\n' } }] } });
    const beside = { ...project, root: join(project.root, '..', 'beside') };
    git(project, 'worktree', 'add', '-q', '-b', 'side', beside.root);
    const run = async (one: Project) => {
      const argv = [BINARY, 'auto', '--trust', readDigest(one)];
      const child = spawn(process.execPath, argv, { cwd: one.root, env: one.env, stdio: 'ignore' });
      return new Promise((resolve) => child.on('close', resolve));
    };
    expect(await Promise.all([run(project), run(beside)])).toEqual([0, 0]);
    const trailer = (branch: string) =>
      git(project, 'log', '-1', '--format=%(trailers:key=Dev-Cli-Attempt,valueonly)', branch);
    expect([trailer('main'), trailer('side')].sort()).toEqual(['one#1', 'one#2']);
  });

  it('Ctrl-C on a terminal lets git come to its end', async () => {
    const project = create();
    setUpLoop(project, { goals: goal('one'), sessions: { one: [{ write: { one: '1\n' } }] } });
    mkdirSync(join(project.root, '.git/hooks'), { recursive: true });
    const hooked = join(project.root, '..', 'hooked');
    const hook = join(project.root, '.git/hooks/pre-commit');
    writeFileSync(hook, `#!/bin/sh\n: > ${hooked}\nsleep 1\n`, { mode: 0o755 });
    const argv = [BINARY, 'auto', '--trust', readDigest(project)];
    const child = spawn(process.execPath, argv, {
      cwd: project.root,
      env: project.env,
      stdio: 'ignore',
      detached: true,
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    for (let left = 600; !existsSync(hooked) && left > 0; left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await ended).toBe(130);
    expect(subjectsOf(project)).toEqual(['feat(one): The one']);
    expect(goalsOf(project)).toContain('status: done');
  });
});

describe('a start that is refused (loop-core.md, auto)', () => {
  it.each(['.ai/handoffs', '.ai/events', '.ai'])('%s is a link out of the project', (path) => {
    const project = create();
    const outside = join(project.root, '..', 'outside');
    mkdirSync(outside);
    if (path !== '.ai') mkdirSync(join(project.root, '.ai'));
    symlinkSync(outside, join(project.root, path));
    setUpLoop(project, { goals: goal('one'), sessions: { one: [{}] } });
    const before = readdirSync(outside);
    expect(runLoop(project, 'auto').json.error).toMatchObject({ code: 'IO' });
    expect(readdirSync(outside)).toEqual(before);
  });

  it('.ai is a link within it, or trees cannot be made', () => {
    const project = create();
    setUpLoop(project, { goals: goal('one'), sessions: { one: [{}] } });
    const [from, to] = ['.ai', 'own'].map((name) => join(project.root, name)) as [string, string];
    renameSync(from, to);
    symlinkSync('own', from);
    expect(runLoop(project, 'auto', '--dirty').json.error).toMatchObject({
      code: 'IO',
      message: expect.stringContaining('link'),
    });
    rmSync(from);
    renameSync(to, from);
    project.env['XDG_STATE_HOME'] = join(project.root, 'README.md');
    expect(runLoop(project, 'auto').json.error).toMatchObject({
      code: 'IO',
      message: expect.stringContaining('README.md'),
    });
    expect(existsSync(join(from, 'auto.lock'))).toBe(false);
  });

  it('a prompt that no session could be given burns no attempt', () => {
    const project = create();
    setUpLoop(project, { goals: goal('one'), sessions: { one: [{ write: { one: '1\n' } }] } });
    write(project, '.ai/rules.md', `- ${'x'.repeat(200_000)}\n`);
    expect(runLoop(project, 'auto').json.error?.code).toBe('CONTEXT_TOO_LARGE');
    edit(project, '.ai/config.yaml', 'test_command', 'max_context_bytes: 1000000\ntest_command');
    expect(runLoop(project, 'auto').exit).toBe(0);
    expect(countSessions(project, 'one')).toBe(1);
    edit(project, '.ai/goals.yaml', 'done', 'active');
    edit(project, '.ai/config.yaml', '{prompt_file}', '{prompt}');
    const refused = runLoop(project, 'auto').json.error;
    expect([refused?.code, refused?.fix]).toEqual(['USAGE', expect.stringContaining('{prompt_file} or {stdin}')]);
    edit(project, '.ai/config.yaml', '{prompt}', '{prompt_file}');
    write(
      project,
      '.ai/config.yaml',
      `${readFileSync(join(project.root, '.ai/config.yaml'), 'utf8')}worktree_copy: [.git, ./.ai/x]\ntimeout_minutes: 1e12\n`,
    );
    expect(runLoop(project, 'auto').json.error?.details).toHaveLength(1);
    edit(project, '.ai/config.yaml', '1e12', '30');
    expect(runLoop(project, 'auto').json.error?.details).toHaveLength(2);
  });
});
