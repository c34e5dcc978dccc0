import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import {
  begin,
  type Dispatch,
  doAll,
  document,
  engineOf,
  goOn,
  making,
  planOf,
  RUN,
  waited,
} from '../../adversarial/binary/executing.js';
import { aCommand } from '../../core/plan/fixture.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, journalOf, type Result, runDir } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// living-plan.md, plan apply; living-plan.md, At a gate: an agent's proposals, whatever the order of later changes to
// the plan's files and of people's answers.

const terminal = findTerminal();

useProject({ sample: null });

const path = () => join(runDir(project, RUN), 'plan-content.json');
const plan = () => JSON.parse(readFileSync(path(), 'utf8')) as PlanContent;

/** Changes a todo in plan-content.json. */
function change(id: string, how: Partial<PlanTodo>): void {
  const now = plan();
  const todos = now.todos.map((todo) => (todo.id === id ? { ...todo, ...how } : todo));
  writeFileSync(path(), JSON.stringify({ ...now, todos }));
}

/** Adds text that PLAN.md cannot contain. */
const quote = () => appendFileSync(join(runDir(project, RUN), 'PLAN.md'), '\n> quoted\n');

const rename = (title: string) => change('todo-2', { title });

/** Types a command and the answers into a terminal; the editor is these shell lines. */
function typed(command: string, answers: string[], edit = 'true'): { exit: number; output: string } {
  if (terminal === null) throw new Error(NO_TERMINAL);
  const editor = join(project.home, 'editor');
  writeFileSync(editor, `#!/bin/sh\n${edit}\n`);
  chmodSync(editor, 0o755);
  const env = { ...project.env, TERM: 'dumb', VISUAL: '', EDITOR: editor, PAGER: 'cat' };
  return terminal(`dev-cli ${command} ${RUN}`, { cwd: project.root, env, answers });
}

const call = (...args: string[]): Result => devCli(project, args);
const next = () => call('next', RUN).json as unknown as Action;
const types = () => journalOf(project, RUN).map(({ type }) => type);
const count = (type: string) => types().filter((one) => one === type).length;
const isProposed = () => engineOf(project).proposed !== undefined;

/** Renames the second of two todos, and proposes the change while the first is handed out. */
function propose(more: Partial<PlanTodo> = {}): Dispatch {
  const second = making('todo-2', [['true']], { dependsOn: ['todo-1'], ...more });
  const first = begin(project, planOf(making('todo-1'), second), { flags: ['--set', 'approve_commands=auto'] });
  rename('First thought');
  expect(call('plan', 'apply', RUN).json['plan']).toMatchObject({ status: 'proposed' });
  return first;
}

/** Proposes the change as `propose` does, and continues to the gate that asks about it. */
function ask(): Action {
  doAll(project, propose());
  const gate = waited(project);
  expect(gate['message']).toContain('First thought');
  return gate;
}

/** Expects that the proposal is gone: it is neither asked about nor applied, and the run continues with its plan. */
function expectGone(title = 'Title of todo-2'): void {
  expect([isProposed(), count('plan-applied'), engineOf(project).todos['todo-2']?.title]).toEqual([false, 0, title]);
  expect(next().action).toBe('engine-dispatch');
  expect(call('replay', RUN, '--check').code).toBe(0);
}

