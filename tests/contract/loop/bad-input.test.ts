import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENT_LOG_PATH } from '../../../src/wings/loop/log.js';
import { spawnDevCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { call, eventsOf, promptOf, readDigest, setUpLoop, write } from '../../support/loop.js';
import { CHECKOUT, type Project } from '../../support/project.mjs';
import { numberFrom } from '../../support/seeded.js';
import { lineOf, lines } from '../../wings/loop/log.js';

// loop-operations.md, Packets: damaged files, wrong clocks, and calls that disturb each other. DEV_CLI_TEST_SPIKE_MB
// sets how many megabytes the command of `decision spike` writes.

const MB = numberFrom('DEV_CLI_TEST_SPIKE_MB', 32);
const create = freshProjects();
const FILE = '.ai/decisions/d.yaml';
const goal = (id: string, status = 'active', more = '') => `  - {id: ${id}, title: ${id}, status: ${status}${more}}\n`;

function begin(goals = goal('one') + goal('two')): Project {
  const project = create();
  mkdirSync(join(project.root, '.ai/events'), { recursive: true });
  setUpLoop(project, { goals, sessions: {} });
  return project;
}
interface Answer extends Record<string, unknown> {
  exit: number;
  error?: { code: string; details?: unknown[] };
}
const run = (project: Project, ...args: string[]): Answer => {
  const { exit, json } = call(project, args);
  return { ...json, exit };
};
const reasonOf = ({ error }: Answer) => (error?.details as { reason_code?: string }[] | undefined)?.[0]?.reason_code;
const claim = (project: Project, ...more: string[]) => run(project, 'queue', 'claim', '--worker', 'w1', ...more);

describe('a claim', () => {
  it('of a goal that is deleted from goals.yaml goes on, is renewed and released', () => {
    const project = begin();
    const id = String(claim(project, '--goal', 'one')['claim_id']);
    write(project, '.ai/goals.yaml', `goals:\n${goal('two')}`);
    expect(run(project, 'queue', 'renew', id, '--worker', 'w1').exit).toBe(0);
    expect(run(project, 'queue', 'release', id, '--worker', 'w1').exit).toBe(0);
    expect(claim(project)).toMatchObject({ exit: 0, goal_id: 'two' });
  });

  it('is not given by a key that is another goal’s', () => {
    const project = begin();
    expect(claim(project, '--goal', 'one', '--idempotency-key', 'k').exit).toBe(0);
    const again = claim(project, '--goal', 'two', '--idempotency-key', 'k');
    expect([again.exit, reasonOf(again)]).toEqual([4, 'idempotency_key_reused']);
  });

  it('holds while the clock goes back', () => {
    const project = begin();
    const at = (hours: number, ...args: string[]) => {
      const hook = join(CHECKOUT, 'tests/adversarial/binary/hooks/shifted-clock.cjs');
      const clock = { NODE_OPTIONS: `--require=${hook}`, TEST_CLOCK_SHIFT: `${hours * 3_600_000}` };
      const { code, json } = spawnDevCli(project, [...args, '--json'], { env: clock });
      return { code, json };
    };
    const id = String(at(0, 'queue', 'claim', '--worker', 'w1', '--goal', 'one').json['claim_id']);
    expect(at(-48, 'queue', 'claim', '--worker', 'w2', '--goal', 'one').code).toBe(4);
    expect(at(-48, 'queue', 'list').json['claims']).toMatchObject([{ claim_id: id, status: 'active' }]);
    expect(at(-24, 'queue', 'release', id, '--worker', 'w1').code).toBe(0);
    expect(at(-72, 'queue', 'claim', '--worker', 'w2', '--goal', 'one').code).toBe(0);
    const told = eventsOf(project).map(({ event_type: type }) => type.replace('queue_claim_', ''));
    expect(told).toEqual(['created', 'rejected', 'released', 'created']);
    expect(at(-72, 'events', 'replay').json).toMatchObject({ ok: true, total_events: 4 });
  });
});

it('another program’s lock keeps an answer waiting, which is carried out once it is gone', () => {
  const project = begin(goal('one', 'blocked'));
  const payload = { run_id: 'r', goal_id: 'one', attempt: 1, success: false, action_taken: 'block', reason: 'why' };
  write(project, EVENT_LOG_PATH, lines([{ event_id: 'evt_1', event_type: 'auto_attempt', payload }]));
  const lock = '.ai/goals.yaml.lock';
  write(project, lock, 'mine\n');
  const act = ['inbox', 'act', 'inbox-evt_1', '--action', 'approve', '--operator', 'anna'];
  expect(run(project, ...act)).toMatchObject({ exit: 4, error: { code: 'LOCKED' } });
  expect(readFileSync(join(project.root, lock), 'utf8')).toBe('mine\n');
  rmSync(join(project.root, lock));
  expect(run(project, 'inbox', 'list')).toMatchObject({ exit: 0, count: 0 });
  expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).toContain('status: active');
  expect(reasonOf(run(project, ...act))).toBe('closed');
});

