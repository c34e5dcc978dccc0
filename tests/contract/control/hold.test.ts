import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import {
  begin,
  type Dispatch,
  doAll,
  document,
  goOn,
  hand,
  making,
  planOf,
  RUN,
} from '../../adversarial/binary/executing.js';
import type { Action } from '../../support/agent.mjs';
import {
  type Document,
  devCli,
  devCliAsync,
  imageOf,
  journalOf,
  nextOf,
  runPrinted,
  stateOf,
  writeProjectFile,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook } from '../../support/hooks.js';
import { createProject, type Project } from '../../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import {
  AGENTS_BLOCK,
  acknowledge,
  CHOICE_BLOCK,
  choose,
  DATA_BLOCK,
  deliver,
  END_BLOCK,
  GATE_BLOCK,
  PLAIN_BLOCK,
  startTiny,
  tiny,
  writeSections,
} from '../../support/tiny.js';

// control.md, Holding; control.md, Releasing; control.md, The action: `hold`, `release`, and the action `held`.

const NAME = 'run-1';

useProject({ sample: null });

const terminal = findTerminal();

function typed(command: string, answers: string[] = []): string {
  const told = terminal?.(`dev-cli ${command}`, { cwd: project.root, env: project.env, answers });
  return told?.output ?? '';
}

/** Makes a call that must succeed. */
function call(...words: string[]): Document {
  const { code, stdout, json } = devCli(project, words);
  expect(code, stdout).toBe(0);
  return json;
}

const next = (name = NAME): Action & Document => call('next', name) as Action & Document;
const hold = (...words: string[]): Action & Document => nextOf(call('hold', NAME, ...words)) as Action & Document;
const release = (name = NAME): Action => nextOf(call('release', name));
const types = (name = NAME): unknown[] => journalOf(project, name).map((entry) => entry['type']);

/** Returns an action without values that differ between runs. */
const bare = (action: object): string => JSON.stringify(action).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');

describe('hold and release with nothing between', () => {
  it('leave the pending action as it was, byte for byte, and are an entry each', () => {
    startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    const before = devCli(project, ['next', NAME]).stdout;
    const { pendingAction } = stateOf(project, NAME);
    hold();
    release();
    expect(devCli(project, ['next', NAME]).stdout).toBe(before);
    expect(stateOf(project, NAME).pendingAction).toEqual(pendingAction);
    expect(types().slice(-2)).toEqual(['held', 'released']);
    expect(call('replay', NAME, '--check')).toMatchObject({ ok: true, differences: [] });
  });

  it('are duplicates where nothing is to be done, and change nothing', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    expect(call('release', NAME)).toMatchObject({ status: 'released', duplicate: true });
    hold('--reason', 'because');
    const image = imageOf(project);
    expect(call('hold', NAME, '--reason', 'another')).toMatchObject({ duplicate: true, next: { reason: 'because' } });
    expect(imageOf(project)).toEqual(image);
  });
});

/** Does what an action asks for and acknowledges it; returns the next action shown. */
function doStep(place: Project, action: Action): Action {
  if (action.data !== undefined) writeSections(place, action, { boundaries: 'None.' });
  deliver(place, action);
  const { code, stdout, json } =
    action.choices === undefined ? acknowledge(place, action) : choose(place, action, 'red');
  expect(code, stdout).toBe(0);
  return nextOf(json);
}

/** Does the same as `doStep`, with a hold before the acknowledgement and a release after it. */
function stepHeld(action: Action): Action {
  hold();
  const after = doStep(project, action);
  if (after.done === true) return after;
  expect(after).toMatchObject({ action: 'held' });
  expect(after).not.toHaveProperty('pending');
  expect(stateOf(project, NAME).pendingAction).toBeNull();
  return release();
}

