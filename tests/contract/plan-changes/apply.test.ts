import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import {
  begin,
  committed,
  type Dispatch,
  doAll,
  engineOf,
  generate,
  git,
  goOn,
  making,
  planOf,
  RUN,
  taskOf,
  waited,
} from '../../adversarial/binary/executing.js';
import { aCommand } from '../../core/plan/fixture.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, devCliAsync, journalOf, nextOf, runDir, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// living-plan.md, plan apply, tested through the binary: a person at a terminal, commits, and the resulting journal.

const terminal = findTerminal();

useProject({ sample: null });

const content = () => join(runDir(project, RUN), 'plan-content.json');

/** Changes todos in plan-content.json; null removes one. */
function change(changes: Record<string, Partial<PlanTodo> | null>, more: PlanTodo[] = []): void {
  const plan = JSON.parse(readFileSync(content(), 'utf8')) as PlanContent;
  const todos = plan.todos.flatMap((todo) => {
    const one = changes[todo.id];
    return one === null ? [] : [{ ...todo, ...one }];
  });
  writeFileSync(content(), JSON.stringify({ ...plan, todos: [...todos, ...more] }, null, 2));
}

/** Types a command and the answers into a terminal. */
function typed(command: string, ...answers: string[]): { exit: number; output: string } {
  if (terminal === null) throw new Error(NO_TERMINAL);
  return terminal(`dev-cli ${command}`, { cwd: project.root, env: project.env, answers });
}

const next = () => devCli(project, ['next', RUN]).json as unknown as Dispatch;
const applied = () => journalOf(project, RUN).filter(({ type }) => type === 'plan-applied');

