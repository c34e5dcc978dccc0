import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createAttempt } from '../../../src/wings/loop/begin.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { openRefs } from '../../../src/wings/loop/refs.js';
import { LOOP, openLoop } from '../../../src/wings/loop/streams.js';
import { callDoor } from '../../support/door.js';
import { freshProjects } from '../../support/fresh.js';
import { call, eventsOf, git, runLoop, setUpLoop, subjectsOf, write } from '../../support/loop.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';

// loop-operations.md, Packets: goals handed out and results handed in, as files.

const create = freshProjects();

const goal = (id: string, more = '', status = 'active'): string =>
  `  - id: ${id}\n    title: The ${id}\n    status: ${status}\n${more}`;

const GOALS = [
  goal('one'),
  goal('two', '    role: test\n'),
  goal('scoped', '    allowed_changes: [src/**]\n'),
  goal('later', '    depends_on: [one]\n'),
  goal('over', '', 'done'),
  goal('ask', '    mode: interactive\n'),
  goal('gated', '    recipe: bugfix\n'),
].join('');

function setUp(config = '', project = create()): Project {
  setUpLoop(project, { goals: GOALS, sessions: { one: [{ write: { 'one.txt': 'by auto\n' } }] }, config });
  return project;
}

type Answer = Record<string, unknown> & {
  ok: boolean;
  error?: { code: string; message: string; details: { pointer?: string; problem: string }[] };
};

function run(project: Project, ...argv: string[]): { exit: number; json: Answer } {
  const { exit, json } = call(project, argv);
  return { exit, json: json as unknown as Answer };
}

interface Packet {
  packet_id: string;
  base: string;
  run_id: string;
  goal: { id: string };
  execution: { role: string; mode: string; prompt: string };
  context: { included: boolean; format: string; text: string | null };
  instructions: string[];
}

function give(project: Project, id: string, ...more: string[]): Packet {
  const { exit, json } = run(project, 'protocol', 'export', '--adapter', 'other', '--goal', id, ...more);
  expect(exit, JSON.stringify(json)).toBe(0);
  return json['packet'] as Packet;
}

/** Builds a diff that adds a file. */
const adds = (path: string, text = 'new', mode = '100644'): string =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;

const result = (more: object) => ({
  ...{ schema_version: 'protocol_result.v1', adapter: 'other', goal_id: 'one', success: true },
  ...more,
});

function handIn(project: Project, said: object | string): { exit: number; json: Answer } {
  const path = join(project.home, 'result.json');
  write({ ...project, root: project.home }, 'result.json', typeof said === 'string' ? said : JSON.stringify(said));
  return run(project, 'protocol', 'ingest', path);
}

/** Lists the loop's files, which a refusal leaves unchanged. */
const look = ({ root }: Project): string[] =>
  readdirSync(join(root, '.dev/loop')).map((name) => `${name} ${statSync(join(root, '.dev/loop', name)).mtimeMs}`);

/** Lists git's references and objects, and its status. */
const lookAtGit = (project: Project): string[] =>
  [['for-each-ref'], ['count-objects', '-v'], ['status', '--porcelain']].map((args) => git(project, ...args));

function findingsOf(project: Project, said: object | string): string[] {
  const before = look(project);
  const { exit, json } = handIn(project, said);
  expect([exit, json.error?.code], JSON.stringify(json)).toEqual([3, 'PACKET_REFUSED']);
  expect(look(project)).toEqual(before);
  return (json.error?.details ?? []).map(({ pointer = '', problem }) => `${pointer} ${problem}`);
}

