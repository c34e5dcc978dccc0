import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  begin,
  type Dispatch,
  doAll,
  document,
  git,
  goOn,
  hand,
  lastCommit,
  making,
  planOf,
  status,
  taskOf,
  worker,
} from '../../adversarial/binary/executing.js';
import { type Document, nextOf, runPrinted, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// engine.md, Commits: if no guard keeps a worker from using git, its use is reported.

useProject({ sample: null });

const ONE = planOf(making('todo-1'));
const TWO = planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));

/** Plays a todo's worker: writes its file, calls git and hands in the result. */
function work(dispatch: Dispatch, todo: string, ...calls: string[][]): Document {
  writeProjectFile(project, `made/${todo}.txt`, '1\n');
  for (const call of calls) git(project, ...call);
  hand(project, taskOf(dispatch, todo), worker({ filesChanged: [`made/${todo}.txt`] }));
  const { code, stdout, json } = runPrinted(project, dispatch.ack ?? '');
  expect(code, stdout).toBe(0);
  return json;
}

/** Returns the answer's warnings about the worker's use of git, after checking that the report has them too. */
function named(answer: Document): string[] {
  const lines = (answer.warnings ?? []).filter((line) => /^while \S+ was in progress, /.test(line));
  for (const line of lines) expect(document(project, 'report.md')).toContain(line);
  return lines;
}

describe('what a worker does with git', () => {
  it('a commit of its own is named', () => {
    const answer = work(begin(project, ONE), 'todo-1', ['add', 'made'], ['commit', '--quiet', '--message', 'By hand']);
    const sha = git(project, 'rev-parse', 'HEAD').slice(0, 7);
    expect(named(answer)).toEqual([
      `while todo-1 was in progress, commits were made that are not dev-cli's: ${sha} "By hand"`,
    ]);
    expect(JSON.stringify(nextOf(answer))).toContain('By hand');
  });

  it('a commit that swept in what was changed before the run is named with that', () => {
    writeProjectFile(project, 'notes.txt', 'mine');
    const answer = work(begin(project, ONE), 'todo-1', ['add', '--all'], ['commit', '--quiet', '--message', 'All']);
    expect(named(answer)).toEqual([expect.stringMatching(/"All", with what was changed before the run: notes\.txt$/)]);
  });

  it('an amended commit of the user is named', () => {
    const answer = work(begin(project, ONE), 'todo-1', ['commit', '--quiet', '--amend', '--message', 'Amended']);
    expect(answer.warnings).toContainEqual(expect.stringMatching(/were made that are not dev-cli's: \S+ "Amended"$/));
  });

  it.each([
    [
      'amended',
      ['commit', '--quiet', '--amend', '--no-edit', '--only', '--allow-empty', '--date', '2020-01-01T00:00:00'],
    ],
    ['taken back', ['reset', '--quiet', '--soft', 'HEAD~1']],
  ])('the run’s last commit, %s, is named', (_, call) => {
    const second = nextOf(work(begin(project, TWO), 'todo-1')) as Dispatch;
    const answer = work(second, 'todo-2', call);
    expect(answer.warnings).toContainEqual(
      expect.stringMatching(/^while todo-2 was in progress, HEAD was moved from \w{7} to \w{7}$/),
    );
  });

  it('another branch is named', () => {
    const answer = work(begin(project, ONE), 'todo-1', ['switch', '--quiet', '--create', 'topic']);
    expect(named(answer)).toEqual([
      expect.stringMatching(/^while todo-1 was in progress, HEAD was switched from branch \w+ to branch topic$/),
    ]);
  });

  it.each([
    ['to the upstream', ['push', '--quiet']],
    ['that makes one', ['push', '--quiet', '--set-upstream', 'origin', 'HEAD:topic']],
  ])('a push %s is named, and nothing is while nobody pushes', (_, push) => {
    git(project, 'init', '--quiet', '--bare', join(project.home, 'origin.git'));
    git(project, 'remote', 'add', 'origin', join(project.home, 'origin.git'));
    if (push.length === 2) git(project, 'push', '--quiet', '--set-upstream', 'origin', 'HEAD');
    const first = work(begin(project, TWO), 'todo-1');
    expect(named(first)).toEqual([]);
    expect(named(work(nextOf(first) as Dispatch, 'todo-2', push))).toEqual([
      expect.stringMatching(/^while todo-2 was in progress, commits of branch \w+ were pushed$/),
    ]);
  });

  it('what it staged and is not of its todo is named and in no commit', () => {
    writeProjectFile(project, 'notes.txt', 'mine');
    writeProjectFile(project, 'staged.txt', 'mine');
    git(project, 'add', 'staged.txt');
    const answer = work(begin(project, ONE), 'todo-1', ['add', '--all']);
    expect(named(answer)).toEqual([
      'while todo-1 was in progress, files were staged that belong to no todo: notes.txt',
    ]);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
    expect(status(project)).toBe('A  notes.txt\0A  staged.txt\0');
  });

  it('a commit of its own hides nothing from a must-not', () => {
    const rule = { text: 'Leave the lock file alone', paths: ['lock.json'] };
    const plan = planOf(making('todo-1', [['true']], { mustNotDo: [rule], files: [] }));
    const first = begin(project, plan, { retries: 0 });
    writeProjectFile(project, 'lock.json', '{}');
    const answer = work(first, 'todo-1', ['add', '--all'], ['commit', '--quiet', '--message', 'All']);
    expect(goOn(project, nextOf(answer))).toMatchObject({ done: true, outcome: 'halted' });
    expect(document(project, 'report.md')).toContain('Leave the lock file alone: changed');
  });

  it('nothing is named of dev-cli’s own commits, also after a retry, and of what its todos have staged', () => {
    const judged = making('todo-2', [['test', '!', '-e', 'red']], { dependsOn: ['todo-1'] });
    writeProjectFile(project, 'red', '');
    const second = nextOf(
      work(begin(project, planOf(making('todo-1'), judged)), 'todo-1', ['add', 'made']),
    ) as Dispatch;
    const third = nextOf(doAll(project, second).json) as Dispatch;
    expect(third.tasks).toMatchObject([{ todoId: 'todo-2', attempt: 2 }]);
    rmSync(join(project.root, 'red'));
    expect(named(work(third, 'todo-2', ['add', 'made']))).toEqual([]);
    expect(document(project, 'report.md')).not.toContain('at work');
  });
});