describe.skipIf(terminal === null)('plan apply at a terminal', () => {
  it('shows what becomes of each todo, asks once, and goes on with the plan', () => {
    const first = begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })));
    doAll(project, first);
    waited(project);
    change({ 'todo-1': { steps: ['Otherwise'] }, 'todo-2': { title: 'Another title' } }, [
      making('todo-3', [['true', 'x']]),
    ]);
    const asked = typed(`plan apply ${RUN}`, 'yes');
    expect(asked.exit, asked.output).toBe(0);
    expect(asked.output).toContain('todo-1: changed after it was done: the work stays as it is');
    expect(asked.output).toContain('todo-3: new');
    expect(asked.output).toContain('true x');
    expect(asked.output).toContain(`Tell the agent to continue with: dev-cli next ${RUN}`);
    const end = goOn(project, next());
    expect(end).toMatchObject({ done: true, outcome: 'completed' });
    expect(committed(project).sort()).toEqual(['todo-1', 'todo-2', 'todo-3']);
    expect(applied()).toHaveLength(1);
    expect(devCli(project, ['replay', RUN, '--check']).code).toBe(0);
    expect(readFileSync(join(runDir(project, RUN), 'report.md'), 'utf8')).toContain('todo-1');
    expect(devCli(project, ['history', RUN]).stdout).toContain('another plan');
  });

  it('of a run that is held tells what becomes of the todos once, and what releases the run', () => {
    begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })));
    expect(devCli(project, ['hold', RUN]).code).toBe(0);
    change({ 'todo-2': { title: 'Another title' } });
    const { exit, output } = typed(`plan apply ${RUN}`, 'yes');
    expect(exit, output).toBe(0);
    expect(output.match(/What happens to the todos/g)).toHaveLength(1);
    expect(output).toContain(`The run is held. To release it: dev-cli release ${RUN}`);
    expect(output).not.toContain('go on with: ');
  });

  it('keeps the commit of a todo that is gone, and makes another where one is reopened', () => {
    const three = [
      making('todo-1'),
      making('todo-2'),
      making('todo-3', [['true']], { dependsOn: ['todo-1', 'todo-2'] }),
    ];
    const first = begin(project, planOf(...three));
    doAll(project, first);
    waited(project);
    const before = committed(project);
    expect([...before].sort()).toEqual(['todo-1', 'todo-2']);
    change({ 'todo-1': null, 'todo-2': { steps: ['Otherwise'] }, 'todo-3': { dependsOn: ['todo-2'] } });
    const done = typed(`plan apply ${RUN} --reopen todo-2`, 'yes');
    expect(done.exit, done.output).toBe(0);
    const engine = engineOf(project);
    expect(engine.todos['todo-1']).toMatchObject({ gone: true, status: 'done', commit: expect.any(String) });
    const dispatch = next();
    writeProjectFile(project, 'made/todo-2.txt', 'again\n');
    expect(taskOf(dispatch, 'todo-2').attempt).toBe(2);
    expect(goOn(project, dispatch)).toMatchObject({ done: true, outcome: 'completed' });
    expect(committed(project).filter((id) => id === 'todo-2')).toHaveLength(2);
    expect(committed(project)).toContain('todo-1');
    expect(devCli(project, ['status', RUN]).stdout).toContain('todo-1');
  });

  it('takes the place of the question about it: an answer to that one comes too late, and says so', () => {
    const waiting = making('todo-2', [['true']], { dependsOn: ['todo-1'] });
    const first = begin(project, planOf(making('todo-1'), waiting), { flags: ['--set', 'approve_commands=auto'] });
    change({ 'todo-2': { title: 'Otherwise' } });
    expect(devCli(project, ['plan', 'apply', RUN]).json['plan']).toMatchObject({ status: 'proposed' });
    doAll(project, first);
    const gate = waited(project);
    expect(gate.action).toBe('wait-for-user');
    const done = typed(`plan apply ${RUN}`, 'yes');
    expect(done.exit, done.output).toBe(0);
    const late = devCli(project, ['step', 'complete', RUN, '--action', gate.actionId, '--choice', 'approve']);
    expect([late.code, late.json.error?.code], late.stdout).toEqual([4, 'STALE_ACTION']);
    expect(applied()).toHaveLength(1);
  });

  it('names how a done todo is done again, and a requirement that only its old work proves', () => {
    const proof = { ...aCommand('ac-1', ['test', '-f', 'made/todo-1.txt']), proves: ['r-1'] };
    const requirements = [{ id: 'r-1', quote: 'JWT', from: 'request' as const, text: 'A part is there' }];
    const plan = planOf(
      making('todo-1', [], { acceptance: [proof], serves: ['r-1'] }),
      making('todo-2', [['true']], { dependsOn: ['todo-1'] }),
    );
    doAll(project, begin(project, { ...plan, requirements }));
    waited(project);
    change({ 'todo-1': { steps: ['Otherwise'] } });
    const now = JSON.parse(readFileSync(content(), 'utf8')) as PlanContent;
    const other = requirements.map((one) => ({ ...one, text: 'Two parts are there' }));
    writeFileSync(content(), JSON.stringify({ ...now, requirements: other }));
    const again = `dev-cli plan apply ${RUN} --reopen todo-1`;
    const asked = typed(`plan apply ${RUN}`, 'no');
    expect(asked.output).toContain(`the work stays as it is; to do it again: ${again}`);
    expect(asked.output).toContain(
      `! r-1 has a new text, and is proved only by what todo-1 did before. To do that again: ${again}`,
    );
    const done = typed(again.replace('dev-cli ', ''), 'yes');
    expect(done.exit, done.output).toBe(0);
    expect(done.output).not.toContain('has a new text');
    expect(next().tasks).toMatchObject([{ todoId: 'todo-1' }]);
  });

  it('says what is to be done again where nothing else changes', () => {
    doAll(project, begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }))));
    waited(project);
    const { exit, output } = typed(`plan apply ${RUN} --reopen todo-1`, 'yes');
    expect(exit, output).toBe(0);
    expect(output).toMatch(/^todo-1 of "work" is to be done again\.\r?\n\r?\nWhat happens to the todos:/m);
  });

  it('who says something else than yes has changed nothing', () => {
    begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })));
    change({ 'todo-2': { title: 'Another title' } });
    const before = next();
    const { exit, output } = typed(`plan apply ${RUN}`, 'y');
    expect(exit).toBe(2);
    expect(output).toContain('was not applied');
    expect(applied()).toEqual([]);
    expect(next().actionId).toBe(before.actionId);
  });

  it('waits for a commit that git is making, and refuses to pull it away', async () => {
    const first = begin(project, planOf(making('todo-1')));
    const hook = join(project.root, '.git/hooks/pre-commit');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\ntouch ../hooked\nwhile ! test -e ../go; do sleep 0.05; done\n');
    chmodSync(hook, 0o755);
    const taken = devCliAsync(project, (first.ack ?? '').split(' ').slice(1), { env: { DEV_CLI_ANSWER_WITHIN: '2' } });
    writeProjectFile(project, 'made/todo-1.txt', '1\n');
    const { output } = taskOf(first);
    writeFileSync(
      join(project.root, output),
      JSON.stringify({
        status: 'DONE',
        outputs: {},
        filesChanged: ['made/todo-1.txt'],
        learnings: [],
        issues: [],
        summary: 'Did it.',
      }),
    );
    await taken;
    for (let looks = 0; !existsSync(join(project.root, '../hooked')); looks += 1) {
      if (looks > 100) throw new Error('no hook');
      devCli(project, ['next', RUN, '--wait', '1'], { env: { DEV_CLI_ANSWER_WITHIN: '1' } });
    }
    change({ 'todo-1': { steps: ['Otherwise'] } });
    project.env['DEV_CLI_ANSWER_WITHIN'] = '1';
    const refused = typed(`plan apply ${RUN}`, 'yes');
    expect(refused.exit, refused.output).toBe(4);
    expect(refused.output).toContain('COMMIT_RUNNING');
    writeFileSync(join(project.root, '../go'), '');
    delete project.env['DEV_CLI_ANSWER_WITHIN'];
    const later = typed(`plan apply ${RUN}`, 'yes');
    expect(later.output).toMatch(/todo-1/);
    expect(committed(project)).toEqual(['todo-1']);
    expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev').trim()).toBe('');
  });
});

