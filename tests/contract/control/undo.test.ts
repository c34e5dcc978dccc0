import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireUnended } from '../../../src/protocol/undo/target.js';
import type { RunState } from '../../../src/run/state.js';
import {
  begin,
  committed,
  type Dispatch,
  document,
  engineOf,
  git,
  goOn,
  hand,
  making,
  planOf,
  RUN,
  worker,
} from '../../adversarial/binary/executing.js';
import { type Document, devCli, journalOf, nextOf, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findRealTerminal, findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// control.md, Undoing: `step undo` and its effects.

useProject({ sample: null });

const terminal = findTerminal();

/** Four todos, each of which depends on the previous one. The second may change the first one's file. */
const PLAN = planOf(
  making('todo-1'),
  making('todo-2', [['true']], { dependsOn: ['todo-1'], files: ['made/**'] }),
  making('todo-3', [['true']], { dependsOn: ['todo-2'] }),
  making('todo-4', [['true']], { dependsOn: ['todo-3'] }),
);

/** Does the only task that is handed out: writes these files. */
function work(dispatch: Dispatch, files: Record<string, string>): Dispatch {
  const [task] = dispatch.tasks;
  if (task === undefined) throw new Error('no task');
  for (const [path, text] of Object.entries(files)) writeProjectFile(project, path, text);
  hand(project, task, worker({ filesChanged: Object.keys(files) }));
  return nextOf(runPrinted(project, dispatch.ack ?? '').json) as Dispatch;
}

/** Commits todo-1 and todo-2, so that todo-3 is handed out. `second`: the files that todo-2 writes. */
function twoDone(second: Record<string, string> = { 'made/todo-2.txt': 'two\n' }): Dispatch {
  const first = begin(project, PLAN);
  return work(work(first, { 'made/todo-1.txt': 'one\n' }), second);
}

function undo(...words: string[]): { code: number; json: Document } {
  return devCli(project, ['step', 'undo', RUN, '--todo', ...words]);
}

function undoTyped(words: string, answer = 'yes'): { exit: number; output: string } {
  const command = `dev-cli step undo ${RUN} --todo ${words}`;
  const told = terminal?.(command, { cwd: project.root, env: project.env, answers: [answer] });
  return told ?? { exit: -1, output: '' };
}

/** Opens a terminal at which the question stays open until it is answered with yes. */
function openTerminal(words: string) {
  const command = `dev-cli step undo ${RUN} --todo ${words}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: project.root, env: project.env });
  let output = '';
  const asked = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Type yes')) resolve();
    });
  });
  const ended = new Promise<{ exit: number | null; output: string }>((resolve) => {
    child.once('close', (exit) => resolve({ exit, output }));
  });
  return { asked: Promise.race([asked, ended]), answer: () => child.stdin.write('yes\r'), ended };
}

/** Runs `step undo` as a person who says yes only after `meanwhile` has happened. */
async function undoAnswered(todo: string, meanwhile: () => void): Promise<{ exit: number | null; output: string }> {
  const { asked, answer, ended } = openTerminal(todo);
  await asked;
  meanwhile();
  answer();
  return ended;
}

/** Describes the contents of work tree, index and HEAD. */
const stand = (): string =>
  [
    ['rev-parse', 'HEAD'],
    ['ls-files', '--stage'],
    ['status', '--porcelain', '--', ':(exclude).dev'],
  ]
    .map((words) => git(project, ...words))
    .join('\n');
const has = (path: string): boolean => existsSync(join(project.root, path));
const boxes = (): string[] => document(project, 'PLAN.md').match(/^### \[[ x]\] todo-\d/gm) ?? [];
const statusOf = (todo: string): unknown => engineOf(project).todos[todo]?.status;

describe('--dry-run', () => {
  it('tells an agent what it would come to, and changes nothing', () => {
    twoDone();
    const before = stand();
    const entries = journalOf(project, RUN).length;
    const { code, json } = undo('todo-1', '--dry-run');
    expect([code, json.status, json['undo']]).toEqual([
      0,
      'judged',
      {
        todos: ['todo-1'],
        commits: [{ todo: 'todo-1', commit: expect.any(String), subject: expect.any(String), pushed: false }],
        paths: ['made/todo-1.txt'],
        reopened: ['todo-1', 'todo-2', 'todo-3'],
      },
    ]);
    expect(undo('todo-1', '--dry-run', '--with-dependents').json['undo']).toMatchObject({
      commits: [{ todo: 'todo-2' }, { todo: 'todo-1' }],
      paths: ['made/todo-1.txt', 'made/todo-2.txt'],
    });
    expect(stand()).toBe(before);
    expect(journalOf(project, RUN)).toHaveLength(entries);
  });

  it('tells a commit that is pushed', () => {
    twoDone();
    const remote = join(project.home, 'remote.git');
    execFileSync('git', ['init', '--quiet', '--bare', remote], { env: project.env });
    git(project, 'push', '--quiet', remote, 'HEAD:refs/heads/main');
    git(project, 'remote', 'add', 'origin', remote);
    git(project, 'fetch', '--quiet', 'origin');
    expect(undo('todo-1', '--dry-run').json['undo']).toMatchObject({ commits: [{ pushed: true }] });
  });
});

describe('what cannot be taken back is named, and nothing changes', () => {
  /** Returns a refusal, after checking that work tree, index, HEAD and run are unchanged. */
  function refusal(...words: string[]) {
    const before = [stand(), stateOf(project, RUN)];
    const { code, json } = undo(...words, '--dry-run');
    expect([stand(), stateOf(project, RUN)]).toEqual(before);
    return { code, error: json.error, details: json.error?.details };
  }

  it('an agent is refused, with what a person runs', () => {
    twoDone();
    const before = stand();
    const { code, json } = undo('todo-2', '--with-dependents');
    expect([code, json.error]).toMatchObject([
      3,
      { code: 'TERMINAL_REQUIRED', answer: `dev-cli step undo ${RUN} --todo todo-2 --with-dependents` },
    ]);
    expect(stand()).toBe(before);
  });

  it('later commits that changed the same lines, by path and commit', () => {
    twoDone({ 'made/todo-1.txt': 'one, and more\n' });
    const { code, error, details } = refusal('todo-1');
    expect([code, error?.code]).toEqual([4, 'UNDO_CONFLICT']);
    const [second = ''] = git(project, 'log', '--format=%h %s', '-1').split('\n');
    expect(details).toEqual([{ target: 'made/todo-1.txt', problem: `changed since by ${second}` }]);
    expect(error?.fix).toContain('--with-dependents');
  });

  it('commits of todos that do not depend on it, with the command that takes them back, too', () => {
    const apart = planOf(
      making('todo-1'),
      making('todo-2', [['true']], { files: ['made/**'] }),
      making('todo-3', [['true']], { files: ['made/**'] }),
      making('todo-4', [['true']], { dependsOn: ['todo-1', 'todo-2', 'todo-3'] }),
    );
    const first = begin(project, apart);
    const second = work(first, { 'made/todo-1.txt': 'one\n' });
    const third = work(second, { 'made/todo-1.txt': 'two\n', 'made/todo-2.txt': 'two\n' });
    work(third, { 'made/todo-2.txt': 'three\n' });
    const told = refusal('todo-1', '--note', 'Not so');
    expect(told.error).toMatchObject({
      code: 'UNDO_CONFLICT',
      fix: expect.stringContaining(`dev-cli step undo ${RUN} --todo todo-1,todo-2,todo-3 --dry-run`),
      answer: `dev-cli step undo ${RUN} --todo todo-1,todo-2,todo-3 --note 'Not so'`,
    });
    expect(told.error?.fix).not.toContain('--with-dependents');
    expect(undo('todo-1,todo-2,todo-3', '--dry-run').code).toBe(0);
  });

  it('commits that no todo made, and then no command that cannot work', () => {
    twoDone();
    writeProjectFile(project, 'made/todo-1.txt', 'mine\n');
    git(project, 'commit', '--quiet', '--all', '--message', 'by hand');
    const { error } = refusal('todo-1', '--with-dependents');
    expect(error?.code).toBe('UNDO_CONFLICT');
    expect(error).not.toHaveProperty('answer');
    expect(error?.fix).toContain('use git to revert');
    expect(error?.fix).toContain(`dev-cli step invalidate ${RUN} --step todo-1`);
    expect(error?.fix).not.toContain('step undo');
  });

  it.each(['changed', 'staged', 'in the place of a file'])('work that is not committed (%s), by path', (how) => {
    twoDone();
    if (how === 'in the place of a file') {
      git(project, 'rm', '--quiet', 'made/todo-1.txt');
      git(project, 'commit', '--quiet', '--message', 'away');
      rmSync(join(project.root, 'made'), { recursive: true, force: true });
      git(project, 'checkout', '--', 'made/todo-2.txt');
      git(project, 'revert', '--no-edit', 'HEAD');
      rmSync(join(project.root, 'made/todo-1.txt'));
      writeProjectFile(project, 'made/todo-1.txt/mine', 'mine');
    } else writeProjectFile(project, 'made/todo-1.txt', 'mine\n');
    if (how === 'staged') git(project, 'add', 'made/todo-1.txt');
    const { code, error, details } = refusal('todo-1');
    expect([code, error?.code]).toEqual([4, 'UNDO_CONFLICT']);
    expect(details).toEqual([{ target: 'made/todo-1.txt', problem: 'has uncommitted changes' }]);
  });

  it('a commit that somebody joined with another', () => {
    twoDone();
    const message = git(project, 'log', '--format=%B', '-2');
    git(project, 'reset', '--quiet', '--soft', 'HEAD~2');
    git(project, 'commit', '--quiet', '--message', message);
    const { error } = refusal('todo-1');
    expect(error).toMatchObject({ code: 'UNDO_CONFLICT', fix: 'Name them all: --todo todo-1,todo-2' });
    expect(undo('todo-1,todo-2', '--dry-run').code).toBe(0);
  });

  it('a todo without a commit, one of no such id, and one whose commit is elsewhere or gone', () => {
    const third = twoDone();
    expect(refusal('todo-3').error).toMatchObject({ code: 'UNDO_IMPOSSIBLE', message: /has no commit/ });
    expect(refusal('todo-9').error).toMatchObject({
      code: 'UNKNOWN_BLOCK',
      fix: 'Its todos: todo-1, todo-2, todo-3, todo-4.',
    });
    expect(third.tasks).toHaveLength(1);
    git(project, 'checkout', '--quiet', '-b', 'elsewhere', 'HEAD~1');
    expect(refusal('todo-2').error?.message).toMatch(/not on this HEAD but on (main|master)/);
    git(
      project,
      'branch',
      '--quiet',
      '-D',
      git(project, 'branch', '--format=%(refname:short)').match(/^ma.+$/m)?.[0] ?? '',
    );
    git(project, 'reflog', 'expire', '--expire=now', '--all');
    git(project, 'gc', '--quiet', '--prune=now');
    expect(refusal('todo-2').error?.message).toContain('no longer exists');
  });

  it('what git is told not to look at, and a submodule, by path', () => {
    const inner = join(project.home, 'inner');
    git(project, 'init', '--quiet', inner);
    writeFileSync(join(inner, 'one'), '1');
    for (const words of [
      ['add', '.'],
      ['commit', '-qm', '1'],
      ['commit', '-qm', '2', '--allow-empty'],
    ])
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@localhost', ...words], {
        cwd: inner,
        env: project.env,
      });
    git(project, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', inner, 'made/todo-2-lib');
    git(project, 'commit', '--quiet', '--message', 'with a submodule');
    const second = work(begin(project, PLAN), { 'made/todo-1.txt': 'one\n' });
    git(project, '-C', 'made/todo-2-lib', 'checkout', '--quiet', 'HEAD~1');
    hand(project, second.tasks[0] as never, worker({ filesChanged: ['made/todo-2-lib'] }));
    runPrinted(project, second.ack ?? '');
    expect(refusal('todo-2')).toMatchObject({
      error: { code: 'UNDO_CONFLICT' },
      details: [{ target: 'made/todo-2-lib', problem: expect.stringContaining('a submodule') }],
    });
    for (const mark of ['assume-unchanged', 'skip-worktree']) {
      git(project, 'update-index', `--${mark}`, 'made/todo-1.txt');
      writeProjectFile(project, 'made/todo-1.txt', 'mine\n');
      expect(refusal('todo-1').details).toEqual([
        { target: 'made/todo-1.txt', problem: expect.stringContaining('git ignores changes of it') },
      ]);
      git(project, 'update-index', `--no-${mark}`, 'made/todo-1.txt');
    }
  });

  it('a commit before which a shallow clone knows nothing, and a branch without a commit', () => {
    twoDone();
    writeFileSync(join(project.root, '.git/shallow'), git(project, 'rev-parse', 'HEAD'));
    git(project, 'reflog', 'expire', '--expire=now', '--all');
    git(project, 'gc', '--quiet', '--prune=now');
    expect(refusal('todo-2').error).toMatchObject({
      code: 'UNDO_IMPOSSIBLE',
      message: expect.stringContaining('shallow clone'),
    });
    git(project, 'checkout', '--quiet', '--orphan', 'empty');
    expect(undo('todo-2', '--dry-run').json.error).toMatchObject({
      code: 'UNDO_IMPOSSIBLE',
      message: expect.stringContaining('without a commit'),
    });
  });

  it('a merge at work, and a detached HEAD', () => {
    twoDone();
    writeFileSync(join(project.root, '.git/MERGE_HEAD'), git(project, 'rev-parse', 'HEAD'));
    expect(refusal('todo-1').error?.message).toContain('a merge is in progress');
    rmSync(join(project.root, '.git/MERGE_HEAD'));
    git(project, 'checkout', '--quiet', '--detach');
    expect(refusal('todo-1').error?.message).toContain('HEAD is detached');
  });

  it('while others are at work on the sources, and a run that has ended', () => {
    const other = planOf(making('todo-1'), making('todo-2'), making('todo-3', [['true']], { dependsOn: ['todo-1'] }));
    const first = begin(project, other);
    const [one] = first.tasks;
    writeProjectFile(project, 'made/todo-1.txt', 'one\n');
    hand(project, one as never, worker({ filesChanged: ['made/todo-1.txt'] }));
    runPrinted(project, first.ack ?? '');
    const { error, details } = refusal('todo-1');
    expect(error).toMatchObject({
      code: 'RUN_BUSY',
      fix: expect.stringContaining(`hold the run: dev-cli hold ${RUN}`),
    });
    expect(error?.fix).toContain('then repeat the command.');
    expect(details).toEqual([{ target: 'todo-2', problem: 'worker is in progress' }]);
    devCli(project, ['abort', RUN, '--reason', 'enough']);
    expect(refusal('todo-1').error?.code).toBe('RUN_ENDED');
  });

  it('a run without a repository, and one that carries out no plan', () => {
    rmSync(join(project.root, '.git'), { recursive: true });
    begin(project, PLAN);
    expect(undo('todo-1', '--dry-run').json.error).toMatchObject({
      code: 'UNDO_IMPOSSIBLE',
      message: expect.stringContaining('no repository'),
    });
    devCli(project, ['init', 'plain', '--recipe', 'specify-quick-autopilot', '--goal', 'x', '--new']);
    const { json } = devCli(project, ['step', 'undo', 'plain', '--todo', 'todo-1', '--dry-run']);
    expect(json.error?.code).toBe('NOT_REACHED');
    devCli(project, ['abort', 'plain', '--reason', 'enough']);
    expect(devCli(project, ['step', 'undo', 'plain', '--todo', 'todo-1']).json.error).toMatchObject({
      code: 'RUN_ENDED',
      fix: 'Nothing changed. The run carried out no plan.',
    });
  });

  it.each([
    ['of a person', null, /by their Dev-Cli-Task trailers, and untick/],
    ['of a goal, by its own id alone', { id: 'a.b' }, /git log --grep '\^Dev-Cli-Goal: a\\.b\$'/],
  ])('an ended run %s', (_, origin, fix) => {
    const ended = { name: 'a', status: 'completed', origin, engine: {} } as unknown as RunState;
    expect(() => requireUnended(ended)).toThrowError(expect.objectContaining({ fix: expect.stringMatching(fix) }));
  });
});

describe.skipIf(terminal === null)('the commit', () => {
  it('says why, where a note says it', () => {
    twoDone();
    expect(undoTyped("todo-2 --note 'Use the parser\nthat is there'").exit).toBe(0);
    expect(git(project, 'log', '--format=%B', '-1')).toMatch(
      /^Revert ".+"\n\nWhy: Use the parser that is there\n\nThis reverts/,
    );
  });
});

describe.skipIf(terminal === null)(`a person${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
  it('takes a todo back in a commit of its own; it and what depends on it are done again', () => {
    twoDone();
    writeProjectFile(project, 'mine.txt', 'mine');
    git(project, 'add', 'mine.txt');
    const { exit, output } = undoTyped('todo-1 --note "In another way"');
    expect(exit, output).toBe(0);
    expect(git(project, 'log', '-1', '--format=%s%n%(trailers:key=Dev-Cli-Undo,valueonly)')).toMatch(
      new RegExp(`^Revert ".+"\n${stateOf(project, RUN).runId}/todo-1\n`),
    );
    expect(git(project, 'show', '--name-status', '--format=', 'HEAD').trim()).toBe('D\tmade/todo-1.txt');
    expect([has('made/todo-1.txt'), has('made/todo-2.txt')]).toEqual([false, true]);
    expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev').trim()).toBe('A  mine.txt');
    expect(boxes()).toEqual(['### [ ] todo-1', '### [x] todo-2', '### [ ] todo-3', '### [ ] todo-4']);
    expect(engineOf(project).todos['todo-1']).not.toHaveProperty('commit');
    expect([statusOf('todo-2'), statusOf('todo-3')]).toEqual(['stale', 'stale']);
    const again = devCli(project, ['next', RUN]).json as unknown as Dispatch;
    expect(again.tasks).toMatchObject([{ todoId: 'todo-1', attempt: 2 }]);
    expect(again).not.toHaveProperty('warnings');
    expect(devCli(project, ['history', RUN]).stdout).toContain('undone todo-1 by commit');
    const end = goOn(project, again);
    expect(end).toMatchObject({ done: true, outcome: 'completed' });
    expect(committed(project).filter((todo) => todo === 'todo-1')).toHaveLength(2);
    expect(document(project, 'report.md')).toMatch(/undone: todo-1: reverted by [0-9a-f]{7}/);
    expect(devCli(project, ['replay', RUN, '--check']).json.ok).toBe(true);
  });

  it('has their note told as a person’s, as one to be followed, beside what was taken back', () => {
    twoDone();
    expect(undoTyped('todo-1 --note "In another way"').exit).toBe(0);
    const [taken] = git(project, 'log', '--format=%H', '--grep=Dev-Cli-Task: .*/todo-1$').split('\n');
    const again = devCli(project, ['next', RUN]).json as unknown as Dispatch;
    const prompt = readFileSync(join(project.root, again.tasks[0]?.promptFile ?? ''), 'utf8');
    expect(prompt).toMatch(/the ruling of \S+Z, by a person \(it holds\):\n```text\nIn another way\n```/);
    expect(prompt).toContain(`- taken back by a person: \`git show ${taken}\``);
    expect(prompt).not.toContain('Its work is still in the tree');
    goOn(project, again);
    expect(engineOf(project).todos['todo-1']).not.toHaveProperty('undone');
    expect(document(project, 'report.md')).toMatch(/^- ruling on todo-1: In another way \(user, \S+Z\)$/m);
  });

  it('is asked, and no other word than yes counts', () => {
    twoDone();
    const before = [stand(), stateOf(project, RUN)];
    const { exit, output } = undoTyped('todo-1', 'no');
    expect(exit).toBe(2);
    expect(output).toMatch(/changes 1 file: made\/todo-1\.txt[\s\S]+UNKNOWN_CHOICE/);
    expect([stand(), stateOf(project, RUN)]).toEqual(before);
  });

  it.skipIf(findRealTerminal() === null).each([
    ['uncommitted work', 'UNDO_CONFLICT', () => writeProjectFile(project, 'made/todo-1.txt', 'mine\n')],
    [
      'a commit that takes it back',
      'INPUT_CHANGED',
      () => {
        git(project, 'rm', '--quiet', 'made/todo-1.txt');
        git(project, 'commit', '--quiet', '--message', 'mine');
      },
    ],
  ])('is refused with %s that came while the person was asked: %s', async (_, code, change) => {
    twoDone();
    const run = stateOf(project, RUN);
    let changed = '';
    const { exit, output } = await undoAnswered('todo-1', () => {
      change();
      changed = stand();
    });
    expect([exit, output]).toEqual([expect.any(Number), expect.stringContaining(code)]);
    expect(exit).not.toBe(0);
    expect([stand(), stateOf(project, RUN)]).toEqual([changed, run]);
    expect(has('made/todo-1.txt')).toBe(code === 'UNDO_CONFLICT');
  });

  it('takes back what was built on it as well, in one commit, newest first', () => {
    twoDone({ 'made/todo-1.txt': 'one, and more\n' });
    expect(undoTyped('todo-1').output).toContain('UNDO_CONFLICT');
    expect(undoTyped('todo-1 --with-dependents').exit).toBe(0);
    expect(has('made/todo-1.txt')).toBe(false);
    expect(
      git(project, 'log', '-1', '--format=%(trailers:key=Dev-Cli-Undo,valueonly)').trim().split('\n'),
    ).toHaveLength(2);
    expect(boxes().filter((box) => box.includes('[x]'))).toEqual([]);
  });

  it('puts a directory back in the place of a file, and a file in that of a directory', () => {
    writeProjectFile(project, 'made/todo-1/a', 'a\n');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'a directory');
    const first = begin(project, PLAN);
    rmSync(join(project.root, 'made/todo-1'), { recursive: true });
    writeProjectFile(project, 'made/todo-1', 'a file\n');
    hand(project, first.tasks[0] as never, worker({ filesChanged: ['made/todo-1', 'made/todo-1/a'] }));
    const second = nextOf(runPrinted(project, first.ack ?? '').json) as Dispatch;
    expect(committed(project)).toEqual(['todo-1']);
    work(second, { 'made/todo-2.txt': 'two\n' });
    git(project, 'rm', '--quiet', 'made/todo-1');
    writeProjectFile(project, 'made/todo-1/a', 'otherwise\n');
    writeProjectFile(project, 'made/todo-1/b', 'b\n');
    git(project, 'add', 'made');
    git(project, 'commit', '--quiet', '--amend', '--no-edit');
    writeProjectFile(project, 'made/todo-1/mine', 'mine\n');
    expect(undo('todo-2', '--dry-run').json.error?.details).toEqual([
      { target: 'made/todo-1/mine', problem: 'has uncommitted changes' },
    ]);
    rmSync(join(project.root, 'made/todo-1/mine'));
    const two = undoTyped('todo-2');
    expect([two.exit, readFileSync(join(project.root, 'made/todo-1'), 'utf8')], two.output).toEqual([0, 'a file\n']);
    const one = undoTyped('todo-1');
    expect([one.exit, readFileSync(join(project.root, 'made/todo-1/a'), 'utf8')], one.output).toEqual([0, 'a\n']);
    expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev')).toBe('');
  });

  it('finds a commit that was amended, and takes a todo back again that was done again', () => {
    twoDone();
    git(project, 'commit', '--quiet', '--amend', '--only', '--no-edit', '--date', '2001-01-01T00:00:00Z');
    expect(undoTyped('todo-2').exit).toBe(0);
    const again = devCli(project, ['next', RUN]).json as unknown as Dispatch;
    work(again, { 'made/todo-2.txt': 'otherwise\n' });
    expect(undo('todo-2', '--dry-run').json['undo']).toMatchObject({ commits: [{ todo: 'todo-2' }] });
    expect(undoTyped('todo-2').exit).toBe(0);
    expect(has('made/todo-2.txt')).toBe(false);
  });

  it('a second time is a duplicate; where the commit was made and not recorded, it is recorded', () => {
    twoDone();
    const before = engineOf(project).todos['todo-2']?.commit;
    const runId = stateOf(project, RUN).runId;
    // Leaves what an interrupted undo leaves: the reverting commit exists, but no journal entry records it.
    git(project, 'revert', '--no-edit', before ?? '');
    git(project, 'commit', '--quiet', '--amend', '--only', '--message', `Revert\n\nDev-Cli-Undo: ${runId}/todo-2`);
    const head = git(project, 'rev-parse', 'HEAD').trim();
    expect(undoTyped('todo-2').exit).toBe(0);
    expect(git(project, 'rev-parse', 'HEAD').trim()).toBe(head);
    expect(journalOf(project, RUN).find(({ type }) => type === 'undone')?.['data']).toMatchObject({ commit: head });
    const entries = journalOf(project, RUN).length;
    expect(undoTyped('todo-2').exit).toBe(0);
    expect(journalOf(project, RUN)).toHaveLength(entries);
  });

  it('a second time says that it is one', () => {
    twoDone();
    expect(undoTyped('todo-2').output).toContain('Recorded.');
    const entries = journalOf(project, RUN).length;
    const again = undoTyped('todo-2');
    expect([again.exit, journalOf(project, RUN).length], again.output).toEqual([0, entries]);
    expect(again.output).toContain('It was undone before; nothing changed.');
    expect(again.output).not.toMatch(/Recorded|Type yes/);
  });

  it.skipIf(findRealTerminal() === null)('six at once: one undoes, the others are duplicates of it', async () => {
    twoDone();
    const asking = Array.from({ length: 6 }, () => openTerminal('todo-1 --json'));
    await Promise.all(asking.map(({ asked }) => asked));
    for (const { answer } of asking) answer();
    const ended = await Promise.all(asking.map(({ ended }) => ended));
    expect(
      ended.map(({ exit }) => exit),
      ended.map(({ output }) => output).join('\n'),
    ).toEqual([0, 0, 0, 0, 0, 0]);
    expect(ended.filter(({ output }) => output.includes('"duplicate": true'))).toHaveLength(5);
    expect(git(project, 'log', '--format=%s', '-2')).toMatch(/^Revert .*\n(?!Revert)/);
    expect(journalOf(project, RUN).filter(({ type }) => type === 'undone')).toHaveLength(1);
    expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev')).toBe('');
    expect(readdirSync(join(project.root, '.git')).filter((name) => name.startsWith('dev-cli'))).toEqual([]);
    expect(devCli(project, ['next', RUN]).json).toMatchObject({ tasks: [{ todoId: 'todo-1', attempt: 2 }] });
  });

  it('nobody commits between its files and its commit, so that none of them stays behind', () => {
    twoDone();
    // Git runs this hook when the reverted files are in place but not committed. It tries to make a commit then, as
    // somebody else might.
    const told = join(project.home, 'told');
    const lines = [`[ ! -e "${told}" ] || exit 0`, `git commit --allow-empty --message beside >"${told}" 2>&1`];
    const hook = join(project.root, '.git/hooks/post-index-change');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
    const { exit, output } = undoTyped('todo-1');
    expect(exit, output).toBe(0);
    expect(readFileSync(told, 'utf8')).toMatch(/cannot lock ref|Unable to create/);
    expect(git(project, 'log', '--format=%s', '-1')).toMatch(/^Revert /);
    expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev')).toBe('');
  });

  it('goes on where it was cut off after the files and before HEAD', () => {
    twoDone();
    git(project, 'rm', '--quiet', 'made/todo-1.txt');
    expect(undoTyped('todo-1').exit).toBe(0);
    expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev')).toBe('');
    expect(statusOf('todo-1')).toBe('worker');
  });

  it('makes no commit where somebody has reverted it, and reopens the todo', () => {
    twoDone();
    git(project, 'revert', '--no-edit', engineOf(project).todos['todo-2']?.commit ?? '');
    const head = git(project, 'rev-parse', 'HEAD');
    expect(undoTyped('todo-2').output).toContain('HEAD no longer contains any of it');
    expect(git(project, 'rev-parse', 'HEAD')).toBe(head);
    expect(devCli(project, ['next', RUN]).json).toMatchObject({ tasks: [{ todoId: 'todo-2', attempt: 2 }] });
  });

  it('on a held run keeps what is done again until the release', () => {
    twoDone();
    devCli(project, ['hold', RUN]);
    expect(undoTyped('todo-2').exit).toBe(0);
    expect(devCli(project, ['next', RUN]).json).toMatchObject({ action: 'held' });
    expect(nextOf(devCli(project, ['release', RUN]).json)).toMatchObject({ tasks: [{ todoId: 'todo-2', attempt: 2 }] });
  });

  it('reopens a run that has halted', () => {
    const third = twoDone();
    const fail = (id: string | undefined) => {
      const words = ['step', 'fail', RUN, '--action', id ?? '', '--reason', 'no way'];
      return nextOf(devCli(project, words).json) as Dispatch;
    };
    const retried = fail(third.tasks[0]?.actionId);
    expect(fail(retried.tasks[0]?.actionId)).toMatchObject({ done: true, outcome: 'halted' });
    expect(undoTyped('todo-2').exit).toBe(0);
    expect(devCli(project, ['next', RUN]).json).toMatchObject({ tasks: [{ todoId: 'todo-2' }] });
  });
});