describe('while a run is held', () => {
  it('a task that was issued and that nobody has started is left until the release', () => {
    const first = begin(project, planOf(making('todo-1')), { flags: ['--set', 'approve_commands=auto'] });
    // Issues the next attempt, and holds the run before the agent has been told of that attempt.
    call('step', 'invalidate', RUN, '--step', 'todo-1', '--note', 'anew');
    const held = nextOf(call('hold', RUN)) as Action & Dispatch;
    expect(held).toMatchObject({ action: 'held' });
    const issued = held.running?.find(({ todoId }) => todoId === 'todo-1');
    expect(issued?.actionId).not.toBe(first.tasks.find(({ todoId }) => todoId === 'todo-1')?.actionId);
    expect(held.instruction).toContain(
      'tasks that you have not started yet, even if listed here, wait until the release',
    );
    const released = release(RUN) as Action & Dispatch;
    expect([...released.tasks, ...(released.running ?? [])].map(({ actionId }) => actionId)).toContain(
      issued?.actionId,
    );
  });

  it('every question tells who holds it, since when and why, what is out, and what releases it', () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const held = hold('--reason', 'The API changes on Monday.');
    expect(held).toMatchObject({
      action: 'held',
      by: 'agent',
      reason: 'The API changes on Monday.',
      pending: { actionId: first.actionId, ack: first.ack, instruction: first.instruction },
      answer: `dev-cli release ${NAME}`,
    });
    expect(held.actionId).toBeUndefined();
    expect(next()).toEqual(held);
    expect(devCli(project, ['next', NAME, '--text']).stdout).toMatch(
      /held since .+ by agent\nThe API[\s\S]+ack: dev-cli/,
    );
    expect(devCli(project, ['manifest', NAME]).stdout).toContain('The run is held');
    expect(devCli(project, ['status', NAME]).stdout).toMatch(
      /now +held by the agent: The API changes on Monday\.; waiting for the agent: think.*\nyou +let it go on: dev-cli release run-1/,
    );
    expect(call('status', NAME, '--json')).toMatchObject({
      waitsFor: 'held',
      since: held.since,
      held: { by: 'agent' },
    });
    expect(call('list', '--json')['runs']).toMatchObject([{ waitsFor: 'held' }]);
    release();
    expect(devCli(project, ['history', NAME]).stdout).toMatch(/held: The API changes on Monday\.[\s\S]+released/);
    expect(call('status', NAME, '--json')['held']).toBeUndefined();
  });

  it('what is out is acknowledged and checked, what follows is kept, and the same action comes as without a hold', () => {
    const other = createProject({ sample: null });
    const blocks = [CHOICE_BLOCK, DATA_BLOCK, AGENTS_BLOCK, END_BLOCK];
    const told = [project, other].map((place) => {
      const actions = [startTiny(place, blocks)];
      for (const action of actions) {
        if (action.done !== true) actions.push(place === project ? stepHeld(action) : doStep(place, action));
      }
      return actions.map(bare);
    });
    other.remove();
    expect(told[0]).toEqual(told[1]);
    expect(told[0]?.at(-1)).toContain('completed');
    expect(stateOf(project, NAME)).not.toHaveProperty('held');
  });

  it('evidence is demanded as ever, and a late acknowledgement is a duplicate', () => {
    const first = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    hold();
    const refused = acknowledge(project, first);
    expect([refused.code, refused.json.error?.code]).toEqual([3, 'EVIDENCE_MISSING']);
    deliver(project, first);
    expect(nextOf(acknowledge(project, first).json).action).toBe('held');
    expect(acknowledge(project, first).json).toMatchObject({ duplicate: true, next: { action: 'held' } });
    expect(devCli(project, ['step', 'complete', NAME, '--action', 'a2']).json.error?.code).toBe('STALE_ACTION');
  });

  it('an open gate may be answered; where it leads is kept, with the reason that was given', () => {
    const think = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    const gate = nextOf(acknowledge(project, think).json);
    const held = hold();
    expect(held['pending']).toMatchObject({ choices: gate.choices, message: gate.message });
    writeProjectFile(project, `.dev/specs/${NAME}/actions/${gate.actionId}/note.md`, 'Think harder.');
    expect(nextOf(choose(project, gate, 'again').json).action).toBe('held');
    const again = release();
    expect(again).toMatchObject({ block: 'think', action: 'llm' });
    expect(again.read).toEqual([`.dev/specs/${NAME}/actions/${gate.actionId}/note.md`]);
  });

  it('no command of the recipe is begun, and the next phase of a workflow neither', () => {
    tiny(project, 'one', [PLAIN_BLOCK, '\n  - id: outside\n    type: cli\n    command: dev-cli cleanup {name}\n']);
    tiny(project, 'two', [END_BLOCK]);
    const phases = ['one', 'two'].map((name) => `  - { name: ${name}, recipe: ${name} }\n`).join('');
    writeProjectFile(project, '.dev/workflows/flow.yaml', `name: flow\ntype: meta\nskill: open\nphases:\n${phases}`);
    const first = nextOf(call('init', NAME, '--workflow', 'flow', '--goal', 'x'));
    hold();
    expect(nextOf(acknowledge(project, first).json).action).toBe('held');
    expect(types()).not.toContain('ran');
    call('release', NAME);
    expect(types()).toContain('ran');
    call('step', 'invalidate', NAME, '--step', 'last');
    hold();
    expect(call('abort', NAME, '--reason', 'enough')['next']).toMatchObject({ done: true, outcome: 'aborted' });
  });

  it('between two phases the first action of the second is kept', () => {
    tiny(project, 'one', [PLAIN_BLOCK]);
    tiny(project, 'two', [END_BLOCK]);
    const phases = ['one', 'two'].map((name) => `  - { name: ${name}, recipe: ${name} }\n`).join('');
    writeProjectFile(project, '.dev/workflows/flow.yaml', `name: flow\ntype: meta\nskill: open\nphases:\n${phases}`);
    const first = nextOf(call('init', NAME, '--workflow', 'flow', '--goal', 'x'));
    hold();
    expect(nextOf(acknowledge(project, first).json).action).toBe('held');
    expect(devCli(project, ['status', NAME]).stdout).toContain('nothing is under way');
    expect(release()).toMatchObject({ block: 'last', action: 'llm' });
  });

  it('a step may be invalidated; its action comes with the release', () => {
    const think = startTiny(project, [PLAIN_BLOCK, CHOICE_BLOCK, END_BLOCK]);
    acknowledge(project, think);
    hold();
    const { next: kept } = call('step', 'invalidate', NAME, '--step', 'think', '--note', 'Mind the tests.');
    expect(kept).toMatchObject({ action: 'held' });
    const again = release();
    expect(again).toMatchObject({ block: 'think' });
    expect(again.read?.join()).toContain('ruled.md');
  });

  it('a fork of it is not held, and begins what was kept', () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    hold();
    acknowledge(project, first);
    const seq = journalOf(project, NAME).length;
    const forked = nextOf(call('fork', NAME, '--at', String(seq), '--as', 'other'));
    expect(forked).toMatchObject({ run: 'other', block: 'last', action: 'llm' });
    expect(next().action).toBe('held');
  });

  it('a halted run stays held: reopening it begins nothing', () => {
    const think = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    const gate = nextOf(acknowledge(project, think).json);
    hold();
    const done = nextOf(choose(project, gate, 'stop').json);
    expect(done).toMatchObject({ done: true, outcome: 'halted' });
    expect(nextOf(runPrinted(project, done.resume ?? '').json).action).toBe('held');
    expect(release()).toMatchObject({ block: 'confirm', action: 'wait-for-user' });
  });

  it('no hook asks the agent to go on', () => {
    startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    const payload = { session_id: 's-1', cwd: project.root };
    callHook(project, 'session-start', 'claude', { ...payload, source: 'startup' });
    devCli(project, ['use', 'run-1'], { env: { DEV_CLI_SESSION: 's-1' } });
    const stop = () => callHook(project, 'stop', 'claude', payload);
    expect(stop().stdout).toContain('block');
    hold();
    expect(stop().stdout).toBe('');
  });
});

