import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import {
  call,
  countSessions,
  eventsOf,
  git,
  promptOf,
  runLoop,
  type Session,
  setUpLoop,
  subjectsOf,
  write,
} from '../../support/loop.js';

const create = freshProjects();

/** Runs a batch with one goal and one session, and returns the outcome. */
function judge(session: Session, { more = '', config = '' } = {}) {
  const project = create();
  const goals = `  - id: one\n    title: The one\n    status: active\n    max_retries: 1\n${more}`;
  setUpLoop(project, { goals, sessions: { one: [session] }, config });
  const { exit, json, stderr } = runLoop(project, 'auto', '--explain');
  return { project, exit, stderr, json, outcome: json.goals_processed[0] };
}

describe('the first line of the table that holds (loop-core.md, auto)', () => {
  const cases: [what: string, session: Session, more: string, classification: string, reason: RegExp][] = [
    ['no change', {}, '', 'no-progress', /nothing was changed/],
    ['a handoff that is blocked', { handoff: 'blocked', reason: 'No key.' }, '', 'blocked', /^No key\.$/],
    [
      'a handoff that failed',
      { write: { a: '1' }, handoff: 'failed', reason: 'Gave up.' },
      '',
      'failed',
      /^Gave up\.$/,
    ],
    ['no handoff', { write: { a: '1' }, handoff: null }, '', 'failed', /no new handoff/],
    ['red tests', { write: { broken: '1' } }, '', 'failed', /^exit 1: test ! -e broken$/],
    ['an exit without work', { handoff: null, exit: 3 }, '', 'tool-error', /^exit 3: /],
    [
      'a change out of scope',
      { write: { 'src/a': '1', b: '2' } },
      '    allowed_changes: [./src/**]\n',
      'failed',
      /^changes outside allowed scope: b$/,
    ],
    ['a protected file', { write: { 'lock.json': '1' } }, '', 'failed', /outside allowed scope: lock\.json$/],
    [
      'a change of .ai',
      { write: { a: '1', '.ai/config.yaml': 'test_command: "true"\n' } },
      '',
      'failed',
      /outside allowed scope: \.ai\/config\.yaml$/,
    ],
    [
      'a commit of its own does not hide it',
      { write: { a: '1', b: '2' }, run: 'git add a b && git commit -qm x' },
      '    allowed_changes: [a]\n',
      'failed',
      /scope: b$/,
    ],
    [
      'a red acceptance',
      { write: { a: '1' } },
      '    acceptance: [{run: "test -e b"}]\n',
      'failed',
      /^exit 1: test -e b$/,
    ],
    [
      'tests that should have failed',
      { write: { a: '1' } },
      '    expect_failure: true\n',
      'failed',
      /expected to fail, but passed/,
    ],
    [
      'tests that cannot be run',
      { write: { a: '1' } },
      '    expect_failure: true\n',
      'failed',
      /could not be run|expected to fail/,
    ],
  ];
  it.each(cases)('%s', (_what, session, more, classification, reason) => {
    const { project, outcome, exit } = judge(session, { more, config: 'protected_paths: ["*.json"]' });
    expect(outcome).toMatchObject({ success: false, classification });
    expect(outcome?.reason).toMatch(reason);
    expect(exit).toBe(1);
    expect(subjectsOf(project)).toEqual([]);
  });

  const sloppy = (status: string, reason: string): string =>
    `---\ntimestamp: ${new Date().toISOString()}\nstatus: ${status}\ngoal_id: one\nreason: ${reason}\n---\n\n## Done\n`;

  it('a handoff of its goal under a name of its own is named with the one asked for, and is no security failure', () => {
    const form = (goal: string) =>
      `---\ntimestamp: "2026-11-27T10:00:00+00:00"\nstatus: complete\ngoal_id: "${goal}"\n---\n## Done\n- x\n`;
    const write = (goal: string) => ({ a: '1', '.ai/handoffs/done.md': form(goal) });
    const named = judge({ write: write('one'), handoff: null });
    expect(named.outcome?.reason).toMatch(/^the handoff was written as done\.md instead of \d{4}-\d\d-\d\d_\d{6}\.md$/);
    const told = eventsOf(named.project).find(({ event_type: type }) => type === 'auto_attempt');
    expect(told?.payload).toMatchObject({ failure_classification: 'impl-defect' });
    expect(call(named.project, ['attempt', 'show', 'one#1']).json['handoffs']).toEqual([
      '.dev/loop/attempts/one/1/unread/done.md',
    ]);
    const idle = judge({ write: { '.ai/handoffs/done.md': form('one') }, handoff: null });
    expect(idle.outcome?.reason).toMatch(/^nothing was changed, and the handoff was written as done\.md/);
    expect(judge({ write: write('two'), handoff: null }).outcome?.reason).toBe(
      'changes outside allowed scope: .ai/handoffs/done.md',
    );
  });

  it('a handoff whose head is no YAML is read line by line, and one that cannot be read is kept and named', () => {
    const asked = judge({ text: sloppy('blocked', 'A name: which of the two: A or B?') });
    expect(asked.outcome).toMatchObject({ classification: 'blocked', reason: 'A name: which of the two: A or B?' });
    const written = judge({ write: { a: '1' }, text: 'All is done.\n' });
    expect(written.outcome?.reason).toMatch(/^the handoff \S+\.md cannot be read/);
    const [path = ''] = call(written.project, ['attempt', 'show', 'one#1']).json['handoffs'] as string[];
    expect(readFileSync(join(written.project.root, path), 'utf8')).toBe('All is done.\n');
    const large = judge({ write: { a: '1' }, text: 'x'.repeat(9 * 1024 * 1024) });
    expect(large.outcome?.reason).toMatch(/^the handoff \S+\.md cannot be read/);
  });

  it('red tests that are red on the base, too, are told so', () => {
    const project = create();
    const goals = '  - id: one\n    title: The one\n    status: active\n    max_retries: 1\n';
    write(project, 'broken', '');
    setUpLoop(project, { goals, sessions: { one: [{ write: { a: '1' } }] } });
    const { reason } = runLoop(project, 'auto').json.goals_processed[0] ?? {};
    expect(reason).toBe('exit 1: test ! -e broken; it fails without this attempt, too');
  });

  it('one goal that is given up does not end the night, three in a row do', () => {
    const project = create();
    const ids = ['a', 'b', 'c', 'd'];
    setUpLoop(project, {
      goals: ids.map((id) => `  - id: ${id}\n    title: ${id}\n    status: active\n    max_retries: 2\n`).join(''),
      sessions: Object.fromEntries(ids.map((id) => [id, [{ write: { broken: '' } }]])),
    });
    const { json } = runLoop(project, 'auto', '--recursive');
    expect(json.goals_processed.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(json.not_run).toEqual([{ id: 'd', reason: 'limits.failures_in_a_row: 3' }]);
  });

  it('red tests are what a goal with expect_failure asks for', () => {
    const { outcome, exit, stderr } = judge(
      { write: { broken: 'not built yet' } },
      { more: '    expect_failure: true\n' },
    );
    expect(outcome).toMatchObject({ success: true, classification: 'complete (expected failure)' });
    expect(exit).toBe(0);
    expect(stderr).toContain('changed: broken; forbidden: nothing');
  });

  it('a session over its time is ended, and its work kept', () => {
    const { project, outcome } = judge({ write: { a: '1\n' }, run: 'sleep 30' }, { config: 'timeout_minutes: 0.03' });
    expect(outcome).toMatchObject({ classification: 'timeout', ref: 'refs/dev-cli/attempts/one/1' });
    expect(git(project, 'show', 'refs/dev-cli/attempts/one/1:a')).toBe('1');
  });

  it('a tool out of quota pauses the batch, burns no attempt, and what was not run is named', () => {
    const project = create();
    setUpLoop(project, {
      goals: ['one', 'two'].map((id) => `  - id: ${id}\n    title: ${id}\n    status: active\n`).join(''),
      sessions: { one: [{ handoff: null, exit: 1, says: 'quota exceeded' }] },
      config: 'backoff_minutes: [0.001, 0.001]\nmax_retries: 1',
    });
    const { exit, json } = runLoop(project, 'auto', '--recursive');
    expect(exit).toBe(1);
    expect(json.not_run.map(({ id }) => id)).toContain('two');
    expect(json.not_run[0]?.reason).toBe('the tool failed again and again');
    expect(countSessions(project, 'one')).toBe(3);
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).not.toContain('blocked');
    expect(eventsOf(project).find(({ event_type: type }) => type === 'auto_attempt')?.payload).toMatchObject({
      classification: 'tool-error',
      failure_classification: 'env-flaky',
    });
  });

  it('three starts, each from the base, and each is told what was tried', () => {
    const project = create();
    setUpLoop(project, {
      goals: '  - id: one\n    title: The one\n    status: active\n',
      sessions: {
        one: [
          { write: { a: '1\n', broken: '' } },
          { write: { b: '2\n', broken: '' } },
          { run: 'test ! -e a && test ! -e b', write: { broken: '' } },
        ],
      },
    });
    const { json } = runLoop(project, 'auto');
    expect(json.goals_processed).toMatchObject([{ classification: 'failed', action_taken: 'block', attempts: 3 }]);
    expect(countSessions(project, 'one')).toBe(3);
    const prompt = promptOf(project, 'one', 3);
    expect(prompt).toMatch(/Attempt 1 ended as failed[\s\S]*\+1[\s\S]*Attempt 2 ended as failed[\s\S]*\+2/);
    expect(call(project, ['attempt', 'list', 'one']).json['attempts']).toMatchObject([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('a person answers with retry and a note; the next prompt has it, and --continue goes on from what was kept', () => {
    const project = create();
    setUpLoop(project, {
      goals: '  - id: one\n    title: The one\n    status: active\n',
      sessions: {
        one: [
          { write: { a: 'half\n' }, handoff: 'blocked', reason: 'Which?' },
          { run: 'test "$(cat a)" = half', write: { b: '2\n' } },
        ],
      },
    });
    expect(runLoop(project, 'auto').json.goals_processed).toMatchObject([
      { classification: 'blocked', reason: 'Which?' },
    ]);
    // If a call was killed after it reserved a number and before it recorded anything, there is no attempt.
    git(project, 'update-ref', 'refs/dev-cli/attempts/one/2', 'HEAD');
    expect(call(project, ['attempt', 'list']).json['attempts']).toMatchObject([{ id: 'one#1' }]);
    const { exit, json } = runLoop(project, 'retry', 'one', '--note', 'The second one.', '--continue');
    expect(json.goals_processed).toMatchObject([{ success: true, attempts: 3 }]);
    expect(exit).toBe(0);
    expect(promptOf(project, 'one', 2)).toMatch(/A person adds \(it holds\):\n```text\nThe second one\./);
    expect(git(project, 'show', '--stat', '--format=', 'HEAD')).toMatch(/^a \|[\s\S]* b \|/);
    expect(call(project, ['retry', 'one']).json.error).toMatchObject({ code: 'GOAL_REFUSED' });
  });
});
