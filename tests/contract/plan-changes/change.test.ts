import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { begin, doAll, document, engineOf, making, planOf, RUN, waited } from '../../adversarial/binary/executing.js';
import { aCommand } from '../../core/plan/fixture.js';
import { devCli, imageOf, journalOf, runDir, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { BINARY } from '../../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { part } from '../../support/told.js';

// living-plan.md, Changes by one todo, tested through the binary.

const terminal = findTerminal();

useProject({ sample: null });

const plan = (): PlanContent =>
  JSON.parse(readFileSync(join(runDir(project, RUN), 'plan-content.json'), 'utf8')) as PlanContent;
const ids = () => plan().todos.map(({ id }) => id);
const changed = (...args: string[]) => devCli(project, ['plan', ...args]);
const chain = () =>
  planOf(
    making('todo-1'),
    making('todo-2', [['true']], { dependsOn: ['todo-1'] }),
    making('todo-3', [['true']], { dependsOn: ['todo-2'] }),
  );

/** Starts a call without blocking. */
async function callBeside(...args: string[]): Promise<{ code: number; stdout: string }> {
  const options = { cwd: project.root, env: project.env };
  return promisify(execFile)(process.execPath, [BINARY, 'plan', ...args], options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
  );
}

describe('without an execution', () => {
  beforeEach(() => {
    writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify(chain()));
    expect(devCli(project, ['plan', 'generate', RUN]).code).toBe(0);
  });

  it('writes both files anew, and says what changed', () => {
    const added = changed('add', RUN, '--title', 'Log out', '--after', 'todo-3', '--files', 'a,b', '--run', 'npm test');
    expect(added.json, added.stdout).toMatchObject({
      todo: 'todo-4',
      plan: { status: 'applied', changes: [{ kind: 'todo-added', todo: 'todo-4' }] },
    });
    expect(changed('drop', RUN, 'todo-2').code).toBe(0);
    expect(changed('move', RUN, 'todo-4', '--before', 'todo-3').code).toBe(0);
    expect(ids()).toEqual(['todo-1', 'todo-4', 'todo-3']);
    expect(plan().todos.at(-1)?.dependsOn).toEqual(['todo-1']);
    expect(changed('validate', RUN).json).toMatchObject({ valid: true, edited: false });
  });

  it('a todo that is added goes ahead of what is to wait for it', () => {
    const added = changed('add', RUN, '--title', 'Log out', '--run', 'true', '--before', 'todo-2,todo-3');
    expect(added.code, added.stdout).toBe(0);
    expect(added.json).not.toHaveProperty('warnings');
    expect(plan().todos.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['todo-1', []],
      ['todo-4', []],
      ['todo-2', ['todo-1', 'todo-4']],
      ['todo-3', ['todo-2', 'todo-4']],
    ]);
    expect(changed('validate', RUN).json).toMatchObject({ valid: true, edited: false });
  });

  it('says which check of the whole would not wait for a todo that is added', () => {
    const whole = making('todo-3', [['true']], { type: 'verification', dependsOn: ['todo-2'] });
    const checked = planOf(...chain().todos.slice(0, 2), whole);
    writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify(checked));
    expect(devCli(project, ['plan', 'generate', RUN]).code).toBe(0);
    const shown = changed('add', RUN, '--title', 'Log out', '--run', 'true', '--dry-run');
    expect(shown.json).toMatchObject({ warnings: [expect.stringContaining('--before todo-3')] });
  });

  it('makes every change of calls at once', async () => {
    const calls = Array.from({ length: 4 }, (_, n) => [
      callBeside('add', RUN, '--title', `At once ${n}`, '--run', 'true'),
      callBeside('generate', RUN),
    ]);
    for (const { code, stdout } of await Promise.all(calls.flat())) expect(code, stdout).toBe(0);
    expect(ids()).toEqual(Array.from({ length: 7 }, (_, n) => `todo-${n + 1}`));
    expect(changed('validate', RUN).json).toMatchObject({ valid: true, edited: false });
  });

  it('takes a section and JSON as data', () => {
    writeProjectFile(project, 'todo.md', '### Fix it\n\n**Acceptance**\n- agent: it is fixed\n');
    expect(changed('add', RUN, '--data', '@todo.md').json).toMatchObject({ todo: 'todo-4' });
    const acceptance = [{ id: 'ac-1', kind: 'command', run: ['true'] }];
    const json = JSON.stringify({ id: 'last', title: 'JSON', acceptance });
    expect(changed('add', RUN, '--data', json).json).toMatchObject({ todo: 'last' });
    expect(plan().todos.slice(3)).toMatchObject([{ title: 'Fix it' }, { title: 'JSON', risk: 'medium' }]);
  });

  it('takes an edit of PLAN.md along', () => {
    const path = join(runDir(project, RUN), 'PLAN.md');
    writeProjectFile(
      project,
      `.dev/specs/${RUN}/PLAN.md`,
      readFileSync(path, 'utf8').replace('### [ ] todo-1: ', '### [ ] todo-1: Edited '),
    );
    expect(changed('move', RUN, 'todo-3', '--first').code).toBe(0);
    expect(plan().todos.map(({ title }) => title)).toEqual([
      expect.any(String),
      expect.stringMatching(/^Edited /),
      expect.any(String),
    ]);
  });

  it.each([
    [['drop', RUN, 'todo-9'], 2, 'USAGE'],
    [['move', RUN, 'todo-1', '--after', 'todo-9'], 2, 'USAGE'],
    [['move', RUN, 'todo-1'], 2, 'USAGE'],
    [['add', RUN], 2, 'USAGE'],
    [['add', RUN, '--title', 'x', '--data', '{}'], 2, 'USAGE'],
    [['add', RUN, '--title', 'x'], 3, 'SCHEMA_INVALID'],
    [['add', RUN, '--title', 'x', '--run', 'a | b'], 2, 'DATA_MALFORMED'],
    [['add', RUN, '--title', 'x', '--run', 'a', '--after', 'todo-9'], 3, 'SCHEMA_INVALID'],
    [['add', RUN, '--title', 'x', '--run', 'a', '--before', 'todo-9'], 2, 'USAGE'],
    [['add', RUN, '--title', 'x', '--run', 'a', '--after', 'todo-2', '--before', 'todo-2'], 3, 'SCHEMA_INVALID'],
    [['add', RUN, '--data', '# x'], 2, 'DATA_MALFORMED'],
    [['add', RUN, '--data', '{"title":1}'], 3, 'SCHEMA_INVALID'],
    [['add', 'nothing-there', '--title', 'x', '--run', 'a'], 3, 'PLAN_MISSING'],
  ])('refuses %j and changes nothing', (args, code, error) => {
    const before = imageOf(project);
    const refused = changed(...args);
    expect([refused.code, refused.json.error?.code], refused.stdout).toEqual([code, error]);
    expect(imageOf(project)).toEqual(before);
  });

  it('names the todos where one is not there, and proposes none in its place', () => {
    const { message, fix } = changed('drop', RUN, 'todo-33').json.error ?? {};
    expect([message, fix]).toEqual(['The plan has no todo "todo-33".', 'Its todos: todo-1, todo-2, todo-3.']);
  });

  it('with --dry-run shows the difference and writes nothing', () => {
    const before = imageOf(project);
    const shown = changed('drop', RUN, 'todo-2', '--dry-run', '--text');
    expect(shown.stdout).toContain('todo-2 is withdrawn');
    expect(imageOf(project)).toEqual(before);
  });
});