describe.skipIf(terminal === null)(
  `an execution that a person holds${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  () => {
    const plan = planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));

    it('hands out nothing under another recipe, a larger size or another name', () => {
      const first = begin(project, plan);
      typed(`hold ${RUN}`);
      expect(nextOf(doAll(project, first).json).action).toBe('held');
      // Writes a copy of the plan, and a part of it with another goal and other files.
      writePlan('copy', plan);
      writePlan('part', { ...planOf(making('todo-1', [['true']], { files: ['elsewhere/**'] })), context: other(plan) });
      const image = imageOf(project);
      for (const words of [
        ['init', RUN, '--execute', '--autopilot', '--force'],
        ['init', RUN, '--execute', '--autopilot', '--quick'],
        ['init', RUN, '--size', 'large'],
        ['init', 'copy', '--execute', '--autopilot'],
        ['init', 'copy', '--execute', '--autopilot', '--new', '--goal', 'Something else'],
        ['init', 'part', '--execute', '--autopilot', '--new'],
      ]) {
        const { code, json } = devCli(project, words);
        const held = { run: RUN, error: { code: 'RUN_HELD', answer: `dev-cli release ${RUN}` } };
        expect([code, json], words.join(' ')).toMatchObject([4, held]);
        expect(imageOf(project)).toEqual(image);
      }
      writePlan('apart', { ...planOf(making('todo-7', [['true']], { files: ['apart/**'] })), context: other(plan) });
      expect(devCli(project, ['init', 'apart', '--execute', '--autopilot', '--new']).code).toBe(0);
    });
  },
);

describe.skipIf(terminal === null)(
  `a refusal that a held run causes${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  () => {
    it.each([
      ['FILES_OVERLAP', 4, ['init', 'beside', '--execute', '--autopilot', '--new']],
      ['MODE_CONTRADICTION', 2, ['init', RUN, '--execute', '--interactive']],
      ['RUN_HELD', 4, ['pull-request', 'branch', RUN]],
      ['RUN_HELD', 4, ['pull-request', 'open', RUN]],
    ])('names the hold: %s (exit %i) of %j', (code, exit, words) => {
      begin(project, planOf(making('todo-1')));
      typed(`hold ${RUN} --reason "Wait for me"`);
      const plan = planOf(making('todo-9', [['true']], { files: ['**'] }));
      writePlan('beside', { ...plan, context: other(plan) });
      const git = () => readFileSync(join(project.root, '.git/HEAD'), 'utf8');
      const [image, head] = [imageOf(project), git()];
      const refused = devCli(project, words);
      expect([refused.code, refused.json.error]).toMatchObject([
        exit,
        { code, message: expect.stringContaining(`A person holds "${RUN}" ("Wait for me")`) },
      ]);
      expect([imageOf(project), git()]).toEqual([image, head]);
    });

    it('comes to no command that the run had begun', () => {
      const waits = 'until [ -e go ]; do sleep 0.1; done; dev-cli pull-request branch run-1';
      tiny(project, 'tiny', [`\n  - id: outside\n    type: cli\n    command: [sh, -c, "${waits}"]\n`, END_BLOCK]);
      typed('trust tiny', ['y']);
      const env = { DEV_CLI_ANSWER_WITHIN: '0' };
      const begun = devCli(project, ['init', NAME, '--recipe', 'tiny', '--goal', 'x'], { env });
      expect(nextOf(begun.json).action).toBe('running');
      typed(`hold ${NAME}`);
      writeProjectFile(project, 'go', '');
      const head = () => readFileSync(join(project.root, '.git/HEAD'), 'utf8');
      for (let n = 0; n < 10 && !head().includes('dev/run-1'); n += 1) devCli(project, ['next', NAME, '--wait', '1']);
      expect(head()).toContain('dev/run-1');
    });
  },
);

/** Replaces the plan's request with another one. */
const other = ({ context }: PlanContent): PlanContent['context'] => ({
  ...context,
  originalRequest: 'Do something else',
});

function writePlan(name: string, content: PlanContent): void {
  writeProjectFile(project, `.dev/specs/${name}/plan-content.json`, JSON.stringify(content));
  writeProjectFile(project, `.dev/specs/${name}/PLAN.md`, renderPlan(content));
}

describe('next --wait', () => {
  it('waits for the release, and answers what then is to be done', async () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    hold();
    acknowledge(project, first);
    const waiting = devCliAsync(project, ['next', NAME, '--wait', '20']);
    setTimeout(() => devCli(project, ['release', NAME]), 300);
    expect((await waiting).json).toMatchObject({ action: 'llm', block: 'last' });
  });

  it('answers `held` when the time is up', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    hold();
    expect(call('next', NAME, '--wait', '1')).toMatchObject({ action: 'held' });
  });
});

