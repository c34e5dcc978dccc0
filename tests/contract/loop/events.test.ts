import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/base/json.js';
import type { Context } from '../../../src/run/context.js';
import { buildEvent } from '../../../src/wings/loop/core/events.js';
import { createQueue, EVENT_LOG_PATH, flushEvents } from '../../../src/wings/loop/log.js';
import { EMPTY_LOOP } from '../../../src/wings/loop/state.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { passOnUnsentEvents, type Streams } from '../../../src/wings/loop/streams.js';
import { callDoor } from '../../support/door.js';
import { project, useProject } from '../../support/each-project.js';
import { call, eventsOf, write } from '../../support/loop.js';
import { BINARY } from '../../support/project.mjs';
import { lineOf, lines } from '../../wings/loop/log.js';

// loop-operations.md, The log: `events replay`, `observe baseline`, and the events that are appended.

const VIEWS = '.ai/state/goal_views.yaml';
const INBOX = '.ai/state/operator_inbox.yaml';
const REPORT = '.ai/reports/observability_baseline.json';

useProject({ sample: null });
beforeEach(() => {
  mkdirSync(join(project.root, '.ai/events'), { recursive: true });
  write(project, '.ai/config.yaml', 'test_command: "true"\nai_tool: x {prompt}\n');
  write(project, '.ai/goals.yaml', 'goals: []\n');
});

const read = (path: string) => readFileSync(join(project.root, path), 'utf8');
const has = (path: string) => existsSync(join(project.root, path));
const run = (...words: string[]) => call(project, words);
const block = (goal_id: string) => ({
  event_type: 'auto_attempt',
  payload: { run_id: 'r', goal_id, attempt: 1, success: false, action_taken: 'block', reason: 'no: "way" # 1' },
});

describe('events replay', () => {
  it('writes views that any YAML reader takes, the same bytes each time', () => {
    const log = `${lines([block('true'), block('1e5')])}[]\n{"half`;
    write(project, EVENT_LOG_PATH, `${log}\n${log}`);
    expect(run('events', 'replay')).toMatchObject({
      exit: 0,
      json: {
        ...{ ok: true, total_events: 4, unique_events: 2, duplicate_events: 2, skipped: 4, goal_count: 2 },
        ...{ inbox_items: 2, goal_views_path: VIEWS, operator_inbox_path: INBOX, write_snapshots: true },
      },
    });
    const written = [read(VIEWS), read(INBOX)];
    expect(parse(read(VIEWS)).goals).toMatchObject({
      true: { event_count: 1, block_count: 1 },
      '1e5': { claim_id: null },
    });
    expect(Object.keys(parse(read(VIEWS)).goals['1e5'])).toHaveLength(14);
    expect(parse(read(INBOX)).items[0]).toMatchObject({ goal_id: '1e5', summary: 'no: "way" # 1', resolved: false });
    run('events', 'replay', '--write');
    expect([read(VIEWS), read(INBOX)]).toEqual(written);
    rmSync(join(project.root, '.ai/state'), { recursive: true });
    expect(run('events', 'replay', '--no-write').json).toMatchObject({ write_snapshots: false, unique_events: 2 });
    expect(has('.ai/state')).toBe(false);
  });

  it('takes a log that is missing or empty for one without events', () => {
    const empty = { ok: true, total_events: 0, skipped: 0, goal_count: 0, inbox_items: 0 };
    expect(run('events', 'replay').json).toMatchObject(empty);
    expect([read(VIEWS), read(INBOX)]).toEqual(['goals: {}\n', 'items: []\n']);
    write(project, EVENT_LOG_PATH, '');
    expect(run('events', 'replay').json).toMatchObject(empty);
    rmSync(join(project.root, '.ai/events'), { recursive: true });
    expect(run('events', 'replay').json).toMatchObject(empty);
  });

  it('refuses a log that is no file, and links out of the project, and writes nothing then', () => {
    mkdirSync(join(project.root, EVENT_LOG_PATH));
    expect(run('events', 'replay')).toMatchObject({ exit: 1, json: { error: { code: 'IO' } } });
    rmSync(join(project.root, EVENT_LOG_PATH), { recursive: true });
    const outside = join(project.root, '../outside');
    writeFileSync(outside, lineOf(block('a')));
    symlinkSync(outside, join(project.root, EVENT_LOG_PATH));
    expect(run('events', 'replay')).toMatchObject({ exit: 1, json: { error: { code: 'IO' } } });
    rmSync(join(project.root, EVENT_LOG_PATH));
    mkdirSync(join(project.root, '.ai/state'));
    writeFileSync(outside, 'kept');
    symlinkSync(outside, join(project.root, INBOX));
    expect(run('events', 'replay')).toMatchObject({ exit: 1, json: { error: { code: 'IO' } } });
    expect([readFileSync(outside, 'utf8'), has(VIEWS)]).toEqual(['kept', false]);
  });

  it('needs a project', () => {
    rmSync(join(project.root, '.ai'), { recursive: true });
    for (const words of [
      ['events', 'replay'],
      ['observe', 'baseline'],
    ]) {
      expect(run(...words).json).toMatchObject({ ok: false, error: { code: 'NO_PROJECT' } });
    }
    expect(has('.ai')).toBe(false);
  });
});

