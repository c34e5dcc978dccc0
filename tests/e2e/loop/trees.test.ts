import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { call, git, readDigest, runLoop, setUpLoop, subjectsOf, write } from '../../support/loop.js';

const create = freshProjects();

const GOAL = '  - id: one\n    title: The one\n    status: active\n';

describe('trees of its own (loop-core.md, auto)', () => {
  it('a root in a sub-directory of its repository: sessions and tests run there, paths are relative to it, and a handoff is of its goal', () => {
    const project = create();
    const whole = project.root;
    project.root = join(whole, 'app');
    mkdirSync(project.root);
    write(project, 'package.json', '{}\n');
    execFileSync('git', ['add', '-A'], { cwd: whole, env: project.env });
    const run =
      'pwd > ../seen && dev-cli status >/dev/null 2>&1; dev-cli handoff write --status complete >/dev/null; rm ../seen';
    const goals = `  - { id: other, title: Another, status: active }\n${GOAL}    allowed_changes: ["src/**"]\n    max_retries: 2\n`;
    const sessions = {
      one: [
        { write: { 'src/a.js': '1\n', '../beside.txt': 'x\n' }, handoff: null },
        { write: { 'src/a.js': '1\n' }, run, handoff: null },
      ],
    };
    setUpLoop(project, { goals, sessions });
    const { json } = runLoop(project, 'auto', 'one');
    expect(json.goals_processed).toMatchObject([{ success: true, attempts: 2 }]);
    expect(json.changed_files).toEqual(['src/a.js']);
    expect(readFileSync(join(project.root, 'src/a.js'), 'utf8')).toBe('1\n');
    const [first] = call(project, ['attempt', 'list']).json['attempts'] as { reason: string }[];
    expect(first?.reason).toBe('changes outside allowed scope: ../beside.txt');
    project.root = whole;
  });

  it('a session has no mark of a harness and nothing of git, is no person, and reads only what it is given', () => {
    const project = create();
    Object.assign(project.env, { CLAUDECODE: '1', GIT_AUTHOR_DATE: '2001-01-01T00:00:00Z', SECRET_FILE: 'kept' });
    project.env['DEV_CLI_DATABASE'] = 'postgresql://u:p@127.0.0.1:1/fleet';
    const line =
      'env > seen; dev-cli approve nothing > said 2>&1; dev-cli init >> said; dev-cli init x >> said; dev-cli auto >> said; test -e .env && test -e made && ! test -e node_modules/kept';
    write(project, '.gitignore', '.env\nmade\nnode_modules/\n');
    write(project, '.env', 'A=1\n');
    mkdirSync(join(project.root, 'node_modules'));
    write(project, 'node_modules/kept', '');
    setUpLoop(project, {
      goals: GOAL,
      sessions: { one: [{ write: { 'one.txt': '1\n' }, run: line }] },
      config: 'worktree_copy: [./.env]\nworktree_setup: ["echo x > made"]',
    });
    expect(call(project, ['auto', '--trust', readDigest(project)]).json.error?.code).toBe('CONFIG_UNTRUSTED');
    delete project.env['CLAUDECODE'];
    Object.assign(project.env, { CODEX_SANDBOX: '', AI_AGENT: '' });
    expect(runLoop(project, 'auto').json.goals_processed).toMatchObject([{ success: true }]);
    const seen = readFileSync(join(project.root, 'seen'), 'utf8').split('\n');
    expect(seen).toContain('DEV_CLI_AGENT=1');
    expect(seen).toContain('GIT_TERMINAL_PROMPT=0');
    expect(seen).toContain('SECRET_FILE=kept');
    expect(seen.filter((one) => /^(GIT_(?!TERMINAL_PROMPT)|CLAUDE|DEV_CLI_DATABASE)/.test(one))).toEqual([]);
    expect(readFileSync(join(project.root, 'said'), 'utf8')).toMatch(/NO_SUCH_RUN|TERMINAL_REQUIRED/);
    expect(existsSync(join(project.root, '.ai/rules.md'))).toBe(false);
    expect(readdirSync(join(project.root, '.dev'))).not.toContain('specs');
  });

  it('test runners find the tests of their own tree alone, and an attempt leaves nothing but its ref', () => {
    const project = create();
    write(
      project,
      'count.mjs',
      "import { readdirSync } from 'node:fs';\nconst all = readdirSync('.', { recursive: true }).filter((path) => path.endsWith('.test.js') && !path.includes('node_modules'));\nconsole.log(all.length);\n",
    );
    setUpLoop(project, {
      goals: GOAL,
      sessions: {
        one: [
          {
            write: { 'test/new.test.js': '' },
            run: `node count.mjs > here; cd ${project.root} && node count.mjs > ../main-count`,
          },
        ],
      },
    });
    const before = execFileSync('node', ['count.mjs'], { cwd: project.root, encoding: 'utf8' }).trim();
    expect(runLoop(project, 'auto').exit).toBe(0);
    expect(readFileSync(join(project.root, '..', 'main-count'), 'utf8').trim()).toBe(before);
    expect(readFileSync(join(project.root, 'here'), 'utf8').trim()).toBe(String(Number(before) + 1));
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it.each([
    ['deletes its tree', 'rm -rf "$PWD"', 'no-progress'],
    ['commits and switches branches', 'git checkout -q -b other && git add -A && git commit -qm x', 'complete'],
    [
      'writes the handoff of another goal',
      "sed 's/goal_id: one/goal_id: two/' .ai/handoffs/*.md > .ai/handoffs/2030-01-01_000000.md 2>/dev/null || printf -- '---\\ntimestamp: 2030-01-01T00:00:00Z\\nstatus: complete\\ngoal_id: two\\n---\\n' > .ai/handoffs/2030-01-01_000000.md",
      'failed',
    ],
    ['writes much', 'yes | head -c 30000000', 'complete'],
    ['forks', '(sleep 300 &) ', 'complete'],
  ])('a tool that %s', (_what, run, classification) => {
    const project = create();
    const handoff = run.startsWith('rm') ? null : ('complete' as const);
    setUpLoop(project, {
      goals: `${GOAL}    max_retries: 1\n`,
      sessions: { one: [{ write: { 'one.txt': '1\n' }, run, handoff }] },
    });
    const { json } = runLoop(project, 'auto');
    expect(json.errors).toEqual([]);
    expect(json.goals_processed).toMatchObject([{ classification }]);
    expect(subjectsOf(project)).toHaveLength(classification === 'complete' ? 1 : 0);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(existsSync(join(project.root, '.ai/handoffs/2030-01-01_000000.md'))).toBe(false);
  });

  it('goals.yaml that breaks during a batch is left alone, and what is owed is written by the next', () => {
    const project = create();
    const broken = 'goals: [\n';
    const run = `printf 'goals: [\\n' > ${join(project.root, '.ai/goals.yaml')}`;
    setUpLoop(project, {
      goals: `${GOAL}  - id: two\n    title: The two\n    status: active\n`,
      sessions: { one: [{ write: { 'one.txt': '1\n' }, run }], two: [{ write: { 'two.txt': '2\n' } }] },
    });
    const whole = readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8');
    const { json, exit } = runLoop(project, 'auto', '--recursive');
    expect(exit).toBe(1);
    expect(json.goals_processed).toMatchObject([{ id: 'one', success: true }]);
    expect(json.not_run).toMatchObject([{ id: 'two' }]);
    expect(json.errors.join()).toContain('.ai/goals.yaml');
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).toBe(broken);
    writeFileSync(join(project.root, '.ai/goals.yaml'), whole);
    expect(runLoop(project, 'auto', '--recursive').json.goals_processed).toMatchObject([{ id: 'two', success: true }]);
    expect(readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8')).toBe(whole.replaceAll('active', 'done'));
    expect(subjectsOf(project)).toEqual(['feat(two): The two', 'feat(one): The one']);
  });
});