describe.skipIf(terminal === null)('a proposal whose files change again while a gate asks', () => {
  beforeEach(() => {
    ask();
    rename('Second thought');
  });

  it('is asked about as the files now are, once, and a yes is to that', () => {
    const { exit, output } = typed('approve', ['approve']);
    expect([exit, count('plan-applied')], output).toEqual([0, 1]);
    expect(output).toContain('Second thought');
    expect(output).not.toContain('First thought');
    expect(engineOf(project).todos['todo-2']?.title).toBe('Second thought');
    expect(goOn(project, next())).toMatchObject({ outcome: 'completed' });
    expect(call('replay', RUN, '--check').code).toBe(0);
  });

  it('is gone after a no', () => {
    const { exit, output } = typed('approve', ['reject', 'Not like this.']);
    expect(exit, output).toBe(0);
    expectGone();
    expect(plan().todos[1]?.title).toBe('Second thought');
    const again = typed('approve', []);
    expect([again.exit === 0, again.output]).toEqual([false, expect.stringContaining('waits for a person')]);
    call('abort', RUN, '--reason', 'enough');
    expect(document(project, 'report.md')).toContain('a plan that the agent proposed: Not like this.');
  });

  it('is withdrawn where they say again what runs, and nobody is told that it was applied', () => {
    rename('Title of todo-2');
    const { exit, output } = typed('approve', []);
    expect(exit, output).toBe(0);
    expect(output).toContain('what the agent proposed is withdrawn');
    expect(output).not.toMatch(/applied/);
    expectGone();
  });

  it.each([
    ['cannot be read', quote],
    ['do not hold up', () => change('todo-2', { dependsOn: ['todo-9'] })],
  ])('can be turned down, and not accepted, where they %s', (_, damage) => {
    damage();
    const refused = typed('approve', ['approve', 'reject', 'Not like this.']);
    expect(refused.output).toContain('There is no such choice.');
    expect(refused.output).not.toMatch(/\d {2}approve/);
    expect(refused.exit, refused.output).toBe(0);
    expectGone();
  });

  it('is not accepted by --choice where they cannot be read, and the refusal says what mends them', () => {
    quote();
    const { exit, output } = typed('approve --choice approve', ['yes']);
    expect([exit === 0, isProposed()], output).toEqual([false, true]);
    expect(output.replace(/\s+/g, ' ')).toContain(`Fix the plan, then answer again: dev-cli plan edit ${RUN}`);
  });

  it('is asked about in the same way while the run is held', () => {
    expect(call('hold', RUN).code).toBe(0);
    const { exit, output } = typed('approve', ['']);
    expect(exit, output).toBe(2);
    expect(output).toContain('Second thought');
    const yes = typed('approve', ['approve']);
    expect([yes.exit, count('plan-applied')], yes.output).toEqual([0, 1]);
    expect(yes.output).toContain(`dev-cli release ${RUN}`);
    expect(call('release', RUN).code).toBe(0);
    expect(goOn(project, next())).toMatchObject({ outcome: 'completed' });
  });

  it('is asked about anew by an agent that proposes again, and the answer to the old question comes too late', () => {
    const old = next();
    expect(call('plan', 'apply', RUN).json['plan']).toMatchObject({ status: 'proposed' });
    expect(next()['message']).toContain('Second thought');
    expect(
      call('step', 'complete', RUN, '--action', old.actionId, '--choice', 'reject', '--note', 'x').json.error,
    ).toMatchObject({
      code: 'STALE_ACTION',
    });
    expect(call('plan', 'apply', RUN).json['duplicate']).toBe(true);
  });

  it('is asked about by nobody once the run was aborted', () => {
    expect(call('abort', RUN, '--reason', 'enough').code).toBe(0);
    const { exit, output } = typed('approve', []);
    expect([exit === 0, output]).toEqual([false, expect.stringContaining('Nothing in "work" waits for a person.')]);
    const applied = call('plan', 'apply', RUN).json['plan'];
    expect(applied).toMatchObject({ status: 'applied' });
  });

  it('is gone where an edit at the gate leaves nothing of it', () => {
    const { exit, output } = typed(
      'approve',
      ['e'],
      `sed -i.orig 's/^### .*todo-2: .*/### todo-2: Title of todo-2/' "$1"`,
    );
    expect(exit, output).toBe(0);
    expect(output).toContain('what the agent proposed is withdrawn');
    expectGone();
  });

  it('is taken up with an edit at the gate', () => {
    const edit = `sed -i.orig 's/^### .*todo-2: .*/### todo-2: Third thought/' "$1"`;
    const { exit, output } = typed('approve', ['e', 'yes'], edit);
    expect(exit, output).toBe(0);
    expect(engineOf(project).todos['todo-2']?.title).toBe('Third thought');
    expect([isProposed(), count('plan-applied')]).toEqual([false, 1]);
  });
});