describe('protocol export', () => {
  it('gives a goal out with all that a worker needs, and keeps the packet', () => {
    const project = setUp();
    const { json } = run(project, 'protocol', 'export', '--adapter', 'langgraph');
    const packet = json['packet'] as Packet;
    expect(packet).toMatchObject({
      ...{ schema_version: 'protocol_task.v1', adapter: 'langgraph', base: git(project, 'rev-parse', 'HEAD') },
      goal: { id: 'one', title: 'The one', acceptance: [], allowed_changes: null, expect_failure: false },
      execution: { role: 'implement', mode: 'non-interactive' },
      context: { included: true, format: 'plain' },
    });
    expect(packet.packet_id).toMatch(/^pkt_[0-9a-f]{16}$/);
    expect(packet.run_id).toMatch(/^\d{8}T\d{6}[+-]\d{4}-[0-9a-f]{4}$/);
    expect(packet.context.text).toContain('CURRENT GOAL\n  The one (one)');
    expect(packet.execution.prompt).toContain('Run the tests: `test ! -e broken`');
    expect(packet.execution.prompt).not.toMatch(/\.ai\/handoffs|Key Decisions/);
    expect(packet.execution.prompt).toContain('and say it in the summary.');
    expect(packet.instructions).toHaveLength(3);
    expect(packet.instructions.join(' ')).toContain(packet.packet_id);
    const path = `.ai/protocols/outbox/${packet.packet_id}.json`;
    expect(json['packet_path']).toBe(path);
    expect(JSON.parse(readFileSync(join(project.root, path), 'utf8'))).toEqual(packet);
    expect(git(project, 'status', '--porcelain')).toBe('?? .ai/protocols/');
  });

  it('leaves out what it is asked to, and knows the packet all the same', () => {
    const project = setUp();
    const { json } = run(
      project,
      ...'protocol export --adapter other --goal one --no-include-context --no-write'.split(' '),
    );
    const packet = json['packet'] as Packet;
    expect([packet.context, json['packet_path']]).toEqual([{ included: false, format: 'plain', text: null }, null]);
    expect(existsSync(join(project.root, '.ai/protocols'))).toBe(false);
    expect(handIn(project, result({ packet_id: packet.packet_id })).exit).toBe(0);
    expect(JSON.parse(give(project, 'two', '--context-format', 'json').context.text ?? '')).toMatchObject({
      current_goal: { id: 'two' },
    });
  });

  it('passes by what is leased, and takes a named goal whoever has it', () => {
    const project = setUp();
    run(project, 'queue', 'claim', '--worker', 'w', '--goal', 'one');
    const named = (...more: string[]) =>
      (run(project, 'protocol', 'export', '--adapter', 'other', ...more).json['packet'] as Packet | undefined)?.goal.id;
    expect([named(), named('--goal', 'one'), named('--role', 'test')]).toEqual(['two', 'one', 'two']);
  });

  it.each([
    ['over', /its status is done/],
    ['later', /depends on one/],
    ['ask', /interactive/],
    ['gated', /only auto carries out its recipe bugfix/],
    ['nobody', /no such goal/],
  ])('refuses %s', (id, why) => {
    const { exit, json } = run(setUp(), 'protocol', 'export', '--adapter', 'other', '--goal', id);
    expect([exit, json.error?.code]).toEqual([3, 'GOAL_REFUSED']);
    expect(json.error?.message).toMatch(why);
  });
});

