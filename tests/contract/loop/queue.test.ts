import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callDoor } from '../../support/door.js';
import { freshProjects } from '../../support/fresh.js';
import { call, countSessions, eventsOf, runLoop, setUpLoop, write } from '../../support/loop.js';
import type { Project } from '../../support/project.mjs';

// loop-operations.md, Queue: goals for workers of any kind.

const create = freshProjects();
const goal = (id: string, more = '') => `  - id: ${id}\n    title: The ${id}\n    status: active\n${more}`;

function begin(goals = goal('one') + goal('two') + goal('three'), config = ''): Project {
  const project = create();
  setUpLoop(project, { goals, sessions: {}, config });
  return project;
}

interface Claim {
  ok: boolean;
  claim_id: string;
  goal_id: string;
  [key: string]: unknown;
}
const queue = (project: Project, ...args: string[]) => {
  const { exit, json } = call(project, ['queue', ...args]);
  return { exit, json: json as unknown as Claim & { error?: { code: string; details: { reason_code?: string }[] } } };
};
const claim = (project: Project, worker: string, ...more: string[]) =>
  queue(project, 'claim', '--worker', worker, ...more);
const reasonOf = ({ exit, json }: ReturnType<typeof queue>) => [
  exit,
  json.error?.code,
  json.error?.details[0]?.reason_code,
];
const told = (project: Project) =>
  eventsOf(project).flatMap(({ event_type: type }) => (type.startsWith('queue_') ? [type.slice(6)] : []));

describe('queue claim', () => {
  it('gives each worker a goal of its own, and says all of it', () => {
    const project = begin();
    const first = claim(project, 'w1', '--idempotency-key', 'k1');
    expect(first).toEqual({
      exit: 0,
      json: {
        ...{ ok: true, claim_id: expect.stringMatching(/^QCLM_[0-9a-f]{12}$/), goal_id: 'one', worker_id: 'w1' },
        ...{ role: 'implement', status: 'active', created_at: expect.any(String), expires_at: expect.any(String) },
        ...{ created: true, idempotent_reused: false, expired_swept: 0, idempotency_key: 'k1' },
      },
    });
    const { created_at: from, expires_at: to } = first.json;
    expect(Date.parse(String(to)) - Date.parse(String(from))).toBe(30 * 60_000);
    expect(claim(project, 'w1', '--idempotency-key', 'k1').json).toMatchObject({
      ...{ claim_id: first.json.claim_id, created: false, idempotent_reused: true },
    });
    expect(claim(project, 'w2', '--ttl-minutes', '1').json).toMatchObject({ goal_id: 'two', idempotency_key: null });
    expect(reasonOf(claim(project, 'w1', '--goal', 'three'))).toEqual([4, 'CLAIM_REFUSED', 'max_active_claims']);
    expect(reasonOf(claim(project, 'w3', '--goal', 'one'))).toEqual([4, 'CLAIM_REFUSED', 'goal_already_claimed']);
    expect(told(project)).toEqual([
      ...['claim_created', 'idempotent_claim_reused', 'claim_created', 'claim_rejected', 'claim_rejected'],
    ]);
    expect(eventsOf(project).at(-1)?.payload).toEqual({
      ...{ claim_id: null, goal_id: 'one', worker_id: 'w3', role: null },
      ...{ reason_code: 'goal_already_claimed', expires_at: null },
    });
  });

  it('goes by the role of a goal, which its phase says where it says none', () => {
    const project = begin(
      goal('one', '    role: paint\n') +
        goal('two', '    phase: review\n') +
        goal('three', '    phase: adversarial\n') +
        goal('four'),
    );
    expect(reasonOf(claim(project, 'w1', '--goal', 'one', '--role', 'test'))).toEqual([
      ...[4, 'CLAIM_REFUSED', 'role_phase_mismatch'],
    ]);
    for (const [role, id] of [
      ['verify', 'two'],
      ['test', 'three'],
      ['implement', 'four'],
      ['paint', 'one'],
    ] as const)
      expect(claim(project, `w-${role}`, '--role', role).json).toMatchObject({ goal_id: id, role });
    expect(reasonOf(claim(project, 'w5', '--role', 'test'))[2]).toBe('no_claimable_goals');
  });

  it.each([
    ['is done', '  - id: one\n    title: One\n    status: done\n'],
    ['depends on what is not done', `${goal('one', '    depends_on: [two]\n')}${goal('two')}`],
    ['waits for a decision', goal('one', '    uncertainty: high\n')],
    ['is for a person', goal('one', '    mode: interactive\n')],
    ['is divided', goal('one', '    children:\n      - { id: two, title: Two, status: active }\n')],
    ['has a recipe, whose gates no worker sees', goal('one', '    recipe: bugfix\n')],
    ['is not there', goal('other')],
  ])('refuses a goal that %s', (_, goals) => {
    expect(reasonOf(claim(begin(goals), 'w1', '--goal', 'one'))).toEqual([4, 'CLAIM_REFUSED', 'goal_not_claimable']);
  });

  it.each([
    [['--worker', '']],
    [['--worker', '  ']],
    [['--worker', 'a\u001b[2Jb']],
    [['--worker', 'auto']],
    [['--worker', 'x'.repeat(81)]],
    [['--worker', 'w1', '--ttl-minutes', '0']],
    [['--worker', 'w1', '--ttl-minutes', '1441']],
    [['--worker', 'w1', '--ttl-minutes', '241']],
    [['--worker', 'w1', '--idempotency-key', '']],
  ])('takes no %o', (args) => {
    const project = begin();
    const { exit, json } = queue(project, 'claim', ...args);
    expect([exit, json.error?.code]).toEqual([2, 'USAGE']);
    expect(queue(project, 'list').json).toMatchObject({ claims: [] });
  });

  it.each([
    ['', '241', '1 to 240, the value of queue.max_ttl_minutes here.'],
    ['queue: {max_ttl_minutes: 1440}\n', '1441', '1 to 1440.'],
  ])('with %j names the bound of minutes', (config, minutes, bound) => {
    const { json } = call(begin(goal('one'), config), ['queue', 'claim', '--worker', 'w1', '--ttl-minutes', minutes]);
    expect(json.error?.message).toContain(`--ttl-minutes takes a number from ${bound}`);
  });

  it('needs goals', () => {
    const project = create();
    expect(claim(project, 'w1').json.error?.code).toBe('NO_PROJECT');
  });
});

