import { rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { aCommand, aPlan, aTodo } from '../../core/plan/fixture.js';
import { devCli, stateOf, writeProjectFile } from '../../support/cli.js';
import { callDoor } from '../../support/door.js';
import { project, useProject } from '../../support/each-project.js';
import { call, eventsOf } from '../../support/loop.js';
import { acknowledge, startTiny } from '../../support/tiny.js';

// loop-operations.md, Inbox: the person at the terminal answers a gate once, and sees what it is about.

useProject({ sample: null });
beforeEach(() => {
  writeProjectFile(project, '.ai/config.yaml', 'test_command: "true"\nai_tool: x {prompt}\n');
  writeProjectFile(project, '.ai/goals.yaml', 'goals: []\n');
});

const BLOCKS = [
  '\n  - id: think\n    type: llm\n    instruction: Write NOTE.md.\n',
  `
  - id: look
    type: wait-for-user
    human: required
    artifact: /NOTE.md
    message: Is this the note?
    choices:
      - { id: again, label: think again, goto: think, reason: required }
      - { id: go, label: go on, goto: next }
      - { id: stop, label: stop here, goto: halt }
`,
  '\n  - id: end\n    type: llm\n    instruction: End.\n',
];

interface Item {
  inbox_id: string;
  reason_code: string;
  latest_action: string | null;
  answer: string;
}
const items = () => call(project, ['inbox', 'list']).json['items'] as Item[];
const actionOf = () => devCli(project, ['next', 'run-1']).json;

/** Answers an action of the inbox as a person who types these lines. */
function act(action: string, typed: string[], ...more: string[]) {
  const argv = ['inbox', 'act', items()[0]?.inbox_id ?? 'none', '--action', action, '--operator', 'anna', ...more];
  return callDoor({ argv, cwd: project.root, env: project.env, typed });
}
const answers = () =>
  eventsOf(project).flatMap(({ event_type: type, payload }) => (type === 'operator_inbox_action' ? [payload] : []));

function open(): void {
  const first = startTiny(project, BLOCKS);
  writeProjectFile(project, 'NOTE.md', '# One\n');
  expect(acknowledge(project, first).code).toBe(0);
}
const gate = () => stateOf(project, 'run-1').gates['look'];

describe('a gate in the inbox', () => {
  it.each([
    ['approve', [], 'go', 'live'],
    ['reject', [], 'stop', 'halted'],
    ['approve', ['--choice', 'again'], 'again', 'live'],
    ['reject', ['--choice', 'again'], 'again', 'live'],
  ])('%s %j answers %s, with the reason: the run is %s', (action, more, choice, status) => {
    open();
    const { exit, stdout } = act(action, ['yes'], '--reason', 'As we said', ...more);
    expect(exit).toBe(0);
    for (const shown of ['Is this the note?', '# One', 'go on', `Type yes to answer «${choice}»`])
      expect(stdout).toContain(shown);
    expect(gate()).toMatchObject({ choice, by: 'human', note: 'As we said' });
    expect(stateOf(project, 'run-1').status).toBe(status);
    expect(answers()).toEqual([
      {
        ...{ inbox_id: 'inbox-run-1-a2', action, operator_id: 'anna', goal_id: null, goal_status: null },
        ...{ reason: 'As we said', reason_code: 'gate' },
      },
    ]);
    const argv = ['inbox', 'act', 'inbox-run-1-a2', '--action', 'approve', '--operator', 'ben'];
    const late = callDoor({ argv: [...argv, '--json'], cwd: project.root, env: project.env, typed: ['yes'] });
    expect([late.exit, JSON.parse(late.stdout).error.code]).toEqual([4, 'INBOX_REFUSED']);
    expect(answers()).toHaveLength(1);
  });

  it('stays open where it is deferred, not confirmed, or no terminal or no such choice is there', () => {
    open();
    expect(act('defer', []).exit).toBe(0);
    expect(items()).toMatchObject([{ latest_action: 'defer', answer: 'dev-cli approve run-1' }]);
    expect(act('approve', ['no']).stderr).toMatch(/^UNKNOWN_CHOICE.*Nothing changed/);
    expect(act('approve', ['yes'], '--choice', 'none').stderr).toMatch(/^UNKNOWN_CHOICE/);
    expect(act('approve', ['yes'], '--goal-status', 'active').stderr).toMatch(/unauthorized transition/);
    const argv = ['inbox', 'act', 'inbox-run-1-a2', '--action', 'reject', '--operator', 'anna'];
    expect(call(project, argv).json.error?.code).toBe('TERMINAL_REQUIRED');
    project.env['DEV_CLI_AGENT'] = '1';
    expect(act('approve', ['yes']).stderr).toMatch(/^TERMINAL_REQUIRED/);
    delete project.env['DEV_CLI_AGENT'];
    expect([gate(), items().length, answers().length]).toEqual([undefined, 1, 1]);
  });

  it('whose artifact has changed since is not approved: nothing is answered', () => {
    open();
    const before = items();
    writeProjectFile(project, 'NOTE.md', '# Two\n');
    expect(items()).toEqual(before);
    const { exit, stdout, stderr } = act('approve', ['yes']);
    expect([exit, stdout]).toEqual([3, expect.stringContaining('# Two')]);
    expect(stderr).toMatch(/^INPUT_CHANGED: NOTE\.md changed after the question was asked\. dev-cli step invalidate/);
    expect([gate(), items()]).toEqual([undefined, before]);
    // The changed artifact only prevents an approval. A choice that leads back to an earlier block is accepted.
    expect(act('approve', ['yes'], '--choice', 'again', '--reason', 'why').exit).toBe(0);
    expect(gate()).toMatchObject({ choice: 'again', stale: true });
  });

  it('of a run that was halted meanwhile is gone; what halted says its command, and takes no answer but defer', () => {
    open();
    const [{ inbox_id: id } = { inbox_id: '' }] = items();
    expect(act('reject', ['yes']).exit).toBe(0);
    const answer = 'dev-cli step invalidate run-1 --step look';
    expect(items()).toMatchObject([{ reason_code: 'halted', inbox_id: 'inbox-run-1-halted', answer }]);
    const said = (one: string, action: string) =>
      call(project, ['inbox', 'act', one, '--action', action, '--operator', 'ben']).json;
    expect(said(id, 'approve').error).toMatchObject({ code: 'INBOX_REFUSED', details: [{ reason_code: 'unknown' }] });
    for (const action of ['approve', 'reject'])
      expect(said('inbox-run-1-halted', action)).toMatchObject({
        error: { code: 'INBOX_REFUSED', details: [{ reason_code: 'not_answered_here' }], answer },
      });
    expect(said('inbox-run-1-halted', 'defer')).toMatchObject({ ok: true, resolved: false });
    expect(items()).toMatchObject([{ latest_action: 'defer' }]);
    expect(actionOf()['action']).toBe('done');
  });

  it.each([
    ['approve', 'approve'],
    ['reject', 'stop'],
  ])('of the engine: %s answers %s', (action, choice) => {
    const plan = aPlan({ todos: [aTodo('todo-1', { acceptance: [aCommand('ac-1', ['test', '-e', 'x'])] })] });
    writeProjectFile(project, 'plan.json', JSON.stringify(plan));
    expect(devCli(project, ['plan', 'generate', 'run-1', '--data', '@plan.json']).code).toBe(0);
    rmSync(`${project.root}/plan.json`);
    expect(devCli(project, ['init', 'run-1', '--execute']).code).toBe(0);
    const { exit, stdout, stderr } = act(action, ['yes'], '--reason', 'why');
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Type yes to answer «${choice}»`);
    expect(answers()).toMatchObject([{ action, reason_code: 'gate', reason: 'why' }]);
    expect(items().map(({ reason_code: code }) => code)).toEqual(action === 'approve' ? [] : ['halted']);
  });
});
