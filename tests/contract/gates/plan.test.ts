import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { begin, goOn, making, planOf, RUN, SHORT } from '../../adversarial/binary/executing.js';
import { printAnew } from '../../core/plan/rich.js';
import type { Action } from '../../support/agent.mjs';
import {
  devCli,
  journalOf,
  nextOf,
  runDir,
  runPrinted,
  stateOf,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { smallPlan } from '../../support/small.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, startTiny } from '../../support/tiny.js';

// living-plan.md, At a gate: a person at a terminal changes the plan that the gate is about.

const PLAN_BLOCKS = [
  '\n  - id: plan\n    type: llm+cli\n    instruction: Plan.\n    write: plan-content.json\n    then: dev-cli plan generate {name} --data plan-content.json\n',
  '\n  - id: approve\n    type: wait-for-user\n    human: required\n    artifact: PLAN.md\n    message: Shall it be?\n    choices: [{ id: approve, label: go, goto: next }, { id: revise, label: again, goto: plan, reason: required }, { id: stop, label: no, goto: halt }]\n',
  '\n  - id: end\n    type: llm\n    instruction: End.\n',
];
const terminal = findRealTerminal();

useProject({ sample: null });

/** Runs a command at a terminal. The editor and the pager are shell lines; the editor gets the file as `$1`. */
function typed(
  command: string,
  answers: string[],
  { edit = 'true', columns = 100, TERM = 'xterm', pager = 'cat' } = {},
) {
  const editor = join(project.home, 'editor');
  writeFileSync(editor, `#!/bin/sh\n${edit}\n`);
  chmodSync(editor, 0o755);
  const env = { ...project.env, TERM, PAGER: pager, VISUAL: '', EDITOR: editor };
  const line = `stty cols ${columns} rows 40; dev-cli ${command}`;
  return terminal?.(line, { cwd: project.root, env, answers }) ?? { exit: -1, output: '' };
}

function openPlanGate(action: Action = startTiny(project, PLAN_BLOCKS)): void {
  writeProjectFile(project, action.data?.write ?? '', JSON.stringify(smallPlan()));
  expect(acknowledge(project, action).code).toBe(0);
}

const rename = (title: string) => `sed -i.orig 's/^### .*todo-1: .*/### todo-1: ${title}/' "$1"`;
const choice = () => stateOf(project, 'run-1').gates['approve']?.choice;
const plan = (run = 'run-1'): PlanContent =>
  JSON.parse(readFileSync(join(runDir(project, run), 'plan-content.json'), 'utf8')) as PlanContent;
/** Changes PLAN.md, as a person with an editor does. */
function editMd(run: string, change: (text: string) => string): void {
  const path = join(runDir(project, run), 'PLAN.md');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

describe.skipIf(terminal === null)(
  `a gate about a plan${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  () => {
    it.each([
      ['e', 100, 'xterm'],
      ['E', 20, 'xterm'],
      ['edit', 100, 'dumb'],
    ])(
      '%s on %i columns, TERM %s: edits the plan, shows what changed, and the answer counts for the new plan',
      (key, columns, TERM) => {
        openPlanGate();
        const { exit, output } = typed('approve run-1', ['x', key, '1'], { edit: rename('Otherwise'), columns, TERM });
        expect(exit, output).toBe(0);
        expect(output).toContain('There is no such choice.');
        expect(output.replace(/[\s│]+/g, ' ')).toContain('What changed since the question was asked');
        expect([choice(), plan().todos[0]?.title]).toEqual(['approve', 'Otherwise']);
        expect(devCli(project, ['next', 'run-1']).json).toMatchObject({ block: 'end' });
        expect(devCli(project, ['replay', 'run-1', '--check']).code).toBe(0);
      },
    );

    it('is what is to be answered first, as the init of its execution says', () => {
      openPlanGate();
      expect(devCli(project, ['init', 'run-1', '--execute']).json.error).toMatchObject({
        code: 'RUN_EXISTS',
        fix: expect.stringMatching(/waits for an answer from the user.*dev-cli next run-1$/),
        answer: 'dev-cli approve run-1',
      });
      expect(devCli(project, ['hold', 'run-1', '--reason', 'lunch']).code).toBe(0);
      const held = devCli(project, ['init', 'run-1', '--execute']).json.error;
      expect(held).toMatchObject({
        code: 'RUN_EXISTS',
        fix: expect.stringMatching(/^To continue it: dev-cli release run-1/),
      });
      expect(held).not.toHaveProperty('answer');
    });

    it('an edit that cannot be taken up is told, kept, and leaves the gate as it was', () => {
      openPlanGate();
      const { exit, output } = typed('approve run-1', ['e', '2', '3'], {
        edit: 'echo "> quoted" >> "$1"',
        TERM: 'dumb',
      });
      expect(exit, output).toBe(0);
      expect(output).toMatch(/PLAN\.md:\d+: a quotation/);
      expect([choice(), existsSync(join(runDir(project, 'run-1'), 'edit'))]).toEqual(['stop', true]);
    });

    it('an editor that fails ends nothing', () => {
      openPlanGate();
      const { exit, output } = typed('approve run-1', ['e', '', '1'], { edit: 'exit 3' });
      expect([exit, choice()], output).toEqual([0, 'approve']);
      expect(output).toContain('ended with exit status 3');
    });

    it('d shows the difference', () => {
      openPlanGate();
      expect(typed('approve run-1', ['e', ''], { edit: rename('Otherwise') }).exit).toBe(2);
      const { exit, output } = typed('approve run-1', ['d', '', 'diff', '', '1']);
      expect(exit, output).toBe(0);
      expect(output.match(/the plan of round 1 → plan-content\.json/g)).toHaveLength(2);
    });

    it('takes up what was edited in PLAN.md before, in three keys', () => {
      openPlanGate();
      editMd('run-1', (text) => text.replace(/^### .*todo-1: .*/m, '### [ ] todo-1: By hand'));
      const { exit, output } = typed('approve run-1', ['1']);
      expect([exit, choice(), plan().todos[0]?.title], output).toEqual([0, 'approve', 'By hand']);
      expect(output.replace(/[\s│]+/g, ' ')).toContain('What changed since the question was asked');
    });

    it.each(['PLAN.md', 'plan-content.json'])(
      '%s changed while they read: they are to look again, and nothing is lost',
      (file) => {
        openPlanGate();
        // While the person looks at the plan, somebody else changes it.
        const change = `sed -i.orig 's/Title of todo-2/By another/' .dev/specs/run-1/${file}`;
        const first = typed('approve run-1', ['p', '', '1'], { pager: `cat; ${change}` });
        expect(first.exit, first.output).not.toBe(0);
        expect(first.output.replace(/\s+/g, ' ')).toContain(
          'The plan changed while you were asked; nothing was decided. See what changed, and answer again: dev-cli approve run-1',
        );
        const { exit, output } = typed('approve run-1', ['1']);
        expect([exit, choice(), plan().todos[1]?.title], output).toEqual([0, 'approve', 'By another']);
        expect(output).toContain('What changed since the question was asked');
      },
    );

    it('asks again where an editor that had returned saves another plan meanwhile', () => {
      openPlanGate();
      const save = `sed -i.orig 's/Title of todo-2/Saved later/' .dev/specs/run-1/edit/PLAN.md`;
      const first = typed('approve run-1', ['e', '', 'p', '', '1'], { pager: `cat; ${save}` });
      expect([first.exit === 0, choice()], first.output).toEqual([false, undefined]);
      expect(first.output).toContain('The plan changed while you were asked; nothing was decided.');
      const { exit, output } = typed('approve run-1', ['1']);
      expect([exit, choice(), plan().todos[1]?.title], output).toEqual([0, 'approve', 'Saved later']);
      expect(output).toContain('What changed since the question was asked');
    });

    it('names what cannot be taken up, and can still be answered with another plan or none', () => {
      openPlanGate();
      editMd('run-1', (text) => `${text}\n> quoted\n`);
      const { exit, output } = typed('approve run-1', ['2']);
      expect([exit, choice()], output).toEqual([0, 'stop']);
      expect(output).toMatch(/PLAN\.md:\d+: a quotation/);
      expect(output).not.toMatch(/\d {2}approve/);
    });
  },
);

it('an agent that answers about a plan which somebody edited is led to the edit, and not past it', () => {
  openPlanGate(startTiny(project, [PLAN_BLOCKS.join('').replace('    human: required\n', '')]));
  editMd('run-1', (text) => text.replace(/^### .*todo-1: .*/m, '### [ ] todo-1: By hand'));
  const { choices = [] } = devCli(project, ['next', 'run-1']).json as unknown as Action;
  const { error } = runPrinted(project, choices[0]?.ack ?? '').json;
  expect(error).toMatchObject({ code: 'PLAN_EDITED', fix: 'dev-cli plan apply run-1' });
  expect(runPrinted(project, error?.fix ?? '').code).toBe(0);
  expect(plan().todos[0]?.title).toBe('By hand');
  const asked = runPrinted(project, runPrinted(project, choices[0]?.ack ?? '').json.error?.fix ?? '').json;
  expect(runPrinted(project, nextOf(asked).choices?.[0]?.ack ?? '').code).toBe(0);
  expect(choice()).toBe('approve');
});

describe.skipIf(terminal === null)('a gate of an execution', () => {
  const chain = () => planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));

  it('asks about the plan as it was edited', () => {
    begin(project, chain(), { flags: [] });
    const { exit, output } = typed(`approve ${RUN}`, ['d', '', 'e', '1'], { edit: rename('Otherwise') });
    expect(exit, output).toBe(0);
    expect(output).toContain('Nothing has changed since you were asked.');
    expect(plan(RUN).todos[0]?.title).toBe('Otherwise');
    expect(journalOf(project, RUN).filter(({ type }) => type === 'plan-applied')).toHaveLength(1);
    expect(nextOf({ next: devCli(project, ['next', RUN]).json } as never).action).toBe('engine-dispatch');
  });

  it.each([
    ['a formatter printed anew', (text: string) => printAnew(text, '*', '_')],
    ['has a box ticked', (text: string) => text.replace('### [ ] todo-1', '### [x] todo-1')],
    ['has other line endings', (text: string) => text.replaceAll('\n', '\r\n')],
  ])('about the plan is answered where PLAN.md %s', (_, print) => {
    openPlanGate();
    expect(devCli(project, ['abort', 'run-1', '--reason', 'Later']).code).toBe(0);
    const begun = devCli(project, ['init', 'run-1', '--recipe', writeRecipe(project, 'short', SHORT(1))]);
    expect(nextOf(begun.json).message).toContain('This plan has not been approved in its present form');
    editMd('run-1', print);
    const { exit, output } = typed('approve run-1', ['1']);
    expect(exit, output).toBe(0);
    expect(devCli(project, ['next', 'run-1']).json).toMatchObject({ action: 'engine-dispatch' });
  });

  it('asks once about a plan that was changed, and then what it asks', () => {
    const human = { id: 'ac-9', kind: 'human' as const, text: 'It looks right' };
    const todo = making('todo-1', [['true']]);
    const first = begin(project, planOf({ ...todo, acceptance: [...todo.acceptance, human] }, making('todo-2')), {
      flags: ['--set', 'approve_commands=auto'],
    });
    expect(goOn(project, first)).toMatchObject({ action: 'wait-for-user' });
    editMd(RUN, (text) => text.replace(/^### (.*)todo-2: .*/m, '### $1todo-2: By hand'));
    const { exit, output } = typed(`approve ${RUN}`, ['yes', '1']);
    expect(exit, output).toBe(0);
    expect(output).toContain('is carrying out its plan, and PLAN.md changes it');
    expect(journalOf(project, RUN).filter(({ type }) => type === 'plan-applied')).toHaveLength(1);
    expect(plan(RUN).todos[1]?.title).toBe('By hand');
  });
});

describe.skipIf(terminal === null)('init --execute', () => {
  it('shows a person the edited plan and asks once; an agent is told what to run', () => {
    const recipe = writeRecipe(
      project,
      'short',
      'name: short\ntype: engine\nskill: execute\nconfig:\n  depth: standard\n',
    );
    writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify(planOf(making('todo-1'))));
    devCli(project, ['plan', 'generate', RUN]);
    editMd(RUN, (text) => text.replace(/^### .*todo-1: .*/m, '### [ ] todo-1: By hand'));
    const refused = devCli(project, ['init', RUN, '--recipe', recipe]);
    expect(refused.json.error).toMatchObject({ code: 'PLAN_EDITED', fix: expect.stringContaining('plan apply') });
    const no = typed(`init ${RUN} --recipe ${recipe}`, ['no']);
    expect([no.exit, plan(RUN).todos[0]?.title === 'By hand'], no.output).toEqual([2, false]);
    const yes = typed(`init ${RUN} --recipe ${recipe}`, ['yes']);
    expect([yes.exit, plan(RUN).todos[0]?.title], yes.output).toEqual([0, 'By hand']);
    expect(yes.output).toContain('{+By hand+}');
    expect(stateOf(project, RUN)).toMatchObject({ status: 'live' });
  });
});