describe('queue renew and release', () => {
  it('are for the worker of an active claim alone', () => {
    const project = begin();
    const { claim_id: id } = claim(project, 'w1').json;
    expect(queue(project, 'renew', id, '--worker', 'w1', '--ttl-minutes', '120')).toMatchObject({
      exit: 0,
      json: { claim_id: id },
    });
    expect(reasonOf(queue(project, 'renew', id, '--worker', 'w2'))).toEqual([
      4,
      'CLAIM_REFUSED',
      'claim_of_other_worker',
    ]);
    expect(call(project, ['queue', 'renew', id, '--worker', 'w2']).json.error?.message).toBe(
      `${id} is not active: it belongs to w1, not to w2.`,
    );
    expect(reasonOf(queue(project, 'release', 'QCLM_000000000000', '--worker', 'w1'))[2]).toBe('claim_not_active');
    expect(
      queue(project, 'release', id, '--worker', 'w1', '--reason', 'done here', '--goal-status', 'done').json,
    ).toMatchObject({
      ...{ status: 'released', released_at: expect.any(String), reason: 'done here', goal_status: 'done' },
    });
    expect(reasonOf(queue(project, 'release', id, '--worker', 'w1'))[2]).toBe('claim_not_active');
    // A worker's word alone finishes no goal.
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).not.toContain('done');
    expect(claim(project, 'w2').json.goal_id).toBe('one');
  });
});

describe('queue list', () => {
  it('shows active claims first, and counts them; a goal that is gone hinders nothing', () => {
    const project = begin();
    const { claim_id: id } = claim(project, 'w1').json;
    queue(project, 'release', id, '--worker', 'w1');
    claim(project, 'w2');
    write(project, '.ai/goals.yaml', `goals:\n${goal('two')}`);
    const { json } = queue(project, 'list');
    expect(json).toMatchObject({
      claims: [
        { goal_id: 'one', worker_id: 'w2', status: 'active', closed_at: null },
        { claim_id: id, status: 'released', closed_at: expect.any(String) },
      ],
      snapshot: {
        ...{ total_claims: 2, active_claims: 1 },
        ...{ active_claims_by_worker: { w2: 1 }, active_claims_by_role: { implement: 1 } },
      },
    });
    expect(queue(project, 'list', '--active-only').json['claims']).toHaveLength(1);
  });
});

describe('auto beside workers', () => {
  it('observe and a dry run call no goal ready that somebody has, or that waits for a decision', () => {
    const project = begin(goal('one') + goal('two', '    decision_file: .ai/decisions/d.yaml\n') + goal('three'));
    claim(project, 'w1', '--goal', 'one');
    const held = expect.stringMatching(/^w1 holds it until 2/);
    const open = 'the decision in .ai/decisions/d.yaml is not accepted: there is no such file';
    expect(call(project, ['observe']).json['goals']).toMatchObject([
      { id: 'one', because: held },
      { id: 'two', because: open },
      { id: 'three', because: 'it is ready' },
    ]);
    const dry = ['auto', '--recursive', '--dry-run'];
    const rows = call(project, dry).json['goals'] as { id: string; waits?: string }[];
    expect(rows.map(({ id, waits }) => ({ id, waits }))).toEqual([
      { id: 'one', waits: held },
      { id: 'two', waits: open },
      { id: 'three', waits: undefined },
    ]);
    const { stdout } = callDoor({ argv: dry, cwd: project.root, env: project.env });
    expect(stdout).toContain(`\n     not now: ${open}\n`);
  });

  it('passes by the goals of others, says who has them, and leaves no lease behind', () => {
    const project = begin();
    claim(project, 'w1', '--goal', 'two');
    const { exit, json } = runLoop(project, 'auto', '--recursive');
    expect([exit, json.goals_processed.map(({ id }) => id)]).toEqual([1, ['one', 'three']]);
    expect(json.not_run).toEqual([{ id: 'two', reason: expect.stringMatching(/^w1 holds it until 2/) }]);
    expect(queue(project, 'list', '--active-only').json).toMatchObject({ claims: [{ goal_id: 'two' }] });
    expect(countSessions(project, 'two')).toBe(0);
    rmSync(join(project.root, '.ai/events'), { recursive: true });
    expect(queue(project, 'list').exit).toBe(0);
  });
});
