import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// memory.md, Context: the output of `context`.

const create = freshProjects();
const git = (project: Project, ...args: string[]) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8', stdio: 'pipe' }).trim();
/** Calls `context` without `--json`, as a person would. */
const context = (project: Project, ...args: string[]) =>
  devCli(project, ['context', ...args, ...(args.includes('--json') ? [] : ['--text'])]);
const memory = (project: Project, ...args: string[]) => devCli(project, ['memory', ...args]);
const jsonOf = (project: Project) => JSON.parse(context(project, '--format', 'json').stdout);
const handoff = (name: string, more: string) =>
  [`.ai/handoffs/${name}.md`, `---\n${more}\n---\n## Next\n\n1. From ${name}\n`] as const;

const GOALS = `goals:
  - id: shop
    title: The shop
    status: active
    children:
      - {id: pay, title: Paying, status: active}
      - {id: mail, title: Mails, status: active}
`;

describe('context', () => {
  it('is there without .ai, without memory, and without git, and writes nothing', () => {
    const project = create();
    const commit = `Committed: ${git(project, 'log', '--format=%H %s').replace(/(?<=^.{12}).{28}/, '')}`;
    const before = imageOf(project, '.');
    expect(context(project)).toMatchObject({
      code: 0,
      stdout: `# Memory\n\n- Work tree: clean on main\n- ${commit}\n`,
    });
    expect(context(project, '--format', 'plain').stdout).toBe(`MEMORY\n  Work tree: clean on main\n  ${commit}\n`);
    expect(jsonOf(project)).toMatchObject({
      ...{ current_goal: null, previous_session: null, task: [], context_files: [], rules: [] },
      extra: { intent: null, changes: { total: 0 } },
    });
    expect(imageOf(project, '.')).toEqual(before);
    rmSync(join(project.root, '.git'), { recursive: true });
    expect(jsonOf(project)).toMatchObject({ extra: { changes: null } });
    expect(context(project)).toMatchObject({ code: 0, stdout: 'Nothing is recorded here yet.\n' });
  });

  it('tells the goal, the session before, the task, the files, the rules and the memory', () => {
    const project = create();
    writeProjectFile(project, '.ai/goals.yaml', GOALS);
    writeProjectFile(project, '.ai/rules.md', '# Rules\n\nBe kind.\n  No new packages.\n');
    memory(project, 'decide', '--text', 'Redis', '--reason', 'it is there');
    memory(project, 'decide', '--text', 'Postgres', '--reason', 'it stays', '--supersedes', 'm1');
    memory(project, 'note', '--kind', 'tried', '--text', 'A cache');
    memory(project, 'relevant', 'package.json', '--why', 'the scripts');
    memory(project, 'verify', '--', 'true');
    writeProjectFile(project, 'src/new.js', '1;\n');
    devCli(project, ['handoff', 'write', '--first-next-action', 'Pay', '--done-when', 'tests pass']);
    const json = jsonOf(project);
    expect(json).toMatchObject({
      current_goal: { id: 'pay', title: 'Paying', parent: 'The shop' },
      previous_session: { timestamp: expect.any(String), status: 'failed' },
      task: ['Pay (done when: tests pass)'],
      context_files: expect.arrayContaining(['package.json: the scripts', 'src/new.js']),
      rules: ['Be kind.', 'No new packages.'],
      extra: {
        intent: { text: 'Postgres', reason: 'it stays', source: 'decision' },
        decisions: [{ text: 'Redis' }, { text: 'Postgres', supersedes: 'm1' }],
        verification: [{ command: 'true', freshness: 'stale' }],
        tried: ['A cache'],
      },
    });
    const { stdout } = context(project);
    const headings = [...stdout.matchAll(/^# (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      'Current Goal',
      'Previous Session',
      'Your Task',
      'Context Files (read these first)',
      'Rules',
      'Memory',
    ]);
    expect(stdout).toContain('- Decided (m1): Redis — it is there (superseded by m2)\n');
    expect(stdout).toContain('repeat it with dev-cli memory verify --again');
  });

  it('is the same, byte for byte, whatever the clock, the locale and the times of files', () => {
    const project = create();
    writeProjectFile(project, '.ai/goals.yaml', GOALS);
    memory(project, 'decide', '--text', 'Redis');
    memory(project, 'verify', '--', 'true');
    devCli(project, ['init', 'cart', '--recipe', 'specify-quick-autopilot', '--goal', 'Build the cart']);
    for (const format of ['markdown', 'plain', 'json']) {
      const first = context(project, '--format', format).stdout;
      for (const name of readdirSync(project.root)) utimesSync(join(project.root, name), 1, 1);
      const env = { LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Auckland' };
      expect(devCli(project, ['context', '--format', format, '--text'], { env }).stdout).toBe(first);
    }
  });

  it('tells of runs as they are, and who is waited for', () => {
    const project = create();
    devCli(project, ['init', 'cart', '--recipe', 'specify-quick-autopilot', '--goal', 'Build the cart']);
    expect(jsonOf(project).extra).toMatchObject({
      intent: { text: 'Build the cart', source: 'run' },
      runs: [{ name: 'cart', state: 'live', goal: 'Build the cart' }],
    });
    memory(project, 'note', '--kind', 'blocked', '--text', 'no key');
    expect(jsonOf(project).extra.waiting).toMatchObject([{ kind: 'blocked', summary: 'no key' }]);
    writeProjectFile(project, '.dev/specs/cart/state.json', '{');
    writeProjectFile(project, '.dev/specs/cart/events.jsonl', 'broken\n{}\n');
    expect(jsonOf(project).extra).toMatchObject({ runs: [], warnings: [expect.stringContaining('cart')] });
    project.replay = false;
  });

  it('tells a clone that has only got the handoff what is known', () => {
    const project = create();
    const said = [
      '--decision',
      'Postgres',
      '--tried',
      'A cache',
      '--first-next-action',
      'Pay',
      '--session-summary',
      'The cart',
    ];
    devCli(project, ['handoff', 'write', ...said]);
    git(project, 'add', '--all');
    git(project, 'commit', '--quiet', '--message=Hand over');
    rmSync(join(project.root, '.dev'), { recursive: true });
    expect(jsonOf(project)).toMatchObject({
      previous_session: { status: 'failed' },
      task: ['Pay'],
      extra: {
        intent: { text: 'Postgres', source: 'handoff' },
        handed: { Done: expect.arrayContaining(['The cart']), Tried: ['A cache'] },
      },
    });
  });

  it('reads the newest handoff that is one: by name, the suffix as a number', () => {
    const project = create();
    const whole = (more: string) => `timestamp: 2026-11-27T02:03:04+01:00\nstatus: ${more}\ngoal_id: mail`;
    const files = [
      handoff('2026-11-27_020304_2', whole('complete')),
      handoff('2026-11-27_020304_10', whole('failed')),
      handoff('2026-11-28_000000', 'timestamp: 2026-11-28T00:00:00\nstatus: failed\ngoal_id: pay'),
      handoff('2026-11-28_000001', whole('finished')),
      handoff('2026-11-28', whole('failed')),
    ];
    for (const [path, text] of files) writeProjectFile(project, path, text);
    writeProjectFile(project, '.ai/goals.yaml', GOALS);
    expect(jsonOf(project)).toMatchObject({
      current_goal: { id: 'mail' },
      previous_session: { timestamp: '2026-11-27T02:03:04+01:00', status: 'failed' },
      task: ['From 2026-11-27_020304_10'],
    });
  });

  it('refuses goals that are malformed or doubled, with all findings', () => {
    const project = create();
    writeProjectFile(project, '.ai/goals.yaml', 'goals: [');
    expect(context(project, '--json').json['error']).toMatchObject({
      details: [{ target: '.ai/goals.yaml', at: expect.stringMatching(/^\.ai\/goals\.yaml:\d+:\d+$/) }],
    });
    writeProjectFile(
      project,
      '.ai/goals.yaml',
      'goals:\n  - {id: a, title: A, status: open}\n  - {id: a, status: done}\n',
    );
    const { code, json } = context(project, '--json');
    expect([code, json]).toMatchObject([3, { error: { code: 'SCHEMA_INVALID' } }]);
    const { details } = json['error'] as { details: { target: string; pointer: string }[] };
    expect(details.map(({ target, pointer }) => [target, pointer])).toEqual([
      ['.ai/goals.yaml', '/goals/0/status'],
      ['.ai/goals.yaml', '/goals/1/id'],
      ['.ai/goals.yaml', '/goals/1'],
    ]);
  });

  it('leaves out memory first and rules never, and says when that is not enough', () => {
    const project = create();
    for (let n = 0; n < 5; n += 1) memory(project, 'decide', '--text', `${n} ${'word '.repeat(70)}`);
    writeProjectFile(project, '.ai/rules.md', 'Be kind.\n');
    writeProjectFile(project, '.ai/config.yaml', 'max_context_bytes: 1500\n');
    const cut = context(project).stdout;
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1500);
    expect(cut).toContain('Be kind.');
    expect(cut).toContain('Aim (m5)');
    writeProjectFile(project, '.ai/rules.md', `${'x'.repeat(2000)}\n`);
    expect(context(project, '--json')).toMatchObject({
      code: 3,
      json: {
        error: {
          code: 'CONTEXT_TOO_LARGE',
          details: expect.arrayContaining([{ target: 'rules', problem: '2004 bytes' }]),
        },
      },
    });
    writeProjectFile(project, '.ai/config.yaml', 'max_context_bytes: many\n');
    expect(context(project, '--json').json).toMatchObject({ error: { code: 'SCHEMA_INVALID' } });
  });

  it('follows no link out of the project, and passes over a directory with the name of a handoff', () => {
    const project = create();
    mkdirSync(join(project.root, '.ai/handoffs/2026-11-27_020304.md'), { recursive: true });
    expect(context(project)).toMatchObject({ code: 0 });
    const outside = join(project.home, 'outside');
    writeFileSync(outside, 'PRIVATE: [');
    for (const name of ['goals.yaml', 'config.yaml', 'rules.md']) {
      symlinkSync(outside, join(project.root, '.ai', name));
      const { code, stdout } = context(project, '--json');
      expect([code, stdout.includes('PRIVATE')]).toEqual([1, false]);
      rmSync(join(project.root, '.ai', name));
    }
    const [path, text] = handoff('2026-11-27_030405', 'timestamp: 2026-11-27T03:04:05Z\nstatus: failed\ngoal_id: a');
    writeFileSync(outside, text);
    symlinkSync(outside, join(project.root, path));
    expect(jsonOf(project)).toMatchObject({ previous_session: null });
  });

  it('shows no secret of a rule, a goal or a handoff', () => {
    const project = create();
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    writeProjectFile(project, '.ai/rules.md', `Use ${secret}\n`);
    writeProjectFile(project, '.ai/goals.yaml', `goals: [{id: a, title: "Use ${secret}", status: active}]\n`);
    const [path, text] = handoff('2026-11-27_020304', 'timestamp: 2026-11-27T02:03:04Z\nstatus: failed\ngoal_id: a');
    writeProjectFile(project, path, `${text}- ${secret}\n`);
    for (const format of ['markdown', 'plain', 'json'])
      expect(context(project, '--format', format).stdout).not.toContain(secret);
  });
});
