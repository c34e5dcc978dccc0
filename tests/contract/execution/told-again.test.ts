import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import {
  begin,
  type Dispatch,
  doAll,
  engineOf,
  goOn,
  making,
  planOf,
  RUN,
  type Task,
  taskOf,
  waited,
} from '../../adversarial/binary/executing.js';
import { aCommand, aTodo } from '../../core/plan/fixture.js';
import { devCli, runDir, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal } from '../../support/terminal.mjs';

// engine.md, Triage: a worker that has to fix something learns what failed, and in which log to read about it.

const terminal = findTerminal();

useProject({ sample: null });

const promptOf = ({ promptFile }: Task) => readFileSync(join(project.root, promptFile), 'utf8');

describe('a new attempt', () => {
  it.skipIf(terminal === null)('after a change of the plan is told what the todo says otherwise', () => {
    begin(project, planOf(making('todo-1', [['true']], { steps: ['Make it'] })));
    const path = join(runDir(project, RUN), 'plan-content.json');
    const { todos, ...plan } = JSON.parse(readFileSync(path, 'utf8')) as PlanContent;
    const changed = todos.map((todo) => ({
      ...todo,
      title: 'Another title',
      steps: ['Make it', 'Take an array, too'],
    }));
    writeFileSync(path, JSON.stringify({ ...plan, todos: changed }));
    const told = terminal?.(`dev-cli plan apply ${RUN}`, { cwd: project.root, env: project.env, answers: ['yes'] });
    expect(told?.exit, told?.output).toBe(0);
    const again = devCli(project, ['next', RUN]).json as unknown as Dispatch;
    const prompt = promptOf(taskOf(again));
    expect(prompt).toMatch(/^- changed in the plan: title: .*Another title/m);
    expect(prompt).toContain('- changed in the plan: Steps: + Take an array, too');
    expect(goOn(project, again)).toMatchObject({ done: true, outcome: 'completed' });
    expect(engineOf(project).todos['todo-1']).not.toHaveProperty('planChanges');
  });
});

describe('a fix of what is red', () => {
  it('for a verification todo is told the log', () => {
    const check = aTodo('todo-2', {
      type: 'verification',
      files: [],
      dependsOn: ['todo-1'],
      acceptance: [aCommand('ac-1', ['true']), aCommand('ac-2', ['sh', '-c', 'echo wrong >&2; test -f fixed'])],
    });
    doAll(project, begin(project, planOf(making('todo-1'), check)));
    let action = waited(project) as Dispatch;
    if (taskOrNull(action, 'todo-2') !== null) {
      doAll(project, action);
      action = waited(project) as Dispatch;
    }
    expect(logNamed(promptOf(taskOf(action, 'todo-2-d1')))).toContain('wrong');
  });

  it('on the final tree is told the log', () => {
    writeRecipe(
      project,
      'final',
      'name: final\ntype: engine\nskill: execute\nconfig: { depth: standard, policies: { code_review_enabled: false } }\n',
    );
    // The work of the second todo makes the command of the first one fail.
    const first = making('todo-1', [['sh', '-c', 'echo seen; test ! -f made/todo-2.txt']]);
    const plan = planOf(first, making('todo-2', [['true']], { dependsOn: ['todo-1'] }));
    doAll(project, begin(project, plan, { recipe: 'final' }));
    doAll(project, waited(project) as Dispatch);
    expect(logNamed(promptOf(taskOf(waited(project) as Dispatch, 'fix-r1-1')))).toContain('seen');
  });
});

function taskOrNull(action: Dispatch, todo: string): Task | null {
  return (action.tasks ?? []).find(({ todoId }) => todoId === todo) ?? null;
}

/** Returns the text of the only log named among the failures. */
function logNamed(prompt: string): string {
  const lines = prompt.split('## What was red\n\n')[1]?.split('\n\n')[0]?.split('\n') ?? [];
  expect(lines).toEqual([expect.stringMatching(/^- ac-\d: .*: exit 1; log: \/.+$/)]);
  return readFileSync(lines[0]?.split('; log: ')[1] ?? '', 'utf8');
}
