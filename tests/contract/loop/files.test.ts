import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { readContextBudget, readGoals } from '../../../src/documents/goals.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { DEFAULT_BASELINE_LIMITS } from '../../../src/wings/loop/core/baseline.js';
import { readLoopFiles, readLoopTexts } from '../../../src/wings/loop/files.js';
import { writeGoalStatus } from '../../../src/wings/loop/goals.js';
import { scratchDirectory } from '../../support/scratch.js';

// loop-core.md, Files: the values read from .ai/config.yaml and .ai/goals.yaml, and every mistake in them.

const CONFIG = 'test_command: npm test\nai_tool: claude -p {prompt}\n';
const GOALS = 'goals:\n- {id: a, title: A, status: active}\n';

function read(config: string | null, goals: string | null) {
  const files: Record<string, string | null> = { '/p/.ai/config.yaml': config, '/p/.ai/goals.yaml': goals };
  return readLoopTexts('/p', { read: (path) => files[path] ?? null });
}

function faultsOf(config: string | null, goals: string | null): string[] {
  try {
    read(config, goals);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    expect(error.code).toBe('SCHEMA_INVALID');
    return error.details.map(({ at, problem }) => `${at} ${problem}`);
  }
  return [];
}

const ofGoals = (goals: string) => faultsOf(CONFIG, goals);
const ofConfig = (more: string) => faultsOf(`${CONFIG}${more}`, GOALS);

