import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WINGS } from '../../../src/app/wings.js';
import type { Context } from '../../../src/run/context.js';
import { applyInboxAnswer, finishAnswers, recordInboxAnswer } from '../../../src/wings/loop/inbox/answers.js';
import { EVENT_LOG_PATH } from '../../../src/wings/loop/log.js';
import { LOOP, openLoop } from '../../../src/wings/loop/streams.js';
import { callDoor } from '../../support/door.js';
import { freshProjects } from '../../support/fresh.js';
import { call, eventsOf, runLoop, setUpLoop, write } from '../../support/loop.js';
import { createProject, type Project } from '../../support/project.mjs';
import { lines } from '../../wings/loop/log.js';

// loop-operations.md, Inbox: what waits, and who may answer.

const create = freshProjects();
let project: Project;
beforeEach(() => {
  project = createProject({ sample: null });
  mkdirSync(join(project.root, '.ai/events'), { recursive: true });
  write(project, '.ai/config.yaml', 'test_command: "true"\nai_tool: x {prompt}\n');
  goals({ a: 'blocked', b: 'active', c: 'active' });
});
afterEach(() => project.remove());

const goals = (statuses: Record<string, string>) =>
  write(
    project,
    '.ai/goals.yaml',
    `goals:\n${Object.entries(statuses)
      .map(([id, status]) => `  - { id: ${id}, title: T, status: ${status} }\n`)
      .join('')}`,
  );
const log = (...events: object[]) => write(project, EVENT_LOG_PATH, lines(events));
const event = (event_id: string, goal_id: string, action_taken: string, more: object = {}) => ({
  ...{ event_id, event_type: 'auto_attempt' },
  payload: { run_id: 'r', goal_id, attempt: 1, success: false, action_taken, reason: 'why', ...more },
});
const act = (id: string, action: string, ...more: string[]) =>
  call(project, ['inbox', 'act', id, '--action', action, '--operator', 'anna', ...more]);
const idsOf = (...more: string[]) =>
  (call(project, ['inbox', 'list', ...more]).json['items'] as { inbox_id: string }[]).map(({ inbox_id: id }) => id);
const code = ({ exit, json }: ReturnType<typeof call>) => [
  exit,
  json.error?.code,
  (json.error?.details as { reason_code?: string }[] | undefined)?.[0]?.reason_code,
];
const statusOf = (goal: string) =>
  new RegExp(`id: ${goal}, title: T, status: (\\w+)`).exec(
    readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8'),
  )?.[1];
const stateOf = () => JSON.parse(readFileSync(join(project.root, '.dev/loop/state.json'), 'utf8'));
const answersOf = () => eventsOf(project).filter(({ event_type: type }) => type === 'operator_inbox_action');

describe('inbox list and summary', () => {
  it('say what is open, with the command that resolves it; what is gone by now is closed', () => {
    log(
      event('evt_1', 'a', 'block'),
      event('evt_2', 'b', 'block'),
      event('evt_3', 'c', 'escalate'),
      event('evt_4', 'gone', 'retry', { failure_classification: 'security' }),
      event('evt_5', 'b', 'retry', { failure_classification: 'security' }),
      {
        event_id: 'evt_6',
        event_type: 'queue_claim_rejected',
        payload: { goal_id: 'c', reason_code: 'goal_already_claimed' },
      },
      { event_id: 'evt_7', event_type: 'orchestrate_cycle_blocked', payload: {} },
    );
    const { json } = call(project, ['inbox', 'list']);
    expect(json).toMatchObject({ ok: true, count: 3, include_resolved: false });
    expect(idsOf()).toEqual(['inbox-evt_7', 'inbox-evt_5', 'inbox-evt_1']);
    expect((json['items'] as object[])[2]).toEqual({
      ...{ inbox_id: 'inbox-evt_1', event_id: 'evt_1', goal_id: 'a', priority: 'high', reason_code: 'action_block' },
      ...{ summary: 'why', timestamp: '2026-11-27T01:02:03Z', latest_action: null, resolved: false },
      answer: expect.stringContaining('dev-cli inbox act inbox-evt_1 --action approve --operator NAME'),
    });
    expect(idsOf('--include-resolved')).toHaveLength(7);
    expect(call(project, ['inbox', 'summary', '--top-k', '1']).json).toMatchObject({
      ...{ total_items: 7, unresolved_items: 3, high_priority_unresolved: 3 },
      ...{ by_reason_code: { action_block: 1, security_failure: 1, baseline_blocked: 1 } },
      top_items: [{ inbox_id: 'inbox-evt_7' }],
    });
    expect(call(project, ['inbox', 'list', '--open-only', '--include-resolved']).json.error?.code).toBe('USAGE');
    expect(call(project, ['observe']).json['inbox']).toEqual({ unresolved_items: 3, high_priority_unresolved: 3 });
    const text = callDoor({ argv: ['inbox', 'list'], cwd: project.root, env: project.env }).stdout;
    expect(text).toMatch(/high +action_block a: why \(inbox-evt_1, since 2026-11-27T01:02:03Z\)\n +dev-cli inbox act/);
  });

  it('without .ai nothing is folded, and nothing is refused', () => {
    rmSync(join(project.root, '.ai'), { recursive: true });
    expect(call(project, ['inbox', 'list'])).toMatchObject({ exit: 0, json: { items: [], count: 0 } });
    const { stdout } = callDoor({ argv: ['inbox', 'list'], cwd: project.root, env: project.env });
    expect(stdout).toContain('there are no goals here');
    expect(existsSync(join(project.root, '.ai'))).toBe(false);
  });
});