describe('the log', () => {
  it('of 50 MB is read by every command, one of more than 64 MiB by none, and nothing is lost', () => {
    const project = begin(goal('one', 'blocked'));
    const payload = { goal_id: 'one', action_taken: 'block', reason: 'x'.repeat(100_000) };
    const line = `${lineOf({ event_id: 'evt_1', event_type: 'auto_attempt', payload })}\n`;
    write(project, EVENT_LOG_PATH, line.repeat(Math.ceil((50 * 1024 * 1024) / line.length)));
    expect(run(project, 'events', 'replay')).toMatchObject({ exit: 0, unique_events: 1, goal_count: 1 });
    expect(run(project, 'inbox', 'list')).toMatchObject({ exit: 0, count: 1 });
    truncateSync(join(project.root, EVENT_LOG_PATH), 64 * 1024 * 1024 + 1);
    for (const words of ['events replay', 'observe baseline', 'inbox list'])
      expect(run(project, ...words.split(' ')), words).toMatchObject({ exit: 1, error: { code: 'IO' } });
    // An unreadable log does not affect the queue.
    expect(run(project, 'queue', 'list').exit).toBe(0);
  });

  it('is whole or missing where it is removed while it is read', async () => {
    const project = begin();
    const path = join(project.root, EVENT_LOG_PATH);
    write(project, 'log.txt', lines(Array.from({ length: 3_000 }, () => ({ payload: { goal_id: 'one' } }))));
    const script = `const fs = require('node:fs'); const [, path, from] = process.argv;
      const rest = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      for (let n = 0; ; n += 1) {
        fs.copyFileSync(from, path + '.new'); fs.renameSync(path + '.new', path); rest(n % 7);
        fs.rmSync(path); rest(n % 5);
        if (n === 1) console.log('at work');
      }`;
    const other = spawn(process.execPath, ['-e', script, path, join(project.root, 'log.txt')]);
    await once(other.stdout, 'data');
    const counts: unknown[] = [];
    for (let left = 400; left > 0 && (counts.length < 40 || new Set(counts).size < 2); left -= 1)
      counts.push(run(project, 'events', 'replay', '--no-write')['total_events']);
    other.kill('SIGKILL');
    expect([...new Set(counts)].sort()).toEqual([0, 3_000]);
  });
});

describe('a spike', () => {
  const ticket = (question: string) =>
    `decision_id: d\ngoal_id: one\nquestion: ${JSON.stringify(question)}\nstatus: proposed\nalternatives: [{id: a, approach: A}, {id: b, approach: B}]\n`;

  it.each([
    ['of a blank', ' ', /question.*What is to be decided/],
    ['of nothing', '', /question.*What is to be decided/],
    ['of 100 KB', 'Why? '.repeat(20_000), /larger than 64 KiB/],
  ])('refuses a question %s', (_what, question, found) => {
    const project = begin();
    mkdirSync(join(project.root, '.ai/decisions'));
    write(project, FILE, ticket(question));
    const { exit, error } = run(project, 'decision', 'spike', 'd', '--command', 'true');
    expect([exit, error?.code, JSON.stringify(error?.details)]).toEqual([
      3,
      'SCHEMA_INVALID',
      expect.stringMatching(found),
    ]);
  });

  it.each([
    ['of 50 KB', 'Why? '.repeat(10_000)],
    ['of control characters', '\u001b[2J\u0007Why? \u202e\u0000'],
  ])('asks a question %s as text', (_what, question) => {
    const project = create();
    mkdirSync(join(project.root, '.ai/decisions'), { recursive: true });
    write(project, FILE, ticket(question));
    const made = { write: { 'x.txt': '1\n' } };
    setUpLoop(project, { goals: goal('one'), sessions: { 'd.a': [made], 'd.b': [made] }, config: 'ai_tools: {}' });
    const config = readFileSync(join(project.root, '.ai/config.yaml'), 'utf8');
    write(
      project,
      '.ai/config.yaml',
      config.replace(/^ai_tool: (.*)$/m, 'ai_tool: $1\nai_tools: {s: "$1"}').replace('ai_tools: {}\n', ''),
    );
    const asked = ['decision', 'spike', 'd', '--tool', 's', '--trust', readDigest(project)];
    const answer = run(project, ...asked);
    expect(answer, JSON.stringify(answer).slice(0, 500)).toMatchObject({ exit: 0, winner_id: 'a' });
    const prompt = promptOf(project, 'd.a', 1);
    expect(prompt).toContain('Why?');
    expect(prompt).not.toMatch(/[\u0000\u0007\u001b\u202e]/);
  });

  it(`keeps what a line writes, be it ${MB} MB, and shows a bounded log`, { timeout: 600_000 }, () => {
    const project = begin();
    mkdirSync(join(project.root, '.ai/decisions'));
    write(project, FILE, ticket('Which?'));
    const line = `test {alternative_id} = a && echo 1 > small || { head -c ${MB}M /dev/zero | tee big; }`;
    expect(run(project, 'decision', 'spike', 'd', '--command', line)).toMatchObject({
      ...{ exit: 0, winner_reason_code: 'diff_lines' },
      // The file of b is binary, so it counts as no changed lines, fewer than the one line of a.
      alternatives: [{ alternative_id: 'b', passed: true, changed_files: 1, diff_lines: 0 }, { passed: true }],
    });
    const shown = run(project, 'attempt', 'show', 'd.b#1');
    expect([shown.exit, JSON.stringify(shown).length < 200_000]).toEqual([0, true]);
  });
});