describe.skipIf(terminal === null)('a proposal that nobody asks about yet', () => {
  it.each(['approve', 'plan apply'])(
    'is turned down by a no to %s, with a reason, and no gate asks about it',
    (command) => {
      const first = propose();
      rename('Second thought');
      const { exit, output } = typed(command, ['no', 'Not like this.']);
      expect(exit, output).toBe(0);
      expect(output).toContain('Second thought');
      expect([isProposed(), count('plan-rejected')]).toEqual([false, 1]);
      expect(goOn(project, first)).toMatchObject({ outcome: 'completed' });
      expect([count('plan-applied'), engineOf(project).todos['todo-2']?.title]).toEqual([0, 'Title of todo-2']);
      expect(document(project, 'report.md')).toContain('a plan that the agent proposed: Not like this.');
      expect(call('history', RUN).stdout).toContain('plan turned down: Not like this.');
      expect(call('replay', RUN, '--check').code).toBe(0);
    },
  );

  it.each([
    ['something else', 2, ['later']],
    ['a no without a reason', 2, ['no', '']],
  ])('stays where a person answers %s', (_, exit, answers) => {
    propose();
    const told = typed('plan apply', answers);
    expect([told.exit, isProposed(), count('plan-rejected')], told.output).toEqual([exit, true, 0]);
  });

  it('is turned down while the run is held', () => {
    const first = propose();
    expect(call('hold', RUN).code).toBe(0);
    expect(typed('approve', ['no', 'Not like this.']).exit).toBe(0);
    expect(isProposed()).toBe(false);
    expect(call('release', RUN).code).toBe(0);
    expect(goOn(project, first)).toMatchObject({ outcome: 'completed' });
  });

  it('keeps the todos that are to be done again, whoever decides and however', () => {
    const first = begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })), {
      flags: ['--set', 'approve_commands=auto'],
    });
    doAll(project, first);
    const second = waited(project) as Dispatch;
    expect(call('plan', 'apply', RUN, '--reopen', 'todo-1').json['plan']).toMatchObject({ status: 'proposed' });
    rename('Second thought');
    const { exit, output } = typed('plan apply', ['yes']);
    expect(exit, output).toBe(0);
    expect(output).toContain('todo-1: done, and will be done again');
    expect(next()['tasks']).toMatchObject([{ todoId: 'todo-1', attempt: 2 }]);
    expect(second.tasks).toMatchObject([{ todoId: 'todo-2' }]);
  });
});

describe.skipIf(terminal === null)('what was turned down', () => {
  it('is not asked about again at another gate, until its files change', () => {
    const human = { id: 'ac-9', kind: 'human' as const, text: 'It looks right' };
    const first = propose({ acceptance: [aCommand('ac-1', ['true']), human] });
    expect(typed('approve', ['no', 'Not like this.']).exit).toBe(0);
    const gate = goOn(project, first);
    expect(gate['message']).toContain('It looks right');
    const asked = typed('approve', ['']);
    expect(asked.output).not.toContain('First thought');
    rename('Second thought');
    const { exit, output } = typed('approve', ['no', 'pass']);
    expect(exit, output).toBe(0);
    expect(output).toContain('Second thought');
    expect(goOn(project, next())).toMatchObject({ outcome: 'completed' });
    expect(count('plan-applied')).toBe(0);
  });

  it('can be proposed again', () => {
    ask();
    expect(typed('approve', ['reject', 'Not now.']).exit).toBe(0);
    expect(call('plan', 'apply', RUN).json['plan']).toMatchObject({ status: 'proposed' });
    doAll(project, next() as Dispatch);
    expect(waited(project)['message']).toContain('First thought');
  });
});