describe('the files of the loop', () => {
  it('have defaults for all that they do not say', () => {
    const { config, goals, warnings, configText } = read(CONFIG, GOALS);
    expect(config).toEqual({
      ...{ test_command: 'npm test', ai_tool: 'claude -p {prompt}', ai_tools: {}, cost: null },
      ...{ timeout_minutes: 30, test_timeout_minutes: 15, max_retries: 3, backoff_minutes: [1, 5, 15] },
      ...{ worktree_setup: [], worktree_copy: [], protected_paths: [] },
      limits: { minutes: 480, sessions: 50, failures_in_a_row: 3, cost_usd: null },
      queue: { ttl_minutes: 30, max_ttl_minutes: 240, per_worker: 1 },
      observe: DEFAULT_BASELINE_LIMITS,
      fleet: null,
    });
    expect(goals).toEqual([
      {
        ...{
          id: 'a',
          title: 'A',
          status: 'active',
          blocked_reason: null,
          expect_failure: false,
          allowed_changes: null,
        },
        ...{ prompt_mode: null, mode: null, tool: null, depends_on: [], recipe: null, set: {}, acceptance: [] },
        ...{ type: 'feat', max_retries: null, uncertainty: null, decision_file: null, phase: null, role: null },
        children: [],
      },
    ]);
    expect([warnings, configText]).toEqual([[], CONFIG]);
  });

  it('may say everything', () => {
    const more = `ai_tools: {fast: 'codex exec {stdin}'}
timeout_minutes: 0.5
limits: {minutes: 10, cost_usd: 2.5}
cost: /total_cost_usd
worktree_copy: [./.env]
protected_paths: [./package.json]
backoff_minutes: []
max_context_bytes: 1000
`;
    const goals = `goals:
- id: shop.1
  title: The shop
  status: active
  children:
  - id: cart
    title: The cart
    status: blocked
    blocked_reason: why
    allowed_changes: [./src/**, test/]
    expect_failure: true
    prompt_mode: adversarial
    mode: interactive
    tool: fast
    depends_on: [pay]
    recipe: bugfix
    set: {depth: 2, quick: true, name: x}
    acceptance: [It works, {run: test -f x}]
    type: fix
    max_retries: 1
    uncertainty: high
    decision_file: .ai/decisions/d.md
    phase: two
    role: builder
- {id: pay, title: Paying, status: pending, owner: ann}
`;
    const files = read(`${CONFIG}${more}`, goals);
    expect(files.config).toMatchObject({
      ...{ limits: { minutes: 10, sessions: 50, cost_usd: 2.5 }, cost: '/total_cost_usd', backoff_minutes: [] },
      ...{ worktree_copy: ['.env'], protected_paths: ['package.json'], timeout_minutes: 0.5 },
    });
    expect(files.goals[0]?.children[0]).toMatchObject({
      ...{ allowed_changes: ['src/**', 'test/'], set: { depth: '2', quick: 'true', name: 'x' }, depends_on: ['pay'] },
      ...{ acceptance: ['It works', { run: 'test -f x' }], decision_file: '.ai/decisions/d.md', max_retries: 1 },
    });
    const misspelt = `${goals}- {id: safe, title: Safe, status: active, allowed_change: [docs/**]}\n`;
    expect(() => read(`${CONFIG}${more}`, misspelt)).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_INVALID',
        details: [expect.objectContaining({ problem: expect.stringContaining('did you mean "allowed_changes"') })],
      }),
    );
    // A user's own key is not taken for a misspelt known key.
    expect(read(CONFIG, 'goals: [{id: a, title: A, status: active, note: hi, time: 2}]\n').warnings).toEqual([
      expect.stringContaining('"note"'),
      expect.stringContaining('"time"'),
    ]);
    expect(faultsOf(CONFIG, 'goals: [{id: a, titel: A, status: active}]\n')[1]).toContain('did you mean "title"');
    expect(files.warnings).toEqual(['.ai/goals.yaml:25:45: unknown key "owner", which is ignored']);
    expect([readGoals(goals).ok, readContextBudget(more)]).toEqual([true, { bytes: 1000 }]);
  });

  it('may name the fleet that works the goals off', () => {
    const readFleet = (fleet: string) => read(`${CONFIG}fleet: ${fleet}\n`, GOALS).config.fleet;
    expect(readFleet('{project: api}')).toEqual({ project: 'api', remote: 'origin', onto: null });
    const all = { project: 'api', remote: 'team', onto: 'release/1.x' };
    expect(readFleet(JSON.stringify(all))).toEqual(all);
    expect(ofConfig('fleet: {remote: --upload-pack=x, onto: "a b", projekt: api}\n')).toEqual([
      expect.stringContaining('"project" is missing. What all machines call this project.'),
      expect.stringContaining('did you mean "project"?'),
      expect.stringMatching(/^\.ai\/config\.yaml:3:17 remote is "--upload-pack=x"/),
      expect.stringMatching(/^\.ai\/config\.yaml:3:\d+ onto is "a b"/),
    ]);
    expect(ofConfig('fleet: {project: a:b}\n')).toEqual([expect.stringContaining('project is "a:b"')]);
  });

  it('are missing without both of them', () => {
    for (const [config, goals] of [
      [null, GOALS],
      [CONFIG, null],
    ] as const)
      expect(() => read(config, goals)).toThrow(expect.objectContaining({ code: 'NO_PROJECT' }));
  });

  it('are judged together: everything that is wrong, each with its place and what to do', () => {
    const found = faultsOf('test_comand: x\ntimeout_minutes: 0\nai_tool: claude\n', 'goals:\n- id: 1\n  status: don\n');
    expect(found).toEqual([
      '.ai/config.yaml:1:1 "test_command" is missing. A line for sh that runs all tests and exits 0 when they pass.',
      '.ai/config.yaml:1:1 unknown key "test_comand"; did you mean "test_command"?',
      expect.stringMatching(/^\.ai\/config\.yaml:2:18 timeout_minutes is 0, .*more than 0\.$/),
      expect.stringMatching(/^\.ai\/goals\.yaml:2:3 "title" is missing\./),
      expect.stringMatching(/^\.ai\/goals\.yaml:2:7 id is 1, not a text\..*quotes\.$/),
      expect.stringMatching(/^\.ai\/goals\.yaml:3:11 status is "don"; did you mean "done"\?; one of pending/),
    ]);
  });

  it.each([
    ['limits: {minutes: -1}', '3:19'],
    ['max_retries: 1.5', '3:14'],
    ['worktree_setup: npm ci', '3:17'],
    ['worktree_copy: [../x]', '3:17'],
    ['ai_tools: {a b: "x {prompt}"}', '3:12'],
    ['ai_tools: {a: "x && y {prompt}"}', '3:15'],
    ['backoff_minutes: [0]', '3:19'],
    ['cost: total', '3:7'],
    ['a: [', '4:'],
    ['a: &x 1\nb: *x', '4:4'],
  ])('config: %s', (line, at) => {
    expect(ofConfig(`${line}\n`)).toEqual([expect.stringContaining(`.ai/config.yaml:${at}`)]);
  });

  it.each(['..', 'a/b', 'a.lock', 'a.', 'a..b', '-a', '', 'x'.repeat(49), 'ä'])('no goal is called %j', (id) => {
    expect(ofGoals(`goals:\n- {id: ${JSON.stringify(id)}, title: A, status: active}\n`)).toHaveLength(1);
  });

  it.each([
    ['a doubled id', '- {id: a.b, title: A, status: active}\n- {id: A-B, title: A, status: active}', '3:8'],
    ['a text for the goals', 'no', '2:1'],
    ['a text for a goal', '- no', '2:3'],
    ['a number', '7', '2:1'],
    ['children that are none', '- {id: a, title: A, status: active, children: no}', '2:47'],
    ['a child', '- {id: a, title: A, status: active, children: [{id: b, title: B}]}', '2:48'],
    ['a status by alias', '- {id: a, title: &t A, status: active}\n- {id: b, title: *t, status: active}', '3:18'],
    ['a status with an anchor', '- {id: a, title: A, status: &s active}', '2:32'],
    ['a status of two lines', '- id: a\n  title: A\n  status: >-\n    active', '4:11'],
    ['an unknown dependency', '- {id: a, title: A, status: active, depends_on: [b]}', '2:50'],
    [
      'a circle',
      '- {id: a, title: A, status: active, depends_on: [b]}\n- {id: b, title: A, status: active, depends_on: [a]}',
      '2:49',
    ],
    ['an unknown tool', '- {id: a, title: A, status: active, tool: fast}', '2:43'],
    ['a merge key', '- {id: a, title: A, status: active, <<: {x: y}}', '2:37'],
    ['an acceptance', '- {id: a, title: A, status: active, acceptance: [{rum: x}]}', '2:50'],
  ])('goals: %s', (_what, lines, at) => {
    const found = ofGoals(`goals:\n${lines}\n`);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toContain(`.ai/goals.yaml:${at}`);
  });

  it.each(['7', 'text', '[7, [x]]', '{a: [1]}', 'true'])('say what is wrong where every field is %s', (value) => {
    const keys = 'blocked_reason expect_failure allowed_changes prompt_mode mode tool depends_on recipe set acceptance'
      .split(' ')
      .concat('type max_retries uncertainty decision_file phase role children'.split(' '));
    const lines = keys.map((key) => `  ${key}: ${value}\n`).join('');
    expect(ofGoals(`goals:\n- id: a\n  title: A\n  status: active\n${lines}`).length).toBeGreaterThan(5);
    const config =
      'ai_tools timeout_minutes max_retries worktree_setup worktree_copy backoff_minutes limits cost'.split(' ');
    expect(ofConfig(config.map((key) => `${key}: ${value}\n`).join('')).length).toBeGreaterThan(3);
  });

  it('hold five hundred goals', () => {
    const goals = Array.from(
      { length: 500 },
      (_, n) => `- id: goal-${n}\n  title: ${'Something to do '.repeat(10)}\n  status: pending\n`,
    );
    expect(read(CONFIG, `goals:\n${goals.join('')}`).goals).toHaveLength(500);
  });
});