describe('plan apply by an agent', () => {
  it('in autopilot names what a person runs, and --dry-run what would become of the todos', () => {
    begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })));
    change({ 'todo-2': { title: 'Another title' } });
    const refused = devCli(project, ['plan', 'apply', RUN]);
    expect(refused.code).toBe(3);
    expect(refused.json.error).toMatchObject({ code: 'TERMINAL_REQUIRED', answer: `dev-cli plan apply ${RUN}` });
    const told = devCli(project, ['plan', 'apply', RUN, '--dry-run']).json;
    expect(told['plan']).toMatchObject({
      status: 'judged',
      verdicts: [{ todo: 'todo-2', verdict: 'taken up' }],
      same: 1,
    });
    expect(devCli(project, ['plan', 'diff', RUN]).stdout).toContain('Another title');
    expect(devCli(project, ['plan', 'diff', RUN, '--json']).json['changes']).toHaveLength(1);
    expect(devCli(project, ['status', RUN, '--json']).json['planMoved']).toMatchObject({ changed: ['todo-2'] });
  });
});

describe('plan apply without an execution', () => {
  it('writes both files from the one that was changed, also where there is no run', () => {
    generate(project, planOf(making('todo-1')));
    const plan = () => readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8');
    const differs = () => devCli(project, ['plan', 'diff', RUN]).stdout;
    expect(differs()).toBe('PLAN.md and plan-content.json agree.\n');
    change({ 'todo-1': { title: 'Another title' } });
    expect(differs()).toBe('plan-content.json was changed; its earlier version was not kept.\n');
    expect(devCli(project, ['plan', 'apply', RUN, '--dry-run']).json['plan']).toMatchObject({ status: 'judged' });
    expect(plan()).not.toContain('Another title');
    expect(devCli(project, ['plan', 'apply', RUN]).json['plan']).toMatchObject({
      status: 'applied',
      source: 'plan-content.json',
    });
    expect(plan()).toContain('Another title');
    writeFileSync(join(runDir(project, RUN), 'PLAN.md'), plan().replace('Another title', 'A third title'));
    expect(differs()).toMatch(/^plan-content\.json → PLAN\.md\n.*title.*third/s);
    expect(devCli(project, ['plan', 'apply', RUN]).json['plan']).toMatchObject({ source: 'PLAN.md' });
    expect(readFileSync(content(), 'utf8')).toContain('A third title');
    expect(devCli(project, ['plan', 'apply', RUN]).json['plan']).toMatchObject({ status: 'unchanged' });
    expect(devCli(project, ['plan', 'apply', RUN, '--reopen', 'todo-1']).json.error?.code).toBe('USAGE');
  });

  it('leaves an approval given before without what it approved', () => {
    generate(project, planOf(making('todo-1')));
    const begun = devCli(project, ['init', RUN, '--execute']);
    const gate: Action = nextOf(begun.json);
    expect(gate.action).toBe('wait-for-user');
    change({ 'todo-1': { acceptance: [{ id: 'ac-1', kind: 'command', run: ['true', 'other'] }] } });
    expect(devCli(project, ['plan', 'apply', RUN]).json['plan']).toMatchObject({ status: 'applied' });
    const again = next() as unknown as { message: string; actionId: string };
    expect(again.message).toContain('true other');
    expect(again.actionId).not.toBe(gate.actionId);
  });
});