describe('observe baseline', () => {
  it('reports, and where it is enforced tells the inbox', () => {
    write(project, EVENT_LOG_PATH, `${lineOf({ ...block('a'), timestamp: new Date().toISOString() })}\n{"half`);
    const plain = run('observe', 'baseline');
    expect(plain).toMatchObject({ exit: 0, json: { ok: true, window_days: 14, skipped: 1, report_path: REPORT } });
    const failing_guards = ['min_goal_runs', 'min_first_pass_success_rate', 'max_block_rate'];
    expect(plain.json['baseline']).toMatchObject({
      goal_runs: 1,
      block_rate: 1,
      baseline_ready: false,
      failing_guards,
    });
    const { ok: _, ...report } = plain.json;
    expect(JSON.parse(read(REPORT))).toEqual(report);
    rmSync(join(project.root, REPORT));

    const enforced = run('observe', 'baseline', '--enforce', '--no-write');
    expect(enforced).toMatchObject({ exit: 3, json: { ok: false, report_path: null } });
    expect(has(REPORT)).toBe(false);
    const log = read(EVENT_LOG_PATH).split('\n');
    expect([log.length, log[1]]).toEqual([4, '{"half']);
    const event = JSON.parse(log[2] ?? '') as JsonObject;
    expect(event).toMatchObject({ event_type: 'orchestrate_cycle_blocked', payload: { failing_guards } });
    const fits = require('../../../src/generated/loop-event.js').default;
    expect([fits(event), fits({ ...event, timestamp: '2026-11-27T01:02:03' })]).toEqual([true, false]);
    run('events', 'replay');
    const open = (parse(read(INBOX)).items as JsonObject[]).map(({ reason_code: code }) => code);
    expect(open.sort()).toEqual(['action_block', 'baseline_blocked']);
  });

  it('goes by the guards of the configuration, and refuses wrong ones', () => {
    const guards = (text: string) =>
      write(project, '.ai/config.yaml', `test_command: "true"\nai_tool: x {prompt}\nobserve: ${text}\n`);
    guards('{min_goal_runs: 0, min_first_pass_success_rate: 0}');
    expect(run('observe', 'baseline', '--enforce')).toMatchObject({
      exit: 0,
      json: { baseline: { baseline_ready: true } },
    });
    expect(has(EVENT_LOG_PATH)).toBe(false);
    const { stdout } = callDoor({ argv: ['observe', 'baseline'], cwd: project.root, env: project.env });
    expect(stdout).toMatch(/\nGuards: min_goal_runs 0, .*, max_mttr_minutes 180\.\nThe baseline is ready\./);
    guards('{max_block_rate: 35}');
    expect(run('observe', 'baseline').json).toMatchObject({
      error: { code: 'SCHEMA_INVALID', details: [{ pointer: '/observe/max_block_rate' }] },
    });
  });

  it.each([
    ['observe baseline --window 0', '--window takes a number of days'],
    ['observe baseline --window 3651', '--window takes a number of days'],
    ['observe baseline --window -1', '--window'],
    ['observe baseline --write --no-write', 'cannot be combined'],
    ['observe basline', 'Did you mean "baseline"?'],
    ['observe --window 3 baseline', 'unknown option "--window"'],
  ])('refuses %s', (line, problem) => {
    const { exit, json } = run(...line.split(' '));
    expect([exit, json.error?.code, json.error?.message]).toEqual([2, 'USAGE', expect.stringContaining(problem)]);
  });

  it('stands below a command of its own word', () => {
    const print = (...argv: string[]) => callDoor({ argv, cwd: project.root, env: project.env }).stdout;
    expect(run('observe').json).toMatchObject({ ok: true, batch: null });
    expect(JSON.parse(print('observe', '--json', 'baseline'))).toMatchObject({ ok: true, window_days: 14 });
    expect(print('observe', '--help')).toMatch(
      /^Usage: dev-cli observe \[options\] \[command\][\s\S]*\n {2}observe baseline /,
    );
    expect(print('help')).toMatch(/\n {2}observe +Show[\s\S]*\n {2}observe baseline +Compute/);
    const asked = [BINARY, 'completion', '--complete', 'bash', '--', 'observe', ''];
    const offered = execFileSync(process.execPath, asked, { cwd: project.root, env: project.env, encoding: 'utf8' });
    expect(offered).toMatch(/^baseline\t/m);
  });
});

describe('what is appended', () => {
  const events = ['1', '2', '3'].map((key) =>
    buildEvent('batch_started', { key, at: '2026-11-27T01:02:03Z', payload: {} }),
  );

  it('is forgotten by its id: of two calls at once none loses what the other has not sent', async () => {
    let state: LoopState = { ...EMPTY_LOOP, unsent: events.slice(0, 2) };
    let between = (): void => {};
    const own: Pick<Streams, 'read' | 'transact'> = {
      read: async () => state,
      transact: async (_stream, decide) => {
        between();
        const { answer, state: next } = decide(state, '2026-11-27T01:02:03Z');
        state = next ?? state;
        return answer;
      },
    };
    const streams: Streams = { ...own, tellNews: (write) => passOnUnsentEvents(own, write) };
    // Between this call's reading of the state and its transaction, another call sends both events, and a third one is
    // added.
    between = () => {
      state = { ...state, unsent: events.slice(2) };
      between = () => {};
    };
    const context = { root: project.root } as Context;
    await flushEvents({ streams, context }, createQueue());
    expect(state.unsent).toEqual(events.slice(2));
    await flushEvents({ streams, context }, createQueue());
    expect(state.unsent).toEqual([]);
    expect(eventsOf(project).map(({ event_id: id }) => id)).toEqual(events.map(({ event_id: id }) => id));
  });
});
