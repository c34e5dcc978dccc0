import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli, journalOf, nextOf, runPrinted, writeProjectFile } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { findTerminal } from '../../support/terminal.mjs';
import {
  begin,
  committed,
  doAll,
  document,
  engineOf,
  git,
  goOn,
  hand,
  lastCommit,
  making,
  planOf,
  RUN,
  status,
  taskOf,
  worker,
} from './executing.js';

let project: Project;
beforeEach(() => {
  project = createProject({ sample: null });
});
afterEach(() => project.remove());

const COMPLETED = { done: true, outcome: 'completed' };
const ONE = planOf(making('todo-1'));
/** Returns the result of a worker that made its todo's file and lists more files. */
const listing = (todo: string, ...more: string[]): object => worker({ filesChanged: [`made/${todo}.txt`, ...more] });
const TWO = planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));

function hook(name: string, text: string): void {
  const path = writeProjectFile(project, `.git/hooks/${name}`, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

/** Creates a repository inside the project, with or without a commit of its own. */
function nested(path: string, { commit }: { commit: boolean }): void {
  const directory = join(project.root, path);
  mkdirSync(directory, { recursive: true });
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
      cwd: directory,
      env: project.env,
    });
  run('init', '--quiet');
  if (commit) run('commit', '--quiet', '--allow-empty', '--message', 'inside');
}

/** Returns the outcome of each commit, from the journal. */
const outcomes = (): unknown[] =>
  journalOf(project, RUN).flatMap(({ type, data }) =>
    type === 'committed' ? [(data as { outcome: string }).outcome] : [],
  );

describe('hooks', () => {
  it('one that changes what is committed: one commit, and nothing of before is left staged', () => {
    const first = begin(project, TWO);
    hook('pre-commit', 'for file in made/*; do echo formatted >>"$file"; git add "$file"; done');
    expect(goOn(project, first)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-2', 'todo-1']);
    expect(git(project, 'diff', '--cached', '--name-only')).toBe('');
    expect(git(project, 'show', 'HEAD~1:made/todo-1.txt')).toBe('1\nformatted\n');
  });

  it.each([
    ['writes below our line', 'printf "\\n[JIRA-1]\\n" >>"$1"'],
    ['takes our line away', 'echo short >"$1"'],
  ])('one that %s makes no second commit', (_what, text) => {
    const first = begin(project, ONE);
    hook('commit-msg', text);
    expect(goOn(project, first)).toMatchObject(COMPLETED);
    expect(git(project, 'rev-list', '--count', 'HEAD').trim()).toBe('2');
    expect(engineOf(project).todos['todo-1']).toMatchObject({ attempt: 1, substeps: { commit: { status: 'done' } } });
    expect(status(project)).toBe('');
  });

  it('one that refuses costs an attempt, says why, and leaves the index alone', () => {
    writeProjectFile(project, 'made/todo-1.old', 'the same content in either file\n');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'old');
    const first = begin(project, ONE);
    renameSync(join(project.root, 'made/todo-1.old'), join(project.root, 'made/todo-1.new'));
    hook('pre-commit', 'echo "no\u001b[2J tests" >&2; exit 1');
    writeProjectFile(project, 'made/todo-1.txt', '1');
    hand(project, taskOf(first), listing('todo-1', 'made/todo-1.old', 'made/todo-1.new'));
    const answer = runPrinted(project, first.ack ?? '').json;
    expect(answer.ran).toMatchObject([{ block: 'todo-1/commit', ok: false }, { block: 'todo-1' }]);
    expect(taskOf(nextOf(answer) as typeof first)).toMatchObject({
      attempt: 2,
      why: expect.stringMatching(/no tests/),
    });
    expect(status(project)).toBe(' D made/todo-1.old\0?? made/todo-1.new\0?? made/todo-1.txt\0');
  });
});