describe('a branch that could not be moved', () => {
  it('is shown with all that git says, and approved with what has to be cleared first', () => {
    const project = create();
    const file = `${'deep/'.repeat(30)}theirs.txt`;
    const theirs = `mkdir -p ${project.root}/$(dirname ${file}) && echo theirs > ${project.root}/${file}`;
    setUpLoop(project, {
      goals: '  - { id: one, title: One, status: active }\n',
      sessions: { one: [{ write: { [file]: 'ours\n' }, run: theirs }] },
    });
    runLoop(project, 'auto', '--recursive');
    const print = (...argv: string[]) => callDoor({ argv, cwd: project.root, env: project.env }).stdout;
    const shown = print('inbox', 'list');
    expect(shown).toMatch(/theirs\.txt.*move or remove them/);
    expect(shown).toMatch(/Clear the obstacle, then .*dev-cli inbox act inbox-evt_\w+ --action approve/);
    const id = /inbox-evt_\w+/.exec(shown)?.[0] ?? 'none';
    expect(print('inbox', 'act', id, '--action', 'approve', '--operator', 'anna')).toMatch(
      /one is active; its branch is moved by .*once nothing is in the way\./,
    );
  });
});

describe('nobody but a person', () => {
  it('answers: no group of tools has it', () => {
    const names = Object.values(WINGS).flatMap(({ tools = [], ownTools = {} }) => [
      ...tools.map(({ name }) => name),
      ...Object.values(ownTools).flatMap((own) => own.map(({ name }) => name)),
    ]);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => /inbox|approve/.test(name))).toEqual([]);
  });

  it('is told when a session begins, where something waits', () => {
    const begin = () =>
      callDoor({
        argv: ['hook', 'session-start', '--harness', 'claude'],
        cwd: project.root,
        env: project.env,
        stdin: JSON.stringify({ session_id: 's', cwd: project.root, source: 'startup' }),
      }).stdout;
    call(project, ['memory', 'decide', '--text', 'Use UTC']);
    expect(begin()).toContain('Use UTC');
    expect(begin()).not.toContain('inbox');
    log(event('evt_1', 'a', 'block'), event('evt_5', 'b', 'retry', { failure_classification: 'security' }));
    expect(begin()).toContain('2 items wait for a person: dev-cli inbox list');
    // If the configuration cannot be read, the session begins nevertheless; only the hint about the inbox is missing.
    write(project, '.ai/config.yaml', '[');
    expect(begin()).not.toContain('inbox');
  });
});