describe('what protocol ingest refuses', () => {
  const project = setUp('', createProject());
  afterAll(() => project.remove());
  const { packet_id } = give(project, 'one', '--no-write');
  const seen = give(project, 'two', '--no-write').packet_id;
  expect(handIn(project, result({ goal_id: 'two', packet_id: seen })).exit).toBe(0);
  run(project, 'queue', 'claim', '--worker', 'other', '--goal', 'scoped');
  const claim = run(project, 'queue', 'claim', '--worker', 'w', '--goal', 'two').json['claim_id'];
  const released = run(project, 'queue', 'release', String(claim), '--worker', 'w').json['claim_id'];
  const active = run(project, 'queue', 'claim', '--worker', 'w', '--goal', 'two').json['claim_id'];

  const before = lookAtGit(project);

  const cases: [what: string, said: object, ...findings: RegExp[]][] = [
    ['an id that is a path', { run_id: '../../x' }, /^\/run_id is "\.\.\/\.\.\/x"/],
    ['an absolute one', { run_id: '/etc/passwd' }, /^\/run_id /],
    ['dots in one', { run_id: 'a..b' }, /^\/run_id /],
    ['a goal that is a path', { goal_id: '../one' }, /^\/goal_id is /],
    ['an unknown goal', { goal_id: 'nobody' }, /^\/goal_id there is no such goal$/],
    ['an unknown adapter', { adapter: 'mine' }, /^\/adapter is "mine"/],
    ['a success that is a text', { success: 'true' }, /^\/success is "true"/],
    ['another version', { schema_version: 'protocol_result.v2' }, /^\/schema_version /],
    ['an unknown key', { path: '/etc' }, /unknown key "path"/],
    ['success at odds with retry', { action_taken: 'retry' }, /^\/action_taken is retry, at odds/],
    [
      'failure at odds with advance',
      { success: false, action_taken: 'advance' },
      /^\/action_taken is advance, at odds/,
    ],
    [
      'a packet that was handed in',
      { goal_id: 'two', packet_id: seen, claim_id: active },
      /^\/packet_id was already handed in$/,
    ],
    [
      'a packet of another goal',
      { goal_id: 'two', packet_id, claim_id: active },
      /^\/packet_id was made for the goal one$/,
    ],
    ['a packet of another adapter', { adapter: 'langgraph', packet_id }, /^\/packet_id was made for other$/],
    ['an unknown packet', { packet_id: 'pkt_0123456789abcdef' }, /^\/packet_id does not belong to any packet/],
    ['an unknown claim', { claim_id: 'QCLM_0123456789ab' }, /^\/claim_id is not active$/],
    [
      'a claim that was released',
      { goal_id: 'over', claim_id: released },
      /^\/goal_id .*done/,
      /^\/claim_id is not active$/,
    ],
    ['a claim of another goal', { claim_id: active }, /^\/claim_id is for the goal two$/],
    ['a goal that somebody else has', { goal_id: 'scoped' }, /^\/goal_id other holds it until /],
    ['a goal that is done', { goal_id: 'over' }, /^\/goal_id .*its status is done$/],
    ['a goal that waits', { goal_id: 'later' }, /^\/goal_id .*depends on one/],
    ['a goal with a recipe', { goal_id: 'gated', ref: 'HEAD' }, /^\/goal_id .*its recipe bugfix/],
    ['both ref and patch', { packet_id, ref: 'HEAD', patch: adds('a') }, /^\/patch comes together with a ref/],
    ['a ref that is an option', { ref: '--all' }, /^\/ref is "--all"/],
    ['a ref that is none', { ref: 'nobody' }, /^\/ref is not a commit/],
    ['a patch without a packet', { patch: adds('a') }, /^\/patch needs a packet_id/],
    ['a patch that is none', { packet_id, patch: 'nothing' }, /^\/patch does not apply/],
    ['a patch that does not fit', { packet_id, patch: adds('a').replace('-0,0', '-5,1') }, /^\/patch does not apply/],
    ['a file that is there', { packet_id, patch: adds('package.json') }, /^\/patch does not apply.*already exists/],
  ];
  it.each(cases)('%s', (_what, said, ...findings) => {
    const found = findingsOf(project, result(said));
    expect(found).toHaveLength(findings.length);
    for (const finding of findings)
      expect(
        found.some((one) => finding.test(one)),
        found.join('\n'),
      ).toBe(true);
  });

  const touches: [what: string, patch: string][] = [
    ['.ai', adds('.ai/rules.md')],
    ['.dev', adds('.dev/loop/state.json')],
    ['.git', adds('.git/hooks/pre-commit')],
    ['another case', adds('.AI/rules.md')],
    ['a quoted name', adds('"b/.a\\151/x"').replaceAll('a/"b/', '"a/').replaceAll('b/"b/', '"b/')],
    ['an empty file', 'diff --git a/.ai/x b/.ai/x\nnew file mode 100644\nindex 0000000..e69de29\n'],
    ['a deeper one', adds('packages/a/.git/config')],
    ['a way out', adds('../out')],
    ['a way out within', adds('a/../../out')],
    ['an absolute path', adds('x').replaceAll('b/x', '/etc/x')],
    [
      'a rename out of it',
      'diff --git a/.ai/config.yaml b/c.yaml\nsimilarity index 100%\nrename from .ai/config.yaml\nrename to c.yaml\n',
    ],
    [
      'a rename into it',
      'diff --git a/package.json b/.dev/p\nsimilarity index 100%\nrename from package.json\nrename to .dev/p\n',
    ],
    [
      'a copy of it',
      'diff --git a/.ai/config.yaml b/c.yaml\nsimilarity index 100%\ncopy from .ai/config.yaml\ncopy to c.yaml\n',
    ],
    [
      'a rename into .git',
      'diff --git a/package.json b/.git/hooks/p\nsimilarity index 100%\nrename from package.json\nrename to .git/hooks/p\n',
    ],
    ['a link to .git', `${adds('a/l', '../.git/hooks', '120000')}\\ No newline at end of file\n`],
    ['a link to .dev', `${adds('l', './.dev/loop', '120000')}\\ No newline at end of file\n`],
    ['a link to it', `${adds('l', '.ai', '120000')}\\ No newline at end of file\n`],
    ['a link out', `${adds('l', '../../etc', '120000')}\\ No newline at end of file\n`],
    ['an absolute link', `${adds('l', '/etc', '120000')}\\ No newline at end of file\n`],
    ['a link written through', `${adds('l', '.git', '120000')}\\ No newline at end of file\n${adds('l/hooks/x')}`],
  ];
  it.each(touches)('a patch: %s', (_what, patch) => {
    const found = findingsOf(project, result({ packet_id, patch }));
    expect(found.join('\n')).toMatch(/touches \.(git|ai|dev)|leaves the tree|beyond a symbolic link|invalid path/);
  });

  it('all at once', () => {
    const found = findingsOf(project, {
      schema_version: 'x',
      adapter: 'y',
      goal_id: '/z',
      success: 1,
      run_id: '..',
      ref: '-',
    });
    expect(found).toHaveLength(6);
    const more = findingsOf(
      project,
      result({ goal_id: 'over', success: false, action_taken: 'advance', packet_id, patch: adds('.ai/x') }),
    );
    expect(more.map((one) => one.split(' ')[0])).toEqual(['/action_taken', '/packet_id', '/goal_id', '/patch']);
  });

  it.each([
    ['what is no JSON', '{"success": tru', /not a JSON object/],
    ['a list', '[]', /not a JSON object/],
    ['more than 1 MB', JSON.stringify(result({ summary: 'x'.repeat(10 * 1024 * 1024) })), /more than 1 MB/],
    ['a long summary', JSON.stringify(result({ summary: 'x'.repeat(20_000) })), /^\/summary /],
  ])('%s', (_what, text, finding) => {
    expect(findingsOf(project, text).join()).toMatch(finding);
  });

  it('a file that is none of its own; and git has nothing of it all', () => {
    expect(lookAtGit(project)).toEqual(before);
    symlinkSync(join(project.home, 'result.json'), join(project.home, 'link.json'));
    const refused = (name: string) =>
      run(project, 'protocol', 'ingest', join(project.home, name)).json.error?.details.map(({ problem }) => problem);
    expect([refused('link.json'), refused('.'), refused('missing')]).toEqual([
      ['it is a link'],
      ['it is not a regular file'],
      ['there is no such file'],
    ]);
    expect(callDoor({ argv: ['protocol', 'ingest'], cwd: project.root, env: project.env }).exit).toBe(2);
  });

  it('a commit that touches .ai', () => {
    const tree = join(project.home, 'tree');
    git(project, 'worktree', 'add', '-q', '--detach', tree);
    write({ ...project, root: tree }, '.ai/rules.md', 'mine\n');
    const inTree = { ...project, root: tree };
    git(inTree, 'add', '-A');
    git(inTree, 'commit', '-qm', 'mine');
    expect(findingsOf(project, result({ ref: git(inTree, 'rev-parse', 'HEAD') }))).toEqual([
      '/ref .ai/rules.md touches .ai',
    ]);
    git(project, 'worktree', 'remove', '--force', tree);
  });
});

