import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  begin,
  type Dispatch,
  doAll,
  git,
  goOn,
  hand,
  making,
  planOf,
  RUN,
  status,
  taskOf,
  worker,
} from '../../adversarial/binary/executing.js';
import { eventually } from '../../adversarial/binary/victims.js';
import {
  devCli,
  devCliAsync,
  journalOf,
  nextOf,
  type Result,
  runDir,
  runPrinted,
  writeProjectFile,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import type { Project } from '../../support/project.mjs';

// engine.md, Commits: if the repository has no hooks, the call itself makes a commit, without a runner.

useProject({ sample: null });

const COMPLETED = { done: true, outcome: 'completed' };
/** Todos that an agent judges, because acceptance commands would start more git processes. */
const FOUR = planOf(
  ...['todo-1', 'todo-2', 'todo-3', 'todo-4'].map((id) =>
    making(id, [], { acceptance: [{ id: 'as-1', kind: 'assertion', text: 'it is there' }] }),
  ),
);
const held = () => git(project, 'log', '--format=%s', '--grep=^Dev-Cli-Task:').split('\n').filter(Boolean);

/** Hands in passing verdicts. */
function judgeAll(dispatch: Dispatch): Result {
  for (const task of dispatch.tasks) {
    const criteria = [{ id: 'as-1', pass: true, evidence: 'seen' }];
    hand(project, task, {
      status: 'VERIFIED',
      summary: 'It holds.',
      criteria,
      mustNotDoViolations: [],
      sideEffects: [],
      suggestedAdaptation: null,
    });
  }
  return runPrinted(project, dispatch.ack ?? '');
}

/** Puts a `git` first on the PATH that runs this script before it makes a commit. */
function breakCommits(script: string): NodeJS.ProcessEnv {
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const lines = ['#!/bin/sh', `case "$*" in *"commit --only"*) ${script};; esac`, `exec ${real} "$@"`, ''];
  writeFileSync(join(bin, 'git'), lines.join('\n'), { mode: 0o755 });
  return { PATH: `${bin}:${project.env['PATH']}` };
}

it('waits when git was cut off, which is no attempt of the todo', () => {
  const first = begin(project, planOf(making('todo-1')));
  const cut = doAll(project, first, { env: breakCommits('kill -KILL $$') });
  expect(cut.json.ran).toContainEqual(expect.objectContaining({ summary: 'deferred: git was cut off' }));
  expect([status(project), held()]).toEqual(['?? made/todo-1.txt\0', []]);
  expect(journalOf(project, RUN).some(({ type }) => type === 'todo-retried')).toBe(false);
  expect(devCli(project, ['next', RUN]).code).toBe(0);
  expect(held()).toHaveLength(1);
});

/** Counts the git processes that run during `work`, including those that git starts itself. */
function gitProcesses(work: () => void): number {
  const events = join(project.home, 'git-events');
  git(project, 'config', '--global', 'trace2.eventTarget', events);
  try {
    work();
  } finally {
    git(project, 'config', '--global', '--unset', 'trace2.eventTarget');
  }
  const starts = readFileSync(events, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"event":"start"'));
  // Leaves out the process that changed the configuration.
  return starts.length - 1;
}

function hook(name: string, text: string): void {
  chmodSync(writeProjectFile(project, `.git/hooks/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
}

/** Lists the files that commits have left below `actions/`. Files of other commands and of prompts do not count. */
function leftByCommits(): string[] {
  const actions = join(runDir(project, RUN), 'actions');
  const found = readdirSync(actions, { recursive: true, encoding: 'utf8' });
  return found.filter((path) => {
    if (!path.endsWith('/exit.json')) return /\/(paths|message\.txt|plan\.json|runner)$/.test(path);
    return JSON.parse(readFileSync(join(actions, path), 'utf8')).argv[0] === 'git';
  });
}

describe('the commits of four todos', () => {
  it('take at most six processes of git each, and leave no file', () => {
    const first = begin(project, FOUR);
    const count = gitProcesses(() => expect(judgeAll(nextOf(doAll(project, first).json) as Dispatch).code).toBe(0));
    expect(held()).toHaveLength(4);
    expect(count / 4).toBeLessThanOrEqual(6);
    expect(leftByCommits()).toEqual([]);
    expect(status(project)).toBe('');
  });

  it('go through a runner where a hook takes part, which costs more: the count above can fail', async () => {
    hook('pre-commit', 'exit 0');
    const first = begin(project, FOUR);
    const count = gitProcesses(() => expect(judgeAll(nextOf(doAll(project, first).json) as Dispatch).code).toBe(0));
    expect(held()).toHaveLength(4);
    expect(count / 4).toBeGreaterThan(6);
    // Each commit leaves its exit status and a log.
    expect(leftByCommits().map((path) => basename(path))).toEqual(Array(4).fill('exit.json'));
    for (const path of leftByCommits()) {
      const directory = join(runDir(project, RUN), 'actions', dirname(path));
      await eventually('the runner has gone', () => !existsSync(join(directory, 'runner')));
      expect(readdirSync(directory).sort()).toEqual(['command.log', 'exit.json']);
    }
  });
});

describe('a commit within the call', () => {
  it.each(['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction'])('has no %s', (name) => {
    hook(name, 'exit 0');
    expect(goOn(project, begin(project, planOf(making('todo-1'))))).toMatchObject(COMPLETED);
    expect(leftByCommits()).not.toEqual([]);
  });

  it('has no hook of another directory either', () => {
    mkdirSync(join(project.root, '.husky'));
    writeProjectFile(project, '.husky/pre-commit', '#!/bin/sh\nexit 0\n');
    git(project, 'config', 'core.hooksPath', '.husky');
    expect(goOn(project, begin(project, planOf(making('todo-1'))))).toMatchObject(COMPLETED);
    expect(leftByCommits()).not.toEqual([]);
  });

  it('is made by one of two calls at once', async () => {
    const first = begin(project, planOf(making('todo-1')));
    writeProjectFile(project, 'made/todo-1.txt', 'made\n');
    hand(project, taskOf(first), worker({ filesChanged: ['made/todo-1.txt'] }));
    const [, ...words] = (first.ack ?? '').split(' ');
    await Promise.all([devCliAsync(project, words), devCliAsync(project, words)]);
    expect(held()).toHaveLength(1);
    expect(devCli(project, ['next', RUN]).json).toMatchObject(COMPLETED);
    expect(devCli(project, ['replay', RUN, '--check']).code).toBe(0);
  });

  it('that git refuses says why, and leaves the index as it was and a log', () => {
    const first = begin(project, planOf(making('todo-1')));
    git(project, 'config', 'user.useConfigOnly', 'true');
    git(project, 'config', '--unset', 'user.email');
    writeProjectFile(project, 'made/todo-1.txt', 'made\n');
    hand(project, taskOf(first), worker({ filesChanged: ['made/todo-1.txt'] }));
    const done = nextOf(runPrinted(project, first.ack ?? '').json);
    expect(JSON.stringify(done)).toContain('git cannot commit');
    expect(status(project)).toBe('?? made/todo-1.txt\0');
  });

  it('in a repository whose path holds a line feed is made, too', () => {
    const odd = join(project.root, 'odd\nplace');
    mkdirSync(odd);
    git(project, 'init', '-q', odd);
    const inside: Project = { ...project, root: odd };
    writeFileSync(join(odd, 'README'), 'one\n');
    git(inside, 'config', 'user.name', 'A');
    git(inside, 'config', 'user.email', 'a@b.c');
    git(inside, 'add', '.');
    git(inside, 'commit', '-qm', 'one');
    expect(goOn(inside, begin(inside, planOf(making('todo-1'))))).toMatchObject(COMPLETED);
    expect(git(inside, 'log', '--format=%s', '--grep=^Dev-Cli-Task:')).toContain('todo-1');
    expect(existsSync(join(odd, 'made/todo-1.txt'))).toBe(true);
  });
});
