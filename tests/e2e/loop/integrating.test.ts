import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { call, git, runLoop, type Session, setUpLoop, subjectsOf, write } from '../../support/loop.js';
import type { Project } from '../../support/project.mjs';

const create = freshProjects();

const GOAL = '  - id: one\n    title: The one\n    status: active\n';

function begin(session: Session, files: Record<string, string> = {}, goals = GOAL): Project {
  const project = create();
  for (const [path, content] of Object.entries(files)) write(project, path, content);
  setUpLoop(project, { goals, sessions: { one: [session, { write: { 'later.txt': '2\n' } }] } });
  return project;
}

/** Returns a shell line for a session to run: it does in the user's own work tree what the user might do meanwhile. */
const atHome = (project: Project, line: string): string => `cd ${project.root} && ${line}`;

describe('the branch gets one commit, and the user works on (loop-core.md, auto)', () => {
  it('the user commits, stages, edits and leaves files meanwhile: each stays, byte for byte', () => {
    const project = create();
    const line = atHome(
      project,
      'echo mine > mine.txt && git add mine.txt && git commit -qm mine && echo s > staged && git add staged && echo u > left && echo i > kept.ignored',
    );
    write(project, '.gitignore', '*.ignored\n');
    setUpLoop(project, { goals: GOAL, sessions: { one: [{ write: { 'one.txt': '1\n' }, run: line }] } });
    const { exit } = runLoop(project, 'auto');
    expect(exit).toBe(0);
    expect(subjectsOf(project)).toEqual(['feat(one): The one', 'mine']);
    expect(git(project, 'status', '--porcelain', '--', '.', ':!.ai')).toBe('A  staged\n?? left');
    expect(readFileSync(join(project.root, 'kept.ignored'), 'utf8')).toBe('i\n');
    expect(readFileSync(join(project.root, 'one.txt'), 'utf8')).toBe('1\n');
  });

  it.each([
    ['an untracked file', 'echo theirs > one.txt', 'one.txt'],
    ['an edited file', 'echo edited > README.md', 'README.md'],
    ['an ignored file', 'echo theirs > one.ignored', 'one.ignored'],
  ])(
    '%s in the way: the verdict stands, nothing is overwritten, and the next batch moves the branch',
    (_what, line, path) => {
      const project = create();
      write(project, '.gitignore', '*.ignored\n');
      const session = { write: { [path]: 'ours\n' }, run: `git add -f ${path}; ${atHome(project, line)}` };
      setUpLoop(project, { goals: GOAL, sessions: { one: [session] } });
      const { exit, json } = runLoop(project, 'auto');
      expect(json.goals_processed).toMatchObject([
        { success: false, action_taken: 'escalate', classification: 'complete' },
      ]);
      expect(json.goals_processed[0]?.reason).toContain(path);
      expect(exit).toBe(1);
      expect(subjectsOf(project)).toEqual([]);
      expect(readFileSync(join(project.root, path), 'utf8')).toMatch(/theirs|edited/);
      expect(call(project, ['observe']).json['waiting']).toMatchObject([{ id: 'one#1' }]);
      git(project, 'checkout', '--', 'README.md');
      for (const one of ['one.txt', 'one.ignored']) git(project, 'clean', '-fdqx', '--', one);
      expect(runLoop(project, 'auto', '--recursive').json.goals_processed).toMatchObject([
        { success: true, action_taken: 'advance' },
      ]);
      expect(subjectsOf(project)).toEqual(['feat(one): The one']);
    },
  );

  it('a merge under way is left alone', () => {
    const project = create();
    const line = atHome(
      project,
      'git branch -q side && git commit -q --allow-empty -m main && git checkout -q side && git commit -q --allow-empty -m side && git checkout -q main && git merge -q --no-ff --no-commit side',
    );
    setUpLoop(project, { goals: GOAL, sessions: { one: [{ write: { 'one.txt': '1\n' }, run: line }] } });
    expect(runLoop(project, 'auto').json.goals_processed[0]).toMatchObject({
      action_taken: 'escalate',
      reason: expect.stringContaining('a merge is in progress'),
    });
    expect(existsSync(join(project.root, '.git/MERGE_HEAD'))).toBe(true);
  });

  it('a conflict with what came meanwhile is retried from the tip', () => {
    const project = create();
    const line = atHome(project, 'echo theirs > README.md && git commit -qam theirs');
    setUpLoop(project, {
      goals: GOAL,
      sessions: {
        one: [
          { write: { 'README.md': 'ours\n' }, run: line },
          { run: 'git show HEAD:README.md | grep -q theirs', write: { 'README.md': 'both\n' } },
        ],
      },
    });
    expect(runLoop(project, 'auto', '--explain').json.goals_processed).toMatchObject([{ success: true, attempts: 2 }]);
    expect(subjectsOf(project)).toEqual(['feat(one): The one', 'theirs']);
    expect(call(project, ['attempt', 'list']).json['attempts']).toMatchObject([
      { classification: 'merge-fail' },
      { classification: 'complete' },
    ]);
  });

  it('tests run again on a tip that has moved', () => {
    const project = create();
    const line = atHome(project, 'echo x > two.txt && git add two.txt && git commit -qm two');
    setUpLoop(project, {
      goals: `${GOAL}    max_retries: 1\n`,
      sessions: { one: [{ write: { 'one.txt': '1\n' }, run: line }] },
    });
    const config = readFileSync(join(project.root, '.ai/config.yaml'), 'utf8');
    write(project, '.ai/config.yaml', config.replace('test ! -e broken', 'test ! -e one.txt || test ! -e two.txt'));
    expect(runLoop(project, 'auto').json.goals_processed[0]).toMatchObject({
      classification: 'failed',
      reason: expect.stringContaining('on the new tip'),
    });
    expect(subjectsOf(project)).toEqual(['two']);
  });

  it('what a commit hook refuses fails in its words', () => {
    const project = begin({ write: { 'one.txt': '1\n' } }, {}, `${GOAL}    max_retries: 1\n`);
    mkdirSync(join(project.root, '.git/hooks'), { recursive: true });
    writeFileSync(join(project.root, '.git/hooks/pre-commit'), '#!/bin/sh\necho "no such style" >&2\nexit 1\n');
    chmodSync(join(project.root, '.git/hooks/pre-commit'), 0o755);
    expect(runLoop(project, 'auto').json.goals_processed[0]).toMatchObject({
      classification: 'failed',
      reason: expect.stringContaining('no such style'),
    });
  });

  it('--onto a branch that does not exist, and one that is in another work tree', () => {
    const project = begin(
      { write: { 'one.txt': '1\n' } },
      {},
      `${GOAL}  - id: two\n    title: The two\n    status: active\n  - id: three\n    title: x\n    status: active\n`,
    );
    expect(runLoop(project, 'auto', 'one', '--onto', 'night').exit).toBe(0);
    expect(subjectsOf(project)).toEqual([]);
    expect(subjectsOf(project, 'night')).toEqual(['feat(one): The one']);
    const beside = join(project.root, '..', 'beside');
    git(project, 'worktree', 'add', '-q', beside, 'night');
    git(project, 'commit', '-qam', 'statuses');
    setScript(project, { two: [{ write: { 'two.txt': '2\n' } }] });
    expect(runLoop(project, 'auto', 'two', '--onto', 'night').exit).toBe(0);
    expect(readFileSync(join(beside, 'two.txt'), 'utf8')).toBe('2\n');
    expect(runLoop(project, 'auto', 'three', '--onto=-x').json.error?.code).toBe('USAGE');
  });
});

function setScript(project: Project, sessions: Record<string, Session[]>): void {
  writeFileSync(project.env['LOOP_SCRIPT'] ?? '', JSON.stringify(sessions));
}