describe('what protocol ingest takes', () => {
  it('without work: a claim, which finishes nothing', () => {
    const project = setUp();
    const goals = readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8');
    const { exit, json } = handIn(
      project,
      result({ action_taken: 'advance', run_id: 'mine-1', summary: 'Done\u001b[31m!' }),
    );
    expect([exit, json]).toEqual([
      0,
      { ok: true, run_id: 'mine-1', goal_id: 'one', adapter: 'other', event_id: expect.any(String), attempt: null },
    ]);
    const [event] = eventsOf(project);
    expect(event).toMatchObject({
      ...{ event_type: 'protocol_result_ingested', event_id: json['event_id'] },
      payload: {
        ...{ run_id: 'mine-1', goal_id: 'one', adapter: 'other', packet_id: null, claim_id: null, attempt: null },
        ...{ success: true, action_taken: 'advance', classification: null, summary: 'Done!' },
      },
    });
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).toBe(goals);
  });

  it.each([
    ['without work', () => ({}), ''],
    ['with work', (packet_id: string) => ({ packet_id, patch: adds('half') }), 'refs/dev-cli/attempts/one/1'],
  ])('a question %s: the goal is blocked at once, and a person is asked', (_what, more, reference) => {
    const project = setUp();
    const { packet_id, execution } = give(project, 'one');
    expect(execution.prompt).toContain('success false, action_taken "block", and the summary');
    const said = { success: false, action_taken: 'block', summary: 'Which way?', ...more(packet_id) };
    expect(handIn(project, result(said)).json['attempt']).toBe('one#1');
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).toMatch(
      /id: one\n {4}title: The one\n {4}status: blocked\n {4}blocked_reason: "?Which way\?/,
    );
    expect(git(project, 'for-each-ref', '--format=%(refname)', 'refs/dev-cli')).toBe(reference);
    const { items } = run(project, 'inbox', 'list').json as unknown as { items: { inbox_id: string }[] };
    expect(items).toMatchObject([{ goal_id: 'one', reason_code: 'action_block', summary: 'Which way?' }]);
    expect(run(project, 'attempt', 'show', 'one#1').json['verdict']).toMatchObject({ classification: 'blocked' });
    const act = ['inbox', 'act', items[0]?.inbox_id ?? '', '--action', 'approve', '--operator', 'anna'];
    expect(run(project, ...act, '--reason', 'Left.').exit).toBe(0);
    expect(runLoop(project, 'auto', 'one').json.goals_processed).toMatchObject([{ id: 'one', success: true }]);
    expect(readFileSync(`${project.env['LOOP_SCRIPT']}.one-1.prompt`, 'utf8')).toContain('Left.');
    expect(existsSync(join(project.root, 'half'))).toBe(reference !== '');
  });

  it('a patch: an attempt that the next batch judges and integrates, with another goal chosen', () => {
    const project = setUp();
    const { packet_id, base, run_id } = give(project, 'two');
    const claim_id = run(project, 'queue', 'claim', '--worker', 'w', '--goal', 'two').json['claim_id'];
    const said = { goal_id: 'two', packet_id, claim_id, patch: adds('two.txt'), summary: 'By w.' };
    const { json } = handIn(project, result(said));
    expect(json).toMatchObject({ ok: true, run_id, attempt: 'two#1' });
    expect(git(project, 'diff', '--name-only', base, 'refs/dev-cli/attempts/two/1')).toBe('two.txt');
    expect(git(project, 'status', '--porcelain', '--', '.', ':!.ai')).toBe('');
    expect(findingsOf(project, result(said))).toEqual([
      '/packet_id was already handed in',
      '/goal_id an attempt of it is under way',
    ]);
    run(project, 'queue', 'release', String(claim_id), '--worker', 'w');
    expect(existsSync(join(project.root, '.dev/loop/attempts'))).toBe(false);
    expect(run(project, 'attempt', 'show', 'two#1').json).toMatchObject({ ref: 'refs/dev-cli/attempts/two/1' });
    const ended = runLoop(project, 'auto', 'one');
    expect(ended.json.goals_processed.map(({ id, classification }) => `${id} ${classification}`).sort()).toEqual([
      'one complete',
      'two complete',
    ]);
    expect(subjectsOf(project).sort()).toEqual(['feat(one): The one', 'feat(two): The two']);
    expect(git(project, 'show', 'main:two.txt')).toBe('new');
    expect(statSync(join(project.root, '.dev/loop/attempts/two/1')).mode & 0o777).toBe(0o700);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(run(project, 'attempt', 'show', 'two#1').json['verdict']).toMatchObject({
      ...{ run_id, success: true, sessions: 0, tool: 'protocol ingest: other' },
      facts: { handoff: { status: 'complete', reason: 'By w.' }, changed: ['two.txt'] },
    });
  });

  it('late work whose claim is over, where it does not name the claim and nobody else has the goal', () => {
    const project = setUp();
    const { packet_id } = give(project, 'one');
    const claim_id = run(project, 'queue', 'claim', '--worker', 'w', '--goal', 'one').json['claim_id'];
    run(project, 'queue', 'release', String(claim_id), '--worker', 'w');
    const said = { packet_id, patch: adds('x') };
    expect(findingsOf(project, result({ ...said, claim_id }))).toEqual(['/claim_id is not active']);
    const other = run(project, 'queue', 'claim', '--worker', 'w2', '--goal', 'one').json['claim_id'];
    expect(findingsOf(project, result(said))[0]).toMatch(/^\/goal_id w2 holds it until /);
    run(project, 'queue', 'release', String(other), '--worker', 'w2');
    expect(handIn(project, result(said)).json['attempt']).toBe('one#1');
  });

  it('one of several that hand in the same at once', async () => {
    const project = setUp();
    const { packet_id } = give(project, 'one');
    const path = join(project.home, 'result.json');
    write({ ...project, root: project.home }, 'result.json', JSON.stringify(result({ packet_id, patch: adds('x') })));
    const argv = [BINARY, 'protocol', 'ingest', path, '--json'];
    const options = { cwd: project.root, env: project.env, stdio: 'ignore' } as const;
    const exits = [1, 2, 3].map(
      () => new Promise((resolve) => spawn(process.execPath, argv, options).on('exit', resolve)),
    );
    expect((await Promise.all(exits)).sort()).toEqual([0, 3, 3]);
    expect(eventsOf(project)).toHaveLength(1);
    expect(git(project, 'for-each-ref', 'refs/dev-cli').split('\n')).toHaveLength(1);
  });

  it('before an attempt that auto was about to begin: there is never more than one', async () => {
    const project = setUp();
    const { root } = project;
    const { packet_id } = give(project, 'one');
    let count = 0;
    const ids = { hex: (length: number) => (++count).toString(16).padStart(length, '0') };
    const clock = { now: () => Date.now() };
    const streams = openLoop({ root, ids, clock, caller: { via: 'cli', harness: null } as never });
    const batch = {
      ...{
        runId: 'x',
        startedAt: '',
        endedAt: '',
        branch: 'main',
        base: '0'.repeat(40),
        goals: [],
        sessions: 0,
        failures: 0,
      },
      ...{ toolErrors: 0, pausedUntil: null, costUsd: 0, outcomes: {} },
    };
    await streams.transact(LOOP, (state) => ({
      answer: null,
      state: { ...state, batch },
      entry: { type: 'batch-started', data: {} },
    }));
    const leases = openLeases(streams, ids);
    const take: typeof leases.take = (asked) => {
      expect(handIn(project, result({ packet_id, patch: adds('x') })).exit).toBe(0);
      return leases.take(asked);
    };
    const site = {
      ...{ streams, context: { clock }, config: { queue: { ttl_minutes: 30 } }, top: root, trees: '/nowhere', git: {} },
      ...{ refs: openRefs(root, {}), role: { kind: 'alone' }, leases: { ...leases, take }, findTool: () => 'tool' },
    };
    expect(await createAttempt({ site } as never, { id: 'one' } as never)).toBeNull();
    const { attempts, leases: left } = await streams.read(LOOP);
    expect(Object.keys(attempts)).toEqual(['one#1']);
    expect(Object.values(left).map(({ status }) => status)).toEqual(['released']);
    expect(git(project, 'for-each-ref', '--format=%(refname)', 'refs/dev-cli')).toBe('refs/dev-cli/attempts/one/1');
  });

  it('a ref: what it adds to the branch, as one commit, set up as any attempt', () => {
    const project = setUp('worktree_setup: ["echo 1 > .ai/ready"]\n');
    write(project, '.ai/goals.yaml', `goals:\n${goal('scoped', '    acceptance: [{run: "test -e .ai/ready"}]\n')}`);
    git(project, 'checkout', '-q', '-b', 'side');
    for (const name of ['x', 'y']) {
      write(project, name, `${name}\n`);
      git(project, 'add', name);
      git(project, 'commit', '-qm', name);
    }
    git(project, 'checkout', '-q', 'main');
    write(project, 'z', 'z\n');
    git(project, 'add', 'z');
    git(project, 'commit', '-qm', 'z');
    expect(handIn(project, result({ goal_id: 'scoped', ref: 'side' })).json['attempt']).toBe('scoped#1');
    expect(git(project, 'diff', '--name-only', 'main...refs/dev-cli/attempts/scoped/1').split('\n')).toEqual([
      'x',
      'y',
    ]);
    expect(runLoop(project, 'auto', '--dirty').json.goals_processed[0]?.classification).toBe('complete');
    expect(subjectsOf(project)[0]).toBe('feat(scoped): The scoped');
    expect(git(project, 'show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual(['x', 'y']);
  });

  it.each([
    ['that broke the tests', { patch: adds('broken') }, 'failed', /^exit 1: test ! -e broken/],
    ['that says that it failed', { success: false, summary: 'No way.', patch: adds('a') }, 'failed', /^No way\.$/],
    ['out of scope', { goal_id: 'scoped', patch: adds('b') }, 'failed', /outside allowed scope: b$/],
    ['that changes nothing', { ref: 'HEAD' }, 'no-progress', /nothing was changed/],
  ])('work %s: kept, and not integrated', (_what, said, classification, reason) => {
    const project = setUp('max_retries: 1\n');
    const id = 'goal_id' in said ? said.goal_id : 'one';
    const packet = 'patch' in said ? { packet_id: give(project, id).packet_id } : {};
    // The reference of attempt 1 exists, as an interrupted call leaves it, so this number is not used again.
    git(project, 'update-ref', `refs/dev-cli/attempts/${id}/1`, 'HEAD');
    expect(handIn(project, result({ ...packet, ...said })).json['attempt']).toBe(`${id}#2`);
    const { json } = runLoop(project, 'auto', id);
    expect(json.goals_processed.find((one) => one.id === id)).toMatchObject({ classification, action_taken: 'block' });
    expect(json.goals_processed.find((one) => one.id === id)?.reason).toMatch(reason);
    expect(subjectsOf(project)).toEqual([]);
  });

  it('is told to the attempts that come after', () => {
    const project = setUp();
    const { packet_id } = give(project, 'one');
    handIn(project, result({ packet_id, patch: adds('broken', 'mine') }));
    expect(runLoop(project, 'auto', 'one').json.goals_processed).toMatchObject([{ id: 'one', success: true }]);
    const prompt = readFileSync(`${project.env['LOOP_SCRIPT']}.one-1.prompt`, 'utf8');
    expect(prompt).toContain('Attempt 1 ended as failed: exit 1: test ! -e broken');
    expect(prompt).toContain('+mine');
    expect(readdirSync(join(project.root, '.dev/loop/attempts/one'))).toEqual(['1', '2']);
  });
});