describe('an execution that is held', () => {
  const plan = planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));

  it('takes what is out, judges and commits it, hands out nothing more, and reports the hold', () => {
    const first = begin(project, plan);
    const held = nextOf(call('hold', RUN, '--reason', 'Stop here.')) as Dispatch & Document;
    expect(held).toMatchObject({
      action: 'held',
      running: [{ todoId: 'todo-1', ack: expect.any(String) }],
      ack: first.ack,
    });
    const { json } = doAll(project, { ...first, ack: first.ack } as Dispatch);
    expect(json).toMatchObject({ collected: [{ todoId: 'todo-1', ok: true }], next: { action: 'held' } });
    expect(json.next).not.toHaveProperty('running');
    expect(types(RUN)).toContain('committed');
    expect(stateOf(project, RUN).pendingAction).toBeNull();
    const second = release(RUN) as Dispatch;
    expect(second).toMatchObject({ action: 'engine-dispatch', tasks: [{ todoId: 'todo-2', attempt: 1 }] });
    call('hold', RUN);
    expect(nextOf(doAll(project, second).json).action).toBe('held');
    expect(types(RUN)).not.toContain('ended');
    expect(release(RUN)).toMatchObject({ done: true, outcome: 'completed' });
    expect(document(project, 'report.md')).toMatch(/held: by the agent: Stop here\.[\s\S]+released: by the agent/);
  });

  it('takes up a plan that was changed meanwhile, and a todo done again, with the release', () => {
    const first = begin(project, plan);
    call('hold', RUN);
    doAll(project, first);
    expect(call('step', 'invalidate', RUN, '--step', 'todo-1')['next']).toMatchObject({ action: 'held' });
    const again = release(RUN) as Dispatch;
    expect(again.tasks).toMatchObject([{ todoId: 'todo-1', attempt: 2 }]);
    expect(goOn(project, again)).toMatchObject({ outcome: 'completed' });
  });

  it('withdraws a task that failed, and hands its retry out with the release', () => {
    const first = begin(project, plan, { retries: 1 });
    call('hold', RUN);
    const failed = call('step', 'fail', RUN, '--action', first.tasks[0]?.actionId ?? '', '--reason', 'crashed');
    expect(failed['next']).toMatchObject({ action: 'held' });
    const again = release(RUN) as Dispatch;
    expect(again.tasks).toMatchObject([{ todoId: 'todo-1', attempt: 2, why: expect.stringContaining('crashed') }]);
    hand(project, again.tasks[0] as never);
  });

  it('before it has begun takes the plan as it is at the release', () => {
    writeProjectFile(project, '.dev/workflows/flow.yaml', FLOW);
    tiny(project, 'one', [PLAIN_BLOCK]);
    begin(project, plan);
    call('abort', RUN, '--reason', 'only the plan was wanted');
    const think = nextOf(call('init', RUN, '--workflow', 'flow', '--goal', 'x', '--new'));
    call('hold', RUN);
    expect(nextOf(acknowledge(project, think).json).action).toBe('held');
    call(
      'plan',
      'generate',
      RUN,
      '--data',
      JSON.stringify(
        planOf(making('todo-9', [], { acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is there.' }] })),
      ),
    );
    expect((release(RUN) as Dispatch).tasks).toMatchObject([{ todoId: 'todo-9' }]);
  });
});

const FLOW = `name: flow
type: meta
skill: open
phases:
  - { name: one, recipe: one }
  - { name: two, recipe: short }
`;

describe('what is refused', () => {
  it('a run that has ended, a reason too long, a run that is none', () => {
    const first = startTiny(project, [PLAIN_BLOCK]);
    acknowledge(project, first);
    const { code, json } = devCli(project, ['hold', NAME]);
    expect([code, json.error?.code, json.error?.fix]).toEqual([4, 'RUN_ENDED', `dev-cli next ${NAME}`]);
    // A first `release` may have let the run end, and its answer may have been lost. So `release` is not refused after
    // the end, although `hold` is.
    expect(call('release', NAME)).toMatchObject({ duplicate: true, next: { done: true } });
    for (const verb of ['hold', 'release']) {
      expect(devCli(project, [verb, 'nobody']).json.error?.code).toBe('NO_SUCH_RUN');
    }
    expect(devCli(project, ['hold', NAME, '--reason', 'x'.repeat(1001)]).json.error?.code).toBe('DATA_MALFORMED');
  });
});

describe.skipIf(terminal === null)(`a person's hold${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
  beforeEach(() => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
  });

  it('is released by a person alone, who says yes', () => {
    typed(`hold ${NAME} --reason "Wait for me"`);
    expect(next()).toMatchObject({ by: 'human', instruction: expect.stringContaining('Only a person releases it') });
    const image = imageOf(project);
    const refused = devCli(project, ['release', NAME]);
    expect([refused.code, refused.json.error]).toMatchObject([
      3,
      { code: 'TERMINAL_REQUIRED', answer: `dev-cli release ${NAME}` },
    ]);
    expect(typed(`release ${NAME}`, ['no'])).toContain('UNKNOWN_CHOICE');
    expect(imageOf(project)).toEqual(image);
    expect(typed(`release ${NAME}`, ['yes'])).toContain('by a person: Wait for me');
    expect(next()).toMatchObject({ action: 'llm', block: 'think' });
    expect(journalOf(project, NAME).at(-1)).toMatchObject({ type: 'released', by: { kind: 'human' } });
  });

  it('is told to that person in a sentence each: what is out, and what comes next', () => {
    const held = typed(`hold ${NAME} --reason "Wait for me"`);
    expect(held).toMatch(/held by a person: Wait for me; waiting for the agent: think/);
    expect(held).toContain(`To release it: dev-cli release ${NAME}`);
    expect(held).not.toContain('show the user');
    expect(typed(`hold ${NAME}`)).toContain(`${NAME} has already been held by a person: Wait for me;`);
    const released = typed(`release ${NAME}`, ['yes']);
    expect(released).toContain(`${NAME} is released. Tell the agent to continue with: dev-cli next ${NAME}`);
    expect(released).not.toContain('think');
    expect(typed(`release ${NAME}`)).toContain(`${NAME} is not held.`);
  });

  it.each([
    ['abort', ['abort', NAME, '--reason', 'x']],
    ['fork', ['fork', NAME, '--at', '1', '--as', 'other']],
    ['init --force', ['init', NAME, '--recipe', `tiny-${NAME}`, '--goal', 'x', '--force']],
    ['init of another recipe', ['init', NAME, '--recipe', 'specify-quick-autopilot', '--goal', 'x']],
    ['that with --force', ['init', NAME, '--recipe', 'specify-quick-autopilot', '--goal', 'x', '--force']],
    ['the same goal under another name', ['init', 'other', '--autopilot', '--goal', 'ADD jwt auth.']],
    ['that with --new', ['init', 'other', '--autopilot', '--goal', 'ADD jwt auth.', '--new']],
  ])('no agent gets round it by %s; a person may', (_, words) => {
    typed(`hold ${NAME} --reason "Wait for me"`);
    const image = imageOf(project);
    const { code, json } = devCli(project, words);
    expect([code, json.error]).toMatchObject([
      4,
      {
        code: 'RUN_HELD',
        message: expect.stringContaining(`A person holds "${NAME}" ("Wait for me")`),
        answer: `dev-cli release ${NAME}`,
      },
    ]);
    expect(json.error?.fix).not.toMatch(/--force|dev-cli /);
    expect(imageOf(project)).toEqual(image);
    const marked = terminal?.(`dev-cli ${words.map((word) => `'${word}'`).join(' ')}`, {
      cwd: project.root,
      env: { ...project.env, CLAUDECODE: '1' },
    });
    expect(marked?.output).toContain('RUN_HELD');
    expect(imageOf(project)).toEqual(image);
    const mine = typed(words.map((word) => `'${word}'`).join(' '));
    expect(mine).not.toContain('RUN_HELD');
    if (!words.includes('specify-quick-autopilot') || words.includes('--force')) return;
    expect(mine).toContain('held by a person');
  });

  it('is named where the session of the run begins another', () => {
    typed(`hold ${NAME} --reason "Wait for me"`);
    const env = { CLAUDE_CODE_SESSION_ID: 's-1' };
    devCli(project, ['use', NAME], { env });
    const { code, json } = devCli(project, ['init', 'other', '--autopilot', '--goal', 'Something else'], { env });
    expect([code, json.error]).toMatchObject([
      4,
      { code: 'RUN_ACTIVE', message: expect.stringContaining(`A person holds "${NAME}" ("Wait for me").`) },
    ]);
  });

  it('nor where the run has halted; what goes on as it is, held, is no way round', () => {
    typed(`hold ${NAME}`);
    expect(nextOf(call('init', NAME, '--recipe', `tiny-${NAME}`, '--goal', 'x'))).toMatchObject({ action: 'held' });
    expect(call('init', 'other', '--autopilot', '--goal', 'Something else', '--new')['status']).toBe('initialized');
    call('step', 'fail', NAME, '--action', 'a1', '--reason', 'no way');
    expect(stateOf(project, NAME).status).toBe('halted');
    expect(devCli(project, ['abort', NAME, '--reason', 'x']).json.error?.code).toBe('RUN_HELD');
  });

  it('an agent’s own hold keeps nobody from ending the run, and is named where another recipe is asked for', () => {
    hold('--reason', 'mine');
    const words = ['init', NAME, '--recipe', 'specify-quick-autopilot', '--goal', 'x'];
    expect(devCli(project, words).json.error).toMatchObject({
      code: 'RUN_EXISTS',
      message: expect.stringContaining('held by the agent'),
      fix: expect.stringContaining(`To continue it: dev-cli release ${NAME}`),
    });
    expect(devCli(project, ['fork', NAME, '--at', '1', '--as', 'other']).code).toBe(0);
    expect(devCli(project, ['abort', NAME, '--reason', 'x']).code).toBe(0);
  });

  it('takes the place of an agent’s, and an agent’s not that of a person', () => {
    hold('--reason', 'mine');
    typed(`hold ${NAME}`);
    expect(next()).toMatchObject({ by: 'human' });
    expect(next()).not.toHaveProperty('reason');
    expect(call('hold', NAME, '--reason', 'mine')).toMatchObject({ duplicate: true, next: { by: 'human' } });
  });
});
