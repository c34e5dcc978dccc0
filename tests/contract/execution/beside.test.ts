import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanTodo } from '../../../src/plan/model/schema.js';
import { type Dispatch, hand, making, planOf, SHORT, taskOf, worker } from '../../adversarial/binary/executing.js';
import { pausedAt, startCall } from '../../adversarial/binary/victims.js';
import { aTodo } from '../../core/plan/fixture.js';
import { type Action, StandIn } from '../../support/agent.mjs';
import {
  devCli,
  imageOf,
  nextOf,
  type Result,
  runDir,
  runPrinted,
  stateOf,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { generatePlan } from '../../support/executing.js';
import { SMALL_CREW, smallPlan } from '../../support/small.mjs';

/**
 * Two executions in one work tree: if both may change a file, the second one is refused, otherwise it gets a warning
 * (engine.md, Two executions).
 */

useProject({ sample: null });
beforeEach(() => {
  writeRecipe(project, 'short', SHORT(0));
});

function plan(name: string, ...todos: PlanTodo[]): void {
  generatePlan(project, planOf(...todos), name);
}

/** Builds a todo that changes these files. */
const changing = (id: string, ...files: string[]): PlanTodo => making(id, [['true']], { files });

const execute = (name: string, ...flags: string[]): Result =>
  devCli(project, ['init', name, '--recipe', 'short', '--autopilot', ...flags]);

function begun(name: string, ...todos: PlanTodo[]): Action {
  plan(name, ...todos);
  const { code, stdout, json } = execute(name);
  expect(code, stdout).toBe(0);
  return json.next as Action;
}

describe('a second execution', () => {
  it('is refused where both may change a file, with each pair; nothing of it is left, the first goes on', () => {
    begun('first', changing('todo-1', 'src/**'), changing('todo-2', 'docs/a.md'));
    plan('second', changing('todo-1', 'src/app.js'), changing('todo-2', 'test/**'), changing('todo-3', 'DOCS/a.md'));
    const before = imageOf(project);
    const { code, stdout, json } = execute('second');
    expect([code, json.error?.code], stdout).toEqual([4, 'FILES_OVERLAP']);
    expect(json.error?.details).toEqual([
      { target: 'todo-1', problem: 'may change the same files as todo-1 of "first": src/app.js' },
      { target: 'todo-3', problem: 'may change the same files as todo-2 of "first": DOCS/a.md' },
    ]);
    expect(json.error?.fix).toMatch(/"first" has to be finished or given up first.*dev-cli next first$/);
    expect(json.error?.fix).not.toMatch(/abort|--force/);
    expect(imageOf(project)).toEqual(before);
    expect(devCli(project, ['next', 'first']).json.block).toBe('execution-engine');
  });

  it('on other files begins, and says who else is at work; one without an execution beside it says nothing', () => {
    plan('first', changing('todo-1', 'src/**'));
    expect(execute('first').json.warnings).toBeUndefined();
    plan('second', changing('todo-1', 'srcs/**', 'docs/a.md'));
    const { code, json } = execute('second');
    expect([code, json.warnings]).toEqual([
      0,
      [expect.stringContaining('"first" also executes a plan in this work tree')],
    ]);
  });

  it('is not told that what the other one changes is nobody’s', () => {
    const first = begun('first', changing('todo-1', 'a/**')) as Dispatch;
    begun('second', changing('todo-1', 'b/**'));
    for (const path of ['a/one.txt', 'b/two.txt', 'c.txt']) writeProjectFile(project, path, path);
    hand(project, taskOf(first), worker({ filesChanged: ['a/one.txt'] }));
    const done = nextOf(runPrinted(project, first.ack ?? '').json) as Action & { warnings?: string[] };
    const warnings = done.warnings?.join() ?? '';
    expect(warnings).toContain('and no result lists it: c.txt');
    expect(warnings).not.toContain('b/two.txt');
  });

  it("is refused by a todo that names no files, in either plan; a verification is in nobody's way", () => {
    begun('first', aTodo('todo-1', { files: [] }));
    plan('second', changing('todo-1', 'a'));
    expect(execute('second').json.error?.details?.[0]?.problem).toContain('names no files');
    plan('third', aTodo('todo-1', { type: 'verification', files: [] }));
    expect(execute('third').code).toBe(0);
  });

  it('does not mind what is done already, here or there, nor a run that has ended, halted or cannot be read', () => {
    const first = begun(
      'first',
      changing('todo-1', 'a'),
      making('todo-2', [['true']], { files: ['b'], dependsOn: ['todo-1'] }),
    );
    plan('second', changing('todo-1', 'a'));
    expect(execute('second').json.error?.code).toBe('FILES_OVERLAP');
    deliver(first);
    expect(execute('second').code).toBe(0);
    expect(devCli(project, ['abort', 'second', '--reason', 'x']).code).toBe(0);

    plan('third', changing('todo-1', 'b'));
    expect(execute('third').json.error?.code).toBe('FILES_OVERLAP');
    project.replay = false;
    writeFileSync(join(runDir(project, 'first'), 'events.jsonl'), 'x\ny\n');
    expect(execute('third').code).toBe(0);
  });

  it('is not the one that --force starts anew', () => {
    begun('first', changing('todo-1', 'a'));
    const again = execute('first', '--force');
    expect([again.code, again.json.warnings], again.stdout).toEqual([0, undefined]);
  });
});

/** Does the worker tasks of a dispatch and runs its acknowledgement. */
function deliver(action: Action): Result {
  for (const task of action.tasks ?? []) {
    const result = { status: 'DONE', outputs: {}, filesChanged: [], learnings: [], issues: [], summary: 'Done.' };
    writeFileSync(join(project.root, task.output), JSON.stringify(result));
  }
  const result = runPrinted(project, action.ack ?? '');
  expect(result.code, result.stdout).toBe(0);
  return result;
}

function fail(name: string, action: Action): void {
  for (const { actionId } of action.tasks ?? []) {
    const { code, stdout } = devCli(project, ['step', 'fail', name, '--action', actionId, '--reason', 'no']);
    expect(code, stdout).toBe(0);
  }
}

describe('a halted execution', () => {
  it('keeps nobody back, and is not reopened on files that another one has by then', () => {
    fail('first', begun('first', changing('todo-1', 'a')));
    expect(stateOf(project, 'first').status).toBe('halted');
    begun('second', changing('todo-1', 'a'));
    const before = imageOf(project);
    const reopened = devCli(project, ['step', 'invalidate', 'first', '--step', 'todo-1']);
    expect([reopened.code, reopened.json.error?.code], reopened.stdout).toEqual([4, 'FILES_OVERLAP']);
    expect(imageOf(project)).toEqual(before);
    expect(devCli(project, ['abort', 'second', '--reason', 'x']).code).toBe(0);
    expect(devCli(project, ['step', 'invalidate', 'first', '--step', 'todo-1']).code).toBe(0);
  });
});

describe('a workflow that comes to its execution', () => {
  it('halts there with the reason, and goes on once the other run has ended', { timeout: 120_000 }, () => {
    begun('first', changing('todo-1', 'made/**'));
    const agent = new StandIn({
      project,
      name: 'second',
      crew: SMALL_CREW,
      scenario: { plan: smallPlan() },
    });
    const halted = agent.drive(agent.start('--workflow ultrawork-autopilot --set pull_request=false'));
    expect(halted).toMatchObject({ outcome: 'halted' });
    expect(halted.summary).toMatch(/"first" executes a plan in this work tree.*todo-1/);
    expect(existsSync(join(runDir(project, 'second'), 'PLAN.md'))).toBe(true);
    expect(devCli(project, ['abort', 'first', '--reason', 'x']).code).toBe(0);
    const resumed = runPrinted(project, halted.resume ?? '');
    expect(resumed.code, resumed.stdout).toBe(0);
    expect(agent.drive(resumed.json.next as Action)).toMatchObject({ outcome: 'completed' });
  });
});

describe('two that begin at once', () => {
  it('never both begin, whatever moment the one stands at when the other comes', async () => {
    for (const moment of ['locked', 'before-commit', 'after-commit']) {
      for (const name of ['one', 'two']) {
        rmSync(runDir(project, name), { recursive: true, force: true });
        plan(name, changing('todo-1', 'a'));
      }
      const args = (name: string) => ['init', name, '--recipe', 'short', '--autopilot'];
      const one = await pausedAt(project, moment, args('one'));
      const two = startCall(project, args('two'));
      await new Promise((resolve) => setTimeout(resolve, 700));
      process.kill(one.pid, 'SIGCONT');
      const codes = [(await one.ended).code, (await two.ended).code];
      expect(codes.sort(), moment).toEqual([0, 4]);
      for (const name of ['one', 'two']) {
        if (existsSync(join(runDir(project, name), 'state.json'))) {
          expect(devCli(project, ['abort', name, '--reason', 'x']).code).toBe(0);
        }
      }
    }
    expect(Object.keys(imageOf(project)).filter((path) => path.includes('/lock'))).toEqual([]);
  }, 60_000);

  it('is not held up by one that was killed there', async () => {
    plan('one', changing('todo-1', 'a'));
    plan('two', changing('todo-1', 'a'));
    const one = await pausedAt(project, 'before-commit', ['init', 'one', '--recipe', 'short', '--autopilot']);
    process.kill(one.pid, 'SIGKILL');
    await one.ended;
    expect(readFileSync(join(project.root, '.dev/lock.executions'), 'utf8')).toContain('"for":"init"');
    const two = execute('two');
    expect(two.code, two.stdout).toBe(0);
    expect(existsSync(join(project.root, '.dev/lock.executions'))).toBe(false);
  });
});