describe('on disk', () => {
  const clock = { now: () => Date.now() };
  const ids = { hex: (length: number) => 'a'.repeat(length) };

  it('a status is written under the lock of the root, and no link leads out', async () => {
    const root = scratchDirectory('loop-');
    mkdirSync(join(root, '.ai'));
    writeFileSync(join(root, '.ai/config.yaml'), CONFIG);
    writeFileSync(join(root, '.ai/goals.yaml'), GOALS);
    expect(readLoopFiles({ root, reader: DISK_READER }).goals).toHaveLength(1);
    await writeGoalStatus({ root, clock, ids }, { id: 'a', status: 'blocked', blockedReason: 'why' });
    const text = 'goals:\n- {id: a, title: A, status: blocked, blocked_reason: "why"}\n';
    expect(readFileSync(join(root, '.ai/goals.yaml'), 'utf8')).toBe(text);
    const gone = writeGoalStatus({ root, clock, ids }, { id: 'b', status: 'done', blockedReason: null });
    await expect(gone).rejects.toMatchObject({ code: 'SCHEMA_INVALID' });
    const other = scratchDirectory('loop-');
    symlinkSync(join(root, '.ai'), join(other, '.ai'));
    expect(() => readLoopFiles({ root: other, reader: DISK_READER })).toThrow(expect.objectContaining({ code: 'IO' }));
  });
});