describe('inbox act', () => {
  it('approve of a blocked goal has it begin anew with the reason, once', () => {
    log(event('evt_1', 'a', 'block'));
    expect(act('inbox-evt_1', 'defer').json).toMatchObject({ goal_status: null, resolved: false });
    expect(act('inbox-evt_1', 'approve', '--reason', 'Use UTC').json).toMatchObject({
      ...{ ok: true, inbox_id: 'inbox-evt_1', action: 'approve', operator_id: 'anna', goal_id: 'a' },
      ...{ goal_status: 'active', resolved: true },
    });
    expect(statusOf('a')).toBe('active');
    expect(stateOf().goals.a).toEqual({ n: 0, counted: 0, notes: ['Use UTC'] });
    expect(code(act('inbox-evt_1', 'reject'))).toEqual([4, 'INBOX_REFUSED', 'closed']);
    expect(answersOf().map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ action: 'defer', goal_status: null }),
      {
        ...{ inbox_id: 'inbox-evt_1', action: 'approve', operator_id: 'anna', goal_id: 'a', goal_status: 'active' },
        ...{ reason: 'Use UTC', reason_code: 'action_block' },
      },
    ]);
    expect(idsOf()).toEqual([]);
  });

  it('reject blocks a goal, by name and reason', () => {
    log(event('evt_5', 'b', 'retry', { failure_classification: 'security' }));
    expect(act('inbox-evt_5', 'reject', '--reason', 'no', '--goal-status', 'blocked').exit).toBe(0);
    expect(statusOf('b')).toBe('blocked');
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).toContain('rejected by anna: no');
  });

  it('refuses what is unknown, forbidden, nameless or an agent’s, and changes nothing', () => {
    log(event('evt_1', 'a', 'block'));
    expect(code(act('inbox-evt_9', 'approve'))).toEqual([4, 'INBOX_REFUSED', 'unknown']);
    for (const [action, status, allowed] of [
      ['approve', 'done', 'approve makes a goal active'],
      ['approve', 'blocked', 'approve makes a goal active'],
      ['reject', 'active', 'reject makes a goal blocked'],
      ['defer', 'active', 'leave --goal-status out'],
    ] as const) {
      const refused = act('inbox-evt_1', action, '--goal-status', status);
      expect(code(refused)).toEqual([4, 'INBOX_REFUSED', 'unauthorized_transition']);
      expect(refused.json.error?.message).toContain(`unauthorized transition: ${action} to ${status}; ${allowed}`);
    }
    for (const operator of ['', 'a\u0007b', 'x'.repeat(81)])
      expect(
        call(project, ['inbox', 'act', 'inbox-evt_1', '--action', 'approve', '--operator', operator]).json.error?.code,
      ).toBe('USAGE');
    expect(act('inbox-evt_1', 'approve', '--reason', 'x'.repeat(10_240)).json.error?.code).toBe('USAGE');
    expect(act('inbox-evt_1', 'approve', '--choice', 'go').json.error?.code).toBe('USAGE');
    project.env['DEV_CLI_AGENT'] = '1';
    expect(act('inbox-evt_1', 'approve').json.error?.code).toBe('TERMINAL_REQUIRED');
    delete project.env['DEV_CLI_AGENT'];
    expect(statusOf('a')).toBe('blocked');
    expect(existsSync(join(project.root, '.dev/loop/state.json'))).toBe(false);
    goals({ b: 'active' });
    expect(code(act('inbox-evt_1', 'approve'))).toEqual([4, 'INBOX_REFUSED', 'closed']);
  });
});

describe('an answer that is cut off', () => {
  const context = () => {
    let count = 0;
    return {
      root: project.root,
      clock: { now: () => Date.parse('2026-11-27T02:00:00Z') + count++ * 1000 },
      ids: { hex: (length: number) => `${count++}`.padStart(length, '0') },
      caller: { via: 'cli', harness: null },
      reader: { read: (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null) },
    } as never as Context;
  };
  const given: Parameters<typeof recordInboxAnswer>[2] = {
    ...{ goal: 'a', reasonCode: 'action_block', classification: 'failed', operator: 'anna', reason: 'T' },
    action: 'approve',
  };

  it('after it was recorded, is finished by the next call, once', async () => {
    log(event('evt_1', 'a', 'block'));
    const desk = { context: context(), streams: openLoop(context()), isHere: true };
    const answer = await recordInboxAnswer(desk, 'inbox-evt_1', given, false);
    await expect(recordInboxAnswer(desk, 'inbox-evt_1', { ...given, operator: 'ben' }, false)).rejects.toMatchObject({
      code: 'INBOX_REFUSED',
    });
    expect(statusOf('a')).toBe('blocked');
    // While goals.yaml cannot be read, the answer stays recorded and waits to be applied.
    write(project, '.ai/goals.yaml', 'goals: [');
    await expect(applyInboxAnswer(desk, 'inbox-evt_1', answer)).rejects.toMatchObject({ code: 'SCHEMA_INVALID' });
    goals({ a: 'blocked' });
    expect(idsOf()).toEqual([]);
    await applyInboxAnswer(desk, 'inbox-evt_1', answer);
    await finishAnswers(desk);
    expect(statusOf('a')).toBe('active');
    expect((await desk.streams.read(LOOP)).goals['a']?.notes).toEqual(['T']);
    expect(answersOf()).toHaveLength(1);
  });
});