describe('what git cannot do', () => {
  it('without an identity any more a todo fails at once and nobody is asked to work again', () => {
    const first = begin(project, ONE);
    for (const key of ['user.name', 'user.email']) git(project, 'config', '--unset', key);
    git(project, 'config', 'user.useConfigOnly', 'true');
    const end = goOn(project, first);
    expect(end).toMatchObject({ done: true, outcome: 'halted' });
    expect(engineOf(project).todos['todo-1']).toMatchObject({ attempt: 1, retries: 0 });
    expect(JSON.stringify(end)).toContain('Please tell me who you are');
    expect(status(project)).toBe('?? made/todo-1.txt\0');
  });

  it.each([
    ['a lock that was left behind', '.git/index.lock', 'another git process holds the index'],
    ['a merge in progress', '.git/MERGE_HEAD', 'a merge is in progress'],
  ])('%s: the commit waits, is not said to be made, and is made once', (_what, path, why) => {
    const first = begin(project, TWO);
    writeProjectFile(project, path, `${git(project, 'rev-parse', 'HEAD')}`);
    const answer = doAll(project, first).json;
    expect(answer.ran).toMatchObject([{ block: 'todo-1/commit', ok: false, summary: `deferred: ${why}` }]);
    expect(engineOf(project).todos['todo-1']).toMatchObject({
      status: 'done',
      substeps: { commit: { status: 'deferred' } },
    });
    expect(committed(project)).toEqual([]);
    rmSync(join(project.root, path));
    expect(goOn(project, nextOf(answer))).toMatchObject(COMPLETED);
    expect(committed(project).sort()).toEqual(['todo-1', 'todo-2']);
    expect(engineOf(project)).toMatchObject({ deferred: [], todos: { 'todo-1': { commit: expect.any(String) } } });
  });

  it('a rebase in progress to the end: the run says what was not committed', () => {
    const first = begin(project, ONE);
    mkdirSync(join(project.root, '.git/rebase-merge'));
    expect(goOn(project, first)).toMatchObject({ ...COMPLETED, summary: expect.stringContaining('not made yet') });
    expect(document(project, 'report.md')).toContain('todo-1');
    expect(status(project)).toBe('?? made/todo-1.txt\0');
  });

  it('what waited is committed under the message of the plan', () => {
    const plan = { ...TWO, commits: [{ afterTodo: 'todo-1', message: 'The first,\u001b[31m as planned' }] };
    const first = begin(project, plan);
    writeProjectFile(project, '.git/index.lock', '');
    const answer = doAll(project, first).json;
    rmSync(join(project.root, '.git/index.lock'));
    expect(goOn(project, nextOf(answer))).toMatchObject(COMPLETED);
    expect(git(project, 'log', '--format=%s').split('\n')).toContain('The first, as planned');
  });

  it('what waits is not committed while it is redone', () => {
    const judged = making('todo-1', [['grep', '-q', 'good', 'made/todo-1.txt']]);
    const first = begin(project, planOf(judged, making('todo-2', [['true']], { dependsOn: ['todo-1'] })));
    writeProjectFile(project, '.git/index.lock', '');
    writeProjectFile(project, 'made/todo-1.txt', 'good');
    hand(project, taskOf(first), listing('todo-1'));
    expect(taskOf(nextOf(runPrinted(project, first.ack ?? '').json) as typeof first, 'todo-2').attempt).toBe(1);
    rmSync(join(project.root, '.git/index.lock'));
    const redone = nextOf(devCli(project, ['step', 'invalidate', RUN, '--step', 'todo-1']).json) as typeof first;
    writeProjectFile(project, 'made/todo-1.txt', 'bad');
    hand(project, taskOf(redone), listing('todo-1'));
    expect(nextOf(runPrinted(project, redone.ack ?? '').json)).toMatchObject({ action: 'engine-dispatch' });
    expect(committed(project)).toEqual([]);
  });

  it('what waited belongs to the commit of the todo that is redone', () => {
    const first = begin(project, TWO);
    writeProjectFile(project, '.git/index.lock', '');
    doAll(project, first);
    rmSync(join(project.root, '.git/index.lock'));
    const redone = nextOf(devCli(project, ['step', 'invalidate', RUN, '--step', 'todo-1']).json) as typeof first;
    hand(project, taskOf(redone));
    runPrinted(project, redone.ack ?? '');
    expect(committed(project)).toEqual(['todo-1']);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
  });

  it('what a failed todo left is committed with it when it is reopened, and its worker is told why it failed', () => {
    const first = begin(project, ONE);
    writeProjectFile(project, 'made/todo-1.txt', 'right already');
    hand(project, taskOf(first), worker({ status: 'BLOCKED', reason: 'no network today' }));
    const end = nextOf(runPrinted(project, first.ack ?? '').json);
    expect(end).toMatchObject({ done: true, outcome: 'halted' });
    const again = nextOf(runPrinted(project, end.resume ?? '').json) as typeof first;
    const prompt = readFileSync(join(project.root, taskOf(again).promptFile), 'utf8');
    expect(prompt).toMatch(/How the previous attempt ended[^#]*no network today/);
    hand(project, taskOf(again), listing('todo-1'));
    expect(nextOf(runPrinted(project, again.ack ?? '').json)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-1']);
  });

  it('no repository at all, and one without a commit', () => {
    rmSync(join(project.root, '.git'), { recursive: true });
    expect(goOn(project, begin(project, ONE))).toMatchObject(COMPLETED);
    expect(engineOf(project).todos['todo-1']?.substeps['commit']?.status).toBe('skipped');
    project.remove();
    project = createProject({ sample: null });
    rmSync(join(project.root, '.git'), { recursive: true });
    git(project, 'init', '--quiet');
    for (const key of ['user.name', 'user.email']) git(project, 'config', key, 'a@example.invalid');
    expect(goOn(project, begin(project, ONE))).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-1']);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
  });

  it('a repository that is gone in the middle', () => {
    const first = begin(project, ONE);
    rmSync(join(project.root, '.git'), { recursive: true });
    expect(goOn(project, first)).toMatchObject(COMPLETED);
    expect(outcomes()).toEqual(['no-repository', 'no-repository']);
  });

  it('a detached HEAD is committed on', () => {
    git(project, 'checkout', '--quiet', '--detach');
    expect(goOn(project, begin(project, ONE))).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-1']);
  });

  it('variables of a git that called it lead nowhere else', () => {
    const options = { env: { GIT_DIR: '/nonexistent', GIT_INDEX_FILE: '/nonexistent/index' } };
    expect(goOn(project, begin(project, ONE, { options }), options)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-1']);
  });

  const terminal = findTerminal();
  const asOther = process.getuid?.() === 0 && terminal !== null;
  it.skipIf(!asOther)('a git directory that cannot be written, as in a sandbox', () => {
    const base = join(project.root, '..');
    const first = begin(project, ONE);
    hand(project, taskOf(first), listing('todo-1'));
    writeProjectFile(project, 'made/todo-1.txt', '1');
    execFileSync('chown', ['-R', '65534:65534', base]);
    execFileSync('chmod', ['-R', 'a-w', join(project.root, '.git')]);
    const other = 'setpriv --reuid 65534 --clear-groups';
    // The files now belong to another user, for whom this run comes from elsewhere and must be trusted first.
    const around = { cwd: project.root, env: project.env, answers: ['yes'] };
    expect(terminal?.(`${other} dev-cli trust work`, around).exit).toBe(0);
    const { code, stdout, json } = runPrinted(project, `${other} ${first.ack}`);
    expect(code, stdout).toBe(0);
    execFileSync('chown', ['-R', '0:0', base]);
    expect(json.ran?.[0]?.summary).toBe('deferred: the git directory cannot be written');
    expect(nextOf(json)).toMatchObject({ ...COMPLETED, summary: expect.stringContaining('not made yet') });
  });
});

describe("what is the user's", () => {
  it('changed, staged, deleted or renamed before the run is never committed or touched', () => {
    for (const name of ['todo-1.kept', 'todo-1.gone', 'todo-1.old'])
      writeProjectFile(project, `made/${name}`, 'theirs');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'theirs');
    writeProjectFile(project, 'made/todo-1.kept', 'their change');
    writeProjectFile(project, 'made/todo-1.staged', 'staged');
    writeProjectFile(project, 'made/todo-1.new', 'not staged');
    git(project, 'add', 'made/todo-1.staged');
    git(project, 'rm', '--quiet', 'made/todo-1.gone');
    git(project, 'mv', 'made/todo-1.old', 'made/todo-1.renamed');
    const before = status(project);
    const first = begin(project, ONE);
    writeProjectFile(project, 'made/todo-1.kept', 'their change and the worker’s');
    writeProjectFile(project, 'made/todo-1.txt', 'made');
    hand(project, taskOf(first), listing('todo-1', 'made/todo-1.kept', 'made/todo-1.staged'));
    expect(nextOf(runPrinted(project, first.ack ?? '').json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
    expect(status(project)).toBe(before);
    expect(git(project, 'show', ':made/todo-1.staged')).toBe('staged');
    expect(document(project, 'report.md')).toMatch(/not committed: made\/todo-1\.kept \(changed before the run\)/);
  });

  it('a conflict that is not solved stays one', () => {
    for (const content of ['one', 'two']) {
      writeProjectFile(project, 'theirs.txt', content);
      git(project, 'add', '.');
      if (content === 'one') git(project, 'commit', '--quiet', '--message', 'one');
    }
    git(project, 'stash', '--quiet');
    writeProjectFile(project, 'theirs.txt', 'three');
    git(project, 'commit', '--quiet', '--all', '--message', 'three');
    expect(() => git(project, 'stash', 'pop', '--quiet')).toThrow();
    expect(goOn(project, begin(project, ONE))).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
    expect(status(project)).toBe('UU theirs.txt\0');
  });

  it('a file that became a directory, and the other way round', () => {
    writeProjectFile(project, 'made/todo-1', 'theirs');
    writeProjectFile(project, 'made/todo-1.d/x', 'theirs');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'theirs');
    rmSync(join(project.root, 'made/todo-1'));
    rmSync(join(project.root, 'made/todo-1.d'), { recursive: true });
    const first = begin(project, ONE);
    writeProjectFile(project, 'made/todo-1/inside', 'made');
    writeProjectFile(project, 'made/todo-1.d', 'made');
    hand(project, taskOf(first));
    expect(nextOf(runPrinted(project, first.ack ?? '').json)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual([]);
  });

  it('what is changed outside the files of all and claimed by nobody is told and left', () => {
    const first = begin(project, ONE);
    writeProjectFile(project, 'made/todo-1.txt', '1');
    writeProjectFile(project, 'claimed.txt', '1');
    writeProjectFile(project, 'evil\u001b[2J\nname.txt', '1');
    hand(project, taskOf(first), listing('todo-1', './claimed.txt', '../outside', '/etc/passwd', '.dev/x'));
    const answer = runPrinted(project, first.ack ?? '').json;
    const told = JSON.stringify([answer.warnings, nextOf(answer)]);
    expect(told).toMatch(/and no result lists it: evil/);
    expect(told).not.toMatch(/[\u0000-\u001f]|\\u00/);
    expect(lastCommit(project)).toEqual(['claimed.txt', 'made/todo-1.txt']);
    expect(status(project)).toBe('?? evil\u001b[2J\nname.txt\0');
  });
});

describe('what a todo leaves', () => {
  it('nothing at all, or only what it had staged and removed again, is no failure', () => {
    const first = begin(project, TWO);
    hand(project, taskOf(first));
    const second = nextOf(runPrinted(project, first.ack ?? '').json) as typeof first;
    writeProjectFile(project, 'made/todo-2.tmp', 'x');
    git(project, 'add', 'made');
    rmSync(join(project.root, 'made/todo-2.tmp'));
    hand(project, taskOf(second, 'todo-2'), worker({ filesChanged: ['made/todo-2.tmp'] }));
    expect(nextOf(runPrinted(project, second.ack ?? '').json)).toMatchObject(COMPLETED);
    expect(engineOf(project).todos).toMatchObject({ 'todo-1': { attempt: 1 }, 'todo-2': { attempt: 1 } });
    expect(committed(project)).toEqual([]);
  });

  it('names that are options, patterns, quotes, lines; deleted and renamed ones', () => {
    for (const name of ['gone', 'old']) writeProjectFile(project, `made/todo-1 ${name}`, name);
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'before');
    const first = begin(project, planOf(making('todo-1', [['true']], { files: ['made/**'] })));
    const names = ['-rf', ':(glob)**', 'a\nb', `it's "so"`, '#', 'ä\\xff', '*', 'tab\there'];
    for (const name of names) writeProjectFile(project, `made/${name}`, name);
    git(project, 'mv', 'made/todo-1 old', 'made/todo-1 new');
    rmSync(join(project.root, 'made/todo-1 gone'));
    const moved = ['gone', 'new', 'old'].map((name) => `todo-1 ${name}`);
    const filesChanged = [...names, ...moved].map((name) => `made/${name}`);
    hand(project, taskOf(first), worker({ filesChanged }));
    expect(nextOf(runPrinted(project, first.ack ?? '').json)).toMatchObject(COMPLETED);
    expect(lastCommit(project).sort()).toEqual(filesChanged.sort());
    expect(status(project)).toBe('');
  });

  it('a name that is no UTF-8 is left and told, and the rest is committed', () => {
    const first = begin(project, ONE);
    mkdirSync(join(project.root, 'made'));
    const path = Buffer.concat([Buffer.from(join(project.root, 'made/todo-1')), Buffer.from([0xff])]);
    writeFileSync(path, 'x');
    expect(nextOf(doAll(project, first).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
    expect(document(project, 'report.md')).toContain('its name is not UTF-8');
    rmSync(path as unknown as string);
  });

  it.each([
    ['without a commit', false],
    ['with a commit', true],
  ])('a repository of its own, %s, is left and told', (_what, commit) => {
    const first = begin(project, ONE);
    nested('made/todo-1-inner', { commit });
    expect(nextOf(doAll(project, first).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
    expect(document(project, 'report.md')).toContain('made/todo-1-inner (a repository of its own)');
  });

  it('a submodule: its new commit is committed, changes inside it are left and told', () => {
    nested('made/todo-1-sub', { commit: true });
    nested('made/todo-2-sub', { commit: true });
    git(project, '-c', 'advice.addEmbeddedRepo=false', 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'with submodules');
    const first = begin(project, planOf(making('todo-1'), making('todo-2')));
    nested('made/todo-1-sub', { commit: true });
    writeProjectFile(project, 'made/todo-2-sub/dirt', 'x');
    for (const todo of ['todo-1', 'todo-2']) {
      hand(project, taskOf(first, todo), worker({ filesChanged: [`made/${todo}-sub`] }));
    }
    expect(nextOf(runPrinted(project, first.ack ?? '').json)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual(['todo-1']);
    expect(lastCommit(project)).toEqual(['made/todo-1-sub']);
    expect(document(project, 'report.md')).toContain(
      'made/todo-2-sub (a submodule: what changed in it is committed there)',
    );
  });

  it('a worker that commits itself: nothing is committed twice', () => {
    const first = begin(project, ONE);
    writeProjectFile(project, 'made/todo-1.txt', '1');
    git(project, 'add', '.');
    git(project, 'commit', '--quiet', '--message', 'by the worker');
    hand(project, taskOf(first));
    expect(nextOf(runPrinted(project, first.ack ?? '').json)).toMatchObject(COMPLETED);
    expect(committed(project)).toEqual([]);
    expect(existsSync(join(project.root, '.git/index.lock'))).toBe(false);
    expect(devCli(project, ['replay', RUN, '--check', '--json']).json.ok).toBe(true);
  });
});
