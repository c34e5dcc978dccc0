import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { aCommand, aPlan, aTodo } from '../../core/plan/fixture.js';
import { devCli, readStateFile, runDir, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { begin, deliver, followed, part, told, worked } from '../../support/told.js';

// An execution's final texts say correctly what a command had to do, when it ran, who did the work, and what remains to
// be done (documents.md, summary.md and report.md; storage.md, History).

useProject();

const SHIP = { verdict: 'SHIP', issues: [], summary: 'Good.' };
const BLOCKED = { status: 'BLOCKED', reason: 'no way' };
const MUST_FAIL = { ...aCommand('red', ['test', '-f', 'notes/absent.txt']), expect: { exitCode: 1 } };

function twoTodos(
  acceptance = [aCommand('ac-1', ['test', '-f', 'notes/one.txt'])],
  change: Partial<PlanContent> = {},
  more = {},
) {
  return aPlan({
    todos: [
      aTodo('todo-1', { files: ['notes/one.txt', 'notes/brief.txt'], acceptance, ...more }),
      aTodo('todo-2', { dependsOn: ['todo-1'], files: ['notes/**'], acceptance: [aCommand('ac-1', ['true'])] }),
    ],
    ...change,
  });
}

const started = (plan: PlanContent) => begin(project, plan, ['--autopilot']);
const did = (files: Record<string, string>, change: object = {}) => worked(project, files, change);

describe('a command that must not end with 0', () => {
  it('is told as what it had to do, and did, in report and history', () => {
    const second = followed(project, started(twoTodos([MUST_FAIL])), 'todo-1', did({ 'notes/one.txt': '1' }));
    const review = followed(project, second, 'todo-2', did({ 'notes/two.txt': '2' }));
    deliver(project, review, null, SHIP);
    const lines = part(told(project, 'report.md'), 'Verification').filter((line) => line.includes('red: '));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain(': exit 1, as expected, on commit ');
    expect(devCli(project, ['history', 'work']).stdout).toContain('todo-1 red: command exit 1, as expected (dev-cli)');
  });

  it('and where it does end with 0, as what it had to', () => {
    const again = followed(project, started(twoTodos([MUST_FAIL])), 'todo-1', did({ 'notes/absent.txt': '' }));
    expect(again.tasks).toMatchObject([{ todoId: 'todo-1', attempt: 2 }]);
    expect(devCli(project, ['history', 'work']).stdout).toContain('exit 0, but exit 1 was expected');
  });
});

describe('what a run says of its proofs', () => {
  it('is of a command that passed and was not run at the end, that it was not run there', () => {
    const text = 'There is a first note.';
    const requirements = [{ id: 'r-1', text, quote: 'Add JWT auth', from: 'request' as const }];
    const acceptance = [{ ...aCommand('ac-1', ['test', '-f', 'notes/one.txt']), proves: ['r-1'] }];
    const plan = twoTodos(acceptance, { requirements }, { serves: ['r-1'] });
    const second = followed(project, started(plan), 'todo-1', did({ 'notes/one.txt': '1' }));
    deliver(project, second, 'todo-2', did({}, BLOCKED));
    const report = told(project, 'report.md');
    expect(report).toContain('todo-1 ac-1: test -f notes/one.txt (not run on the final tree)');
    expect(report).not.toContain('judged by nobody');
    expect(part(report, 'Verification')[0]).toMatch(/^todo-1 ac-1: .*: exit 0, /);
  });

  it('is when a command ended, also where its result is used again', () => {
    const first = started(twoTodos());
    const action = first.tasks[0]?.actionId ?? '';
    const answer = did({ 'notes/one.txt': '1' });
    expect(devCli(project, ['check', 'work', '--action', action]).code).toBe(0);
    const ended = JSON.parse(
      readFileSync(join(runDir(project, 'work'), `actions/${action}/check-ac-1-1/exit.json`), 'utf8'),
    );
    followed(project, first, 'todo-1', answer);
    const { engine, commandResults } = readStateFile(project, 'work');
    expect(engine.todos[0].evidence).toMatchObject([{ reused: true, at: ended.at }]);
    expect(Object.values(commandResults)).toMatchObject([{ at: ended.at }]);
  });

  it('is in how many calls it was checked, however many commands a check ran', () => {
    const two = [aCommand('ac-1', ['true']), aCommand('ac-2', ['test', '-f', 'notes/one.txt'])];
    const first = started(twoTodos(two));
    const answer = did({ 'notes/one.txt': '1' });
    for (const _ of [1, 2]) devCli(project, ['check', 'work', '--action', first.tasks[0]?.actionId ?? '']);
    const second = followed(project, first, 'todo-1', answer);
    deliver(project, second, 'todo-2', did({}, BLOCKED));
    // The calls are init, two checks and two acknowledgements.
    expect(part(told(project, 'report.md'), 'Cost')).toEqual([expect.stringMatching(/^5 calls by agents, /)]);
  });
});

describe('what has changed', () => {
  it('leaves out what is as it was when the run began', () => {
    const first = started(twoTodos());
    const both = did({ 'notes/one.txt': '1', 'notes/brief.txt': '-' });
    const second = followed(project, first, 'todo-1', both);
    const answer = did({ 'notes/brief.txt': '-', 'notes/two.txt': '2', 'notes/tried.txt': '?' });
    for (const path of ['notes/brief.txt', 'notes/tried.txt']) rmSync(join(project.root, path));
    const again = followed(project, second, 'todo-2', answer);
    deliver(project, again, null, SHIP);
    expect(part(told(project, 'report.md'), 'Changed files')).toEqual(['notes/one.txt', 'notes/two.txt']);
  });

  it('and is in no commit is named at the end, for the user to decide on', () => {
    writeProjectFile(project, 'mine.txt', 'as it was');
    const first = started(twoTodos());
    const second = followed(project, first, 'todo-1', did({ 'notes/one.txt': '1' }));
    writeProjectFile(project, 'stray.txt', 'whose?');
    const halted = followed(project, second, 'todo-2', did({ 'notes/half.txt': 'h' }, BLOCKED));
    expect(halted).toMatchObject({ outcome: 'halted', results: { uncommitted: 'notes/half.txt, stray.txt' } });
    expect(halted.instruction).toContain(' Name the uncommitted changes: the user decides what happens to them.');
  });

  it('keeps no run from its end where git gives no answer', () => {
    const second = followed(project, started(twoTodos()), 'todo-1', did({ 'notes/one.txt': '1' }));
    expect(second.tasks).toHaveLength(1);
    const bin = join(dirname(project.root), 'dying');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    expect(devCli(project, ['abort', 'work', '--reason', 'enough'], { env }).code).toBe(0);
    expect(told(project, 'report.md')).toMatch(/Outcome: aborted[\s\S]*- notes\/one\.txt\n/);
  });

  it('is said of nothing where all of it is committed', () => {
    const second = followed(project, started(twoTodos()), 'todo-1', did({ 'notes/one.txt': '1' }));
    const review = followed(project, second, 'todo-2', did({ 'notes/two.txt': '2' }));
    const done = followed(project, review, null, SHIP);
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(done.instruction).not.toContain('uncommitted');
    expect(done).not.toHaveProperty('results.uncommitted');
  });
});

describe('what a judge is asked', () => {
  it('is about rules only where there are some', () => {
    writeRecipe(
      project,
      'execute-own',
      'name: execute-own\ntype: engine\nhandlers:\n  look_twice: { actor: subagent, agent: security-reviewer, after: verify }\n',
    );
    const asked = (name: string, more: object) => {
      const plan = twoTodos(undefined, {}, more);
      const first = begin(project, plan, ['--autopilot', '--recipe', 'execute-own'], name);
      writeProjectFile(project, 'notes/one.txt', name);
      const look = followed(project, first, 'todo-1', did({}, { filesChanged: ['notes/one.txt'] }));
      devCli(project, ['abort', name, '--reason', 'seen']);
      return readFileSync(join(project.root, look.tasks[0]?.promptFile ?? ''), 'utf8');
    };
    expect(asked('with', { mustNotDo: ['Touch the API.'] })).toContain('`mustNotDoViolations`: each rule above.');
    const without = asked('without', {});
    expect(without).toContain('`mustNotDoViolations`: `[]`, as there is no rule for you to judge.');
    expect(without).not.toContain('each rule above');
  });
});

describe('history of an execution', () => {
  it('tells what dev-cli did as its own, and what its caller did as theirs', () => {
    const second = followed(project, started(twoTodos()), 'todo-1', did({ 'notes/one.txt': '1' }));
    deliver(project, second, 'todo-2', did({}, BLOCKED));
    const { stdout } = devCli(project, ['history', 'work']);
    for (const own of [
      'a2 handed out todo-1/worker',
      'todo-1 ac-1: command exit 0',
      'todo-1 wrapped up',
      'todo-1 done',
    ])
      expect(stdout).toContain(`${own} (dev-cli)`);
    expect(stdout).toMatch(/todo-1: commit made \(dev-cli\)[\s\S]*■ halted \(dev-cli\)/);
    expect(stdout).toContain('todo-1/worker: DONE (agent)');
  });
});