describe('a part that nobody wants any more', () => {
  const parts = (): PlanContent => {
    const proving = (id: string) => ({
      acceptance: [{ ...aCommand('ac-1', ['grep', 'x', `${id}.txt`]), proves: [id] }],
      serves: [id],
    });
    return {
      ...planOf(making('todo-1', [], proving('r-1')), making('todo-2', [], proving('r-2')), making('todo-3')),
      requirements: ['r-1', 'r-2'].map((id) => ({ id, quote: 'as told', from: 'user', text: id })),
      decisions: [{ text: 'Two blanks', by: 'user', serves: ['r-2'] }],
    };
  };
  beforeEach(() => {
    writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify(parts()));
    expect(devCli(project, ['plan', 'generate', RUN]).code).toBe(0);
  });

  it('is dropped with what only it was for, by the command that the refusal names', () => {
    const refused = changed('drop', RUN, 'todo-2');
    expect(refused.json.error, refused.stdout).toMatchObject({
      code: 'SCHEMA_INVALID',
      fix: expect.stringContaining(`dev-cli plan drop ${RUN} todo-2 --with-requirements`),
    });
    const before = imageOf(project);
    const shown = changed('drop', RUN, 'todo-2', '--with-requirements', '--dry-run', '--text');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('r-2')]);
    expect(imageOf(project)).toEqual(before);
    expect(changed('drop', RUN, 'todo-2', '--with-requirements').code).toBe(0);
    expect(ids()).toEqual(['todo-1', 'todo-3']);
    expect(plan()).toMatchObject({ requirements: [{ id: 'r-1' }] });
    expect(plan().decisions).toBeUndefined();
    expect(changed('validate', RUN).json).toMatchObject({ valid: true, edited: false });
  });

  it('deleted in PLAN.md by hand, every leftover says what to write', () => {
    const path = join(runDir(project, RUN), 'PLAN.md');
    const text = readFileSync(path, 'utf8');
    const cut = text.replace(/### \[ \] todo-2:[\s\S]*?(?=\n###)/, '').replace(/\| r-2 \|.*\n/, '');
    writeProjectFile(project, `.dev/specs/${RUN}/PLAN.md`, cut);
    expect(changed('apply', RUN).json.error).toMatchObject({
      code: 'PLAN_EDITED',
      details: [{ expected: expect.stringContaining('leave r-2 out of the decision "Two blanks"') }],
    });
  });
});

