import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  begin,
  type Dispatch,
  engineOf,
  git,
  hand,
  making,
  planOf,
  RUN,
  worker,
} from '../../adversarial/binary/executing.js';
import { nextOf, type Result, runDir, runPrinted, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { readEntries } from '../../support/entries.js';

// protocol.md §4: the tree is read once for each moment that matters, and a job with nothing to run ends in the same
// transaction that creates it.

useProject({ sample: null });

const TODOS = ['todo-1', 'todo-2', 'todo-3', 'todo-4'];
const HOLDS = {
  status: 'VERIFIED',
  summary: 'It holds.',
  criteria: [{ id: 'as-1', pass: true, evidence: 'seen' }],
  mustNotDoViolations: [],
  sideEffects: [],
  suggestedAdaptation: null,
};

function handAll(dispatch: Dispatch, result: object): Result {
  for (const task of dispatch.tasks) hand(project, task, result);
  return runPrinted(project, dispatch.ack ?? '');
}

/** Counts the git processes and journal commits that `work` causes. */
function counted(work: () => Result): { processes: number; commits: number } {
  const events = join(project.home, 'git-events');
  const env = { ...project.env };
  const before = commits();
  project.env['GIT_TRACE2_EVENT'] = events;
  const { code, stdout } = work();
  project.env = env;
  expect(code, stdout).toBe(0);
  const lines = readFileSync(events, 'utf8').split('\n');
  return { processes: lines.filter((line) => line.startsWith('{"event":"start"')).length, commits: commits() - before };
}

function commits(): number {
  const entries = readEntries(readFileSync(join(runDir(project, RUN), 'events.jsonl')));
  return entries.filter(({ more }) => more !== true).length;
}

describe('commits of todos', () => {
  const judged = planOf(
    ...TODOS.map((id) => making(id, [], { acceptance: [{ id: 'as-1', kind: 'assertion', text: 'it is there' }] })),
  );

  it('for which nobody did anything take one look at the tree, and are all told at once', () => {
    const judges = nextOf(handAll(begin(project, judged), worker()).json) as Dispatch;
    expect(counted(() => handAll(judges, HOLDS))).toEqual({ processes: 1, commits: 2 });
    expect(TODOS.map((id) => engineOf(project).todos[id]?.substeps['commit']?.status)).toEqual(
      TODOS.map(() => 'skipped'),
    );
  });

  it('that have something to hold are made one by one', () => {
    const first = begin(project, judged);
    for (const id of TODOS) writeProjectFile(project, `made/${id}.txt`, 'made\n');
    for (const task of first.tasks) hand(project, task, worker({ filesChanged: [`made/${task.todoId}.txt`] }));
    const judges = nextOf(runPrinted(project, first.ack ?? '').json) as Dispatch;
    const { processes, commits } = counted(() => handAll(judges, HOLDS));
    expect(processes).toBeGreaterThan(TODOS.length);
    const [results, residual] = [1, 1];
    expect(commits).toBe(results + TODOS.length + residual);
    expect(git(project, 'log', '--format=%s', '--grep=^Dev-Cli-Task:').trim().split('\n')).toHaveLength(TODOS.length);
  });

  it('name what no result lists, each its own', () => {
    const judges = nextOf(handAll(begin(project, judged), worker()).json) as Dispatch;
    for (const id of TODOS) writeProjectFile(project, `made/${id}.txt`, 'late\n');
    handAll(judges, HOLDS);
    const left = engineOf(project).openIssues.filter((line) => line.includes('no result lists it'));
    expect(left).toEqual(TODOS.map((id) => expect.stringContaining(`made/${id}.txt`)));
  });
});

describe('commands of todos', () => {
  it('look at the tree before the first and after each', () => {
    const plan = planOf(...TODOS.map((id) => making(id, [['test', '-n', id]])));
    const first = begin(project, plan);
    const { processes } = counted(() => handAll(first, worker()));
    const results = 1;
    expect(processes).toBeLessThanOrEqual(results + 1 + TODOS.length);
  });

  it('that passed on this tree are told in one commit', () => {
    const plan = planOf(...TODOS.map((id) => making(id, [['true']])));
    const first = begin(project, plan);
    // One commit takes the results, the other the outcome of the first command together with the todos that reuse it.
    expect(counted(() => handAll(first, worker()))).toMatchObject({ commits: 2 });
    const evidence = TODOS.map((id) => engineOf(project).todos[id]?.evidence?.[0]);
    expect(evidence.map((one) => one?.reused ?? false)).toEqual([false, true, true, true]);
    expect(new Set(evidence.map((one) => one?.tree)).size).toBe(1);
  });

  it('are each seen to change the tree, and charged with nothing that another one did', () => {
    const plan = planOf(
      making('todo-1', [['true'], ['sh', '-c', 'echo x > stray'], ['test', '-f', 'stray']]),
      making('todo-2', [['true']]),
    );
    handAll(begin(project, plan), worker());
    const { openIssues, todos } = engineOf(project);
    const changed = openIssues.filter((line) => line.includes('changed files of the work tree'));
    expect(changed).toEqual([expect.stringContaining('todo-1 ac-2')]);
    const trees = todos['todo-1']?.evidence?.map(({ tree }) => tree) ?? [];
    expect(trees[1]).toBe(trees[0]);
    expect(trees[2]).not.toBe(trees[1]);
    // todo-1 has already run this command, but the tree has changed since, so it runs again.
    expect(todos['todo-2']?.evidence?.[0]).toMatchObject({ ok: true, tree: trees[2] });
    expect(todos['todo-2']?.evidence?.[0]?.reused).toBeUndefined();
    expect(git(project, 'status', '--porcelain')).toContain('stray');
  });
});