describe('in an execution', () => {
  it('an agent proposes: the files have it, what runs is as before, a person is asked', () => {
    begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] });
    const told = changed('drop', RUN, 'todo-3');
    expect(told.json, told.stdout).toMatchObject({ plan: { status: 'proposed', verdicts: [{ todo: 'todo-3' }] } });
    expect(ids()).toEqual(['todo-1', 'todo-2']);
    expect(journalOf(project, RUN).map(({ type }) => type)).toContain('plan-proposed');
    expect(changed('validate', RUN).json).toMatchObject({ valid: true, edited: false });
  });

  it('an agent is told to show the user what decides at once, and which task need not be begun', () => {
    const [task] = begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] }).tasks;
    const told = changed('drop', RUN, 'todo-1');
    expect(told.json, told.stdout).toMatchObject({
      plan: { status: 'proposed', verdicts: [{ todo: 'todo-2' }, { todo: 'todo-1', verdict: 'withdrawn' }] },
      instruction: expect.stringMatching(/Show the user `answer` before.*todo-1: start none of them/),
      answer: `dev-cli plan apply ${RUN}`,
      next: { tasks: [{ actionId: task?.actionId }] },
    });
    expect(changed('drop', RUN, 'todo-1', '--dry-run').json).not.toHaveProperty('answer');
    const status = devCli(project, ['status', RUN]).stdout;
    expect(status).toMatch(new RegExp(`^you .*dev-cli plan apply ${RUN}$`, 'm'));
  });

  it.skipIf(terminal === null)('a person decides on what is proposed by approve, before a gate asks', () => {
    if (terminal === null) throw new Error(NO_TERMINAL);
    begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] });
    changed('drop', RUN, 'todo-3');
    const at = { cwd: project.root, env: project.env, answers: ['yes'] };
    const { exit, output } = terminal('dev-cli approve', at);
    expect([exit, output], output).toEqual([0, expect.stringContaining('todo-3: removed before it was done')]);
    expect(engineOf(project)).not.toHaveProperty('proposed');
    expect(Object.keys(engineOf(project).todos)).not.toContain('todo-3');
  });

  it.skipIf(terminal === null)(
    'a todo that an agent adds is shown whole to whoever decides, and told as its proposal',
    () => {
      if (terminal === null) throw new Error(NO_TERMINAL);
      const first = begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] });
      const todo = making('todo-9', [['test', '-f', 'made/todo-9.txt']], {
        title: 'Say it twice',
        dependsOn: ['todo-1'],
        steps: ['Write the second line.'],
        mustNotDo: ['Touch the first line.'],
      });
      writeProjectFile(project, '.dev/todo.json', JSON.stringify(todo));
      changed('add', RUN, '--data', '@.dev/todo.json');
      const whole = [
        'work, risk low, after todo-1',
        '**Files** `made/todo-9*`',
        '1. Write the second line.',
        '- Touch the first line.',
        '- ac-1: `test -f made/todo-9.txt` exit 0',
      ];
      const diff = changed('diff', RUN).stdout;
      for (const line of whole) expect(diff).toContain(line);
      doAll(project, first);
      const gate = waited(project);
      for (const line of whole) expect(gate['message']).toContain(line);
      const at = { cwd: project.root, env: project.env, answers: ['approve'] };
      expect(terminal(`dev-cli approve ${RUN}`, at).exit).toBe(0);
      expect(devCli(project, ['abort', RUN, '--reason', 'enough']).code).toBe(0);
      expect(part(document(project, 'report.md'), 'Changed on the way')).toEqual([
        expect.stringMatching(
          /^added, as the agent proposed and a person approved, \d{4}-\S+Z: todo-9 \(Say it twice\)$/,
        ),
      ]);
    },
  );

  it.skipIf(terminal === null)('the gate about a proposal without a command has no heading for one', () => {
    if (terminal === null) throw new Error(NO_TERMINAL);
    const first = begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] });
    changed('drop', RUN, 'todo-3');
    doAll(project, first);
    expect(waited(project)).toMatchObject({ action: 'wait-for-user' });
    const at = { cwd: project.root, env: project.env, answers: ['approve'] };
    const { exit, output } = terminal(`dev-cli approve ${RUN}`, at);
    expect(exit, output).toBe(0);
    expect(output).toContain('todo-3 is withdrawn');
    expect(output).not.toContain('Commands, run by dev-cli');
  });

  it.skipIf(terminal === null)('a person who would decide before the gate asks is told how', () => {
    if (terminal === null) throw new Error(NO_TERMINAL);
    begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] });
    changed('drop', RUN, 'todo-3');
    for (const command of ['approve', `approve ${RUN}`]) {
      const { exit, output } = terminal(`dev-cli ${command}`, { cwd: project.root, env: project.env });
      expect(exit, output).not.toBe(0);
      expect(output).toContain('proposes a changed plan');
      expect(output).toContain(`dev-cli plan diff ${RUN}`);
    }
    const at = { cwd: project.root, env: project.env, answers: ['yes'] };
    const { exit, output } = terminal(`dev-cli plan apply ${RUN}`, at);
    expect(exit, output).toBe(0);
    expect(engineOf(project)).not.toHaveProperty('proposed');
  });

  it('what was proposed is taken out of the files again by a drop', () => {
    begin(project, chain(), { flags: ['--set', 'approve_commands=auto'] });
    expect(changed('add', RUN, '--title', 'More', '--run', 'true').json).toMatchObject({ todo: 'todo-4' });
    expect(ids()).toContain('todo-4');
    const told = changed('drop', RUN, 'todo-4');
    expect(told.json, told.stdout).toMatchObject({ plan: { status: 'unchanged', verdicts: [] } });
    expect(ids()).toEqual(['todo-1', 'todo-2', 'todo-3']);
    expect(readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8')).not.toContain('todo-4');
    expect(changed('validate', RUN).json).toMatchObject({ valid: true, edited: false });
  });

  it('says that only the order changes, and how', () => {
    begin(project, planOf(...['todo-1', 'todo-2', 'todo-3'].map((id) => making(id))));
    const shown = changed('move', RUN, 'todo-3', '--before', 'todo-2', '--dry-run', '--text');
    expect(shown.stdout).toContain('The order of the todos changes: todo-3 from place 3 to 2.');
    expect(shown.stdout).not.toContain('something beside');
  });

  it('in autopilot is for a person, whose command is named whole', () => {
    begin(project, chain());
    const before = imageOf(project);
    const refused = changed('move', RUN, 'todo-3', '--before', 'todo-2');
    expect(refused.json.error).toMatchObject({
      code: 'TERMINAL_REQUIRED',
      answer: `dev-cli plan move ${RUN} todo-3 --before todo-2`,
    });
    expect(imageOf(project)).toEqual(before);
  });

  it.skipIf(terminal === null)('a person is shown it and asked once; a no writes nothing', () => {
    if (terminal === null) throw new Error(NO_TERMINAL);
    begin(project, chain());
    const typed = (answer: string) =>
      terminal(`dev-cli plan drop ${RUN} todo-3`, { cwd: project.root, env: project.env, answers: [answer] });
    const no = typed('no');
    expect([no.exit, ids().length], no.output).toEqual([2, 3]);
    expect(no.output).toContain('todo-3: removed before it was done');
    const yes = typed('yes');
    expect([yes.exit, ids().length], yes.output).toEqual([0, 2]);
    expect(journalOf(project, RUN).filter(({ type }) => type === 'plan-applied')).toHaveLength(1);
  });
});
